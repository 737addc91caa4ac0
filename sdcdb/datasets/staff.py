"""A made-up staff table of any size, with realistic dependencies between columns, and a table of departments."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdcdb.datasets.dataset import Dataset
from sdcdb.datasets.draws import draws, literal, normal, one_of, weighted
from sdcdb.datasets.names import FAMILIES, MEN, WOMEN

SALARY_RANGE = (10_000, 250_000)

EDUCATION = ("School", "Vocational", "Bachelor", "Master", "Doctorate")
PAY_BY_EDUCATION = (100, 115, 145, 170, 195)
"""Pay by education, in percent of that of school leavers."""

PRACTICAL = (40, 37, 18, 4, 1)
OFFICE = (14, 26, 40, 18, 2)
LEARNED = (2, 6, 38, 36, 18)
"""Percentages of the five levels of education in three kinds of department, for people aged 38 and over."""


@dataclass(frozen=True)
class Department:
    """One department: its campus, then in %: share of staff, women among them, education, pay relative to Marketing."""

    campus: str
    share: int
    women: int
    levels: tuple[int, ...]
    pay: int


DEPARTMENTS: Mapping[str, Department] = {
    "Engineering": Department("Hilltop", 17, 24, LEARNED, 115),
    "Finance": Department("Harbour", 8, 51, OFFICE, 120),
    "Human Resources": Department("Harbour", 5, 72, OFFICE, 95),
    "IT": Department("Hilltop", 11, 27, OFFICE, 110),
    "Legal": Department("Harbour", 4, 55, LEARNED, 130),
    "Marketing": Department("Harbour", 9, 60, OFFICE, 100),
    "Operations": Department("Riverside", 17, 35, PRACTICAL, 90),
    "Research": Department("Hilltop", 8, 44, LEARNED, 105),
    "Sales": Department("Riverside", 13, 45, PRACTICAL, 105),
    "Support": Department("Riverside", 8, 63, PRACTICAL, 85),
}


def queries(rows: int, seed: int) -> Mapping[str, str]:
    """Generate people attribute by attribute, causes before effects, and list the departments.

    - Department by its share. Age from 18 to 70: two uniform numbers added, so that most are in the middle.
    - Sex by department. Education by department and age: the draw is shrunk for the young, from 60% at 18 to all
      of it at 38, and there is no Bachelor before 22, Master before 26, Doctorate before 32.
    - Salary = 30,000 x education x department x experience x (women: 0.95) x exp(0.38 z), z standard normal: the
      skewed, lognormal spread of real pay. Experience adds 1.2% of the first pay a year, for 37 years. The
      result is rounded and clipped to `SALARY_RANGE`, which affects about one record in two thousand.
    """
    names = ("u_dept", "u_age", "u_sex", "u_level", "u_normal", "u_angle", "u_first", "u_family")
    people = f"""
        SELECT *,
            {weighted("u_dept", {name: dept.share for name, dept in DEPARTMENTS.items()})} AS dept,
            (18 + (((u_age >> 16) * 35 + (u_age & 65535) * 18) >> 16))::INTEGER AS age,
            u_level * (60 + 2 * least(age - 18, 20))::UBIGINT // 100 AS u_studies
        FROM ({draws("staff", rows, seed, names)})
    """
    traits = f"""
        SELECT *,
            {_by_dept(lambda dept: weighted("u_sex", {"F": dept.women, "M": 100 - dept.women}))} AS sex,
            least(
                {_by_dept(lambda dept: weighted("u_studies", dict(enumerate(dept.levels, start=1))))},
                CASE WHEN age < 22 THEN 2 WHEN age < 26 THEN 3 WHEN age < 32 THEN 4 ELSE 5 END
            ) AS level
        FROM ({people})
    """
    pay = f"""
        30000e0 * {_by_level(PAY_BY_EDUCATION)} / 100e0 * {_by_dept(lambda dept: literal(dept.pay))} / 100e0
        * (1e0 + 0.012e0 * least(age - 18, 37)) * if(sex = 'F', 0.95e0, 1e0)
        * exp(0.38e0 * {normal("u_normal", "u_angle")})
    """
    low, high = SALARY_RANGE
    staff = f"""
        SELECT id,
            if(sex = 'F', {one_of("u_first", WOMEN)}, {one_of("u_first", MEN)})
                || ' ' || {one_of("u_family", FAMILIES)} AS name,
            sex, age, dept, {_by_level(EDUCATION)} AS education,
            greatest({low}, least({high}, round({pay})))::INTEGER AS salary
        FROM ({traits})
    """
    campuses = ", ".join(f"({literal(name)}, {literal(dept.campus)})" for name, dept in DEPARTMENTS.items())
    return {"staff": staff, "dept_dim": f"SELECT * FROM (VALUES {campuses}) AS departments(dept, campus)"}


def _by_dept(expression: Callable[[Department], str]) -> str:
    whens = " ".join(f"WHEN {literal(name)} THEN {expression(dept)}" for name, dept in DEPARTMENTS.items())
    return f"CASE dept {whens} END"


def _by_level(values: Sequence[str] | Sequence[int]) -> str:
    return f"[{', '.join(map(literal, values))}][level]"


DATASET = Dataset(
    name="staff",
    title="Any number of made-up employees, with pay that depends on who they are, and their departments.",
    source="made up for sdcdb",
    rows=10_000,
    tables=("staff", "dept_dim"),
    queries=queries,
)
