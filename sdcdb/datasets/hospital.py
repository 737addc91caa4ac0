"""A made-up hospital: patients, their visits and diagnoses, and the wards. Several rows per person."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdcdb.datasets.dataset import Dataset
from sdcdb.datasets.draws import draws, literal, normal, one_of, weighted, whole
from sdcdb.datasets.names import FAMILIES, MEN, WOMEN

FIRST_DAY = "DATE '2022-01-01'"
DAYS = 1096
"""Admissions are from 2022 to 2024."""

MOST_VISITS = 40
COST_RANGE = (100, 60_000)
INCOME_RANGE = (0, 250_000)

AREAS: Mapping[str, tuple[int, int]] = {
    "2300": (14, 118),
    "2304": (11, 92),
    "2308": (8, 104),
    "2315": (4, 138),
    "2320": (12, 88),
    "2325": (9, 84),
    "2330": (7, 96),
    "2340": (10, 82),
    "2350": (13, 86),
    "2360": (6, 90),
    "2370": (4, 78),
    "2380": (2, 74),
}
"""Postcode areas: share of the patients in %, and income in % of the mean."""

AGES = ((0, 15, 15), (16, 29, 13), (30, 44, 17), (45, 59, 18), (60, 74, 20), (75, 99, 17))
"""First and last age of a band, and its share of the patients in %."""

CHAPTERS: Mapping[str, Mapping[str, str]] = {
    "circulatory": {"I10": "hypertension", "I21": "heart attack", "I50": "heart failure", "I48": "atrial fibrillation"},
    "neoplasms": {"C50": "breast cancer", "C34": "lung cancer", "C18": "colon cancer", "C61": "prostate cancer"},
    "respiratory": {"J18": "pneumonia", "J44": "chronic obstructive lung disease", "J45": "asthma", "J10": "influenza"},
    "injury": {"S72": "fracture of the thigh", "S52": "fracture of the forearm", "S06": "head injury"},
    "digestive": {"K35": "appendicitis", "K80": "gallstones", "K40": "hernia"},
    "mental": {"F32": "depression", "F20": "schizophrenia", "F10": "alcohol dependence"},
    "endocrine": {"E11": "diabetes type 2", "E10": "diabetes type 1", "E66": "obesity"},
    "infectious": {"A09": "gastroenteritis", "B20": "HIV disease", "A41": "sepsis"},
    "perinatal": {"O80": "delivery", "O82": "caesarean section", "P07": "short gestation"},
    "musculoskeletal": {"M16": "arthrosis of the hip", "M17": "arthrosis of the knee", "M54": "back pain"},
}
"""Codes and names by chapter of the International Classification of Diseases, the most frequent first."""


@dataclass(frozen=True)
class Ward:
    """A ward: site, beds, cost of a day, cost of a case, days of a typical stay, emergencies in %; then chapters."""

    site: str
    beds: int
    day: int
    case: int
    days: int
    emergency: int
    chapters: Mapping[str, int]


WARDS: Mapping[str, Ward] = {
    "Cardiology": Ward("Main", 48, 620, 1900, 4, 45, {"circulatory": 84, "endocrine": 9, "respiratory": 7}),
    "Emergency": Ward(
        "Main", 30, 540, 480, 1, 96, {"injury": 38, "circulatory": 22, "digestive": 22, "infectious": 18}
    ),
    "Geriatrics": Ward("North", 40, 410, 700, 9, 30, {"circulatory": 40, "musculoskeletal": 32, "respiratory": 28}),
    "Intensive Care": Ward("Main", 16, 2400, 3200, 4, 88, {"circulatory": 44, "respiratory": 34, "infectious": 22}),
    "Maternity": Ward("South", 36, 450, 1300, 3, 35, {"perinatal": 100}),
    "Medicine": Ward(
        "Main", 72, 430, 650, 5, 52, {"respiratory": 36, "endocrine": 28, "infectious": 20, "digestive": 16}
    ),
    "Oncology": Ward("North", 32, 700, 2600, 5, 12, {"neoplasms": 100}),
    "Orthopaedics": Ward("South", 44, 480, 3900, 5, 28, {"musculoskeletal": 56, "injury": 44}),
    "Paediatrics": Ward("South", 28, 470, 520, 2, 55, {"respiratory": 46, "infectious": 30, "injury": 24}),
    "Psychiatry": Ward("North", 34, 380, 400, 16, 33, {"mental": 100}),
    "Surgery": Ward("Main", 56, 560, 3300, 3, 36, {"digestive": 68, "injury": 20, "neoplasms": 12}),
}

CHILDREN = {"Paediatrics": 72, "Emergency": 20, "Surgery": 8}
YOUNG = {"Emergency": 26, "Medicine": 18, "Surgery": 24, "Psychiatry": 14, "Orthopaedics": 12, "Cardiology": 6}
YOUNG_WOMEN = {"Maternity": 34, "Emergency": 18, "Medicine": 14, "Surgery": 16, "Psychiatry": 12, "Orthopaedics": 6}
MIDDLE = {"Medicine": 22, "Surgery": 20, "Cardiology": 20, "Oncology": 12, "Orthopaedics": 14, "Emergency": 12}
OLD = {"Geriatrics": 26, "Cardiology": 24, "Medicine": 20, "Oncology": 10, "Orthopaedics": 14, "Intensive Care": 6}


def queries(rows: int, seed: int) -> Mapping[str, str]:
    """Generate patients attribute by attribute, then their visits, then the diagnoses of each visit.

    - Age from 0 to 99 by band; sex; area and, by area and age, income and insurance.
    - Number of visits from 1 to 40: geometric, with a mean that grows from 1.5 in the young to 3.5 in the old,
      and 2.5 times that for one patient in eight, who is chronically ill.
    - Every patient has a ward by age and sex, to which half of the visits go (more for the chronically ill); the others
      are drawn anew. Emergencies, days and chapter of the main diagnosis follow from the ward, and days from the age.
    - Cost = (case + days x day) x exp(0.3 z), in cents, clipped to `COST_RANGE`; emergencies cost a fifth more.
    - NULL are: the smoking of one patient in nine; days, cost and outcome of visits that have not ended; and the cost
      of one visit in forty, which is not billed yet.
    """
    people, patients = _patients(rows, seed)
    visits = _visits(people, rows, seed)
    wards = ", ".join(f"({literal(name)}, {literal(w.site)}, {w.beds})" for name, w in WARDS.items())
    return {
        "patients": patients,
        "wards": f"SELECT * FROM (VALUES {wards}) AS wards(ward, site, beds)",
        "visits": f"""
            SELECT visit_id, patient_id, ward, admitted, emergency, days,
                if(days IS NULL OR u_unbilled < {2**32 // 40}, NULL,
                   greatest({COST_RANGE[0]}, least({COST_RANGE[1]}, round(price, 2))))::DECIMAL(9, 2) AS cost,
                {_enum("outcome", ("home", "care home", "other hospital", "died"))} AS outcome
            FROM ({visits}) ORDER BY visit_id
        """,
        "diagnoses": _diagnoses(visits, rows, seed),
    }


def _patients(rows: int, seed: int) -> tuple[str, str]:
    """Return the query of the patients with what only the generator knows, and that of their table."""
    names = ["u_age", "u_year", "u_birthday", "u_sex", "u_area", "u_income", "u_angle", "u_insurance", "u_smoker"]
    names += ["u_first", "u_family", "u_chronic", "u_visits", "u_ward"]
    people = f"""
        SELECT *, u_chronic < {2**32 // 8} AS chronic,
            if(u_sex < {2**32 * 52 // 100}, 'F', 'M') AS sex,
            {weighted("u_age", {first: share for first, _, share in AGES})} AS youngest,
            CASE youngest {" ".join(f"WHEN {a} THEN {whole('u_year', a, b)}" for a, b, _ in AGES)} END AS age,
            {weighted("u_area", {area: share for area, (share, _) in AREAS.items()})} AS area,
            {_by_age(lambda wards: weighted("u_ward", wards))} AS usual
        FROM ({draws("hospital.patients", rows, seed, names)})
    """
    pay = " ".join(f"WHEN {literal(area)} THEN {income}" for area, (_, income) in AREAS.items())
    income = f"""
        if(age < 18, 0, 46000e0 * CASE area {pay} END / 100e0 * if(age > 65, 0.6e0, 1e0) * if(sex = 'F', 0.92e0, 1e0)
            * exp(0.45e0 * {normal("u_income", "u_angle")}))
    """
    patients = f"""
        SELECT id AS patient_id,
            if(sex = 'F', {one_of("u_first", WOMEN)}, {one_of("u_first", MEN)})
                || ' ' || {one_of("u_family", FAMILIES)} AS name,
            {FIRST_DAY} - (age * 365 + age // 4 + {whole("u_birthday", 1, 365)}) AS birth_date,
            sex, area,
            CASE
                WHEN age > 75 AND u_insurance < {2**32 // 12} THEN 'veterans'
                WHEN pay > 80000 AND u_insurance < {2**32 * 7 // 10} THEN 'private'
                WHEN pay > 40000 AND u_insurance < {2**32 * 3 // 10} THEN 'private'
                WHEN age BETWEEN 18 AND 40 AND u_insurance > {2**32 * 93 // 100} THEN 'none'
                ELSE 'public'
            END AS insurance,
            if(u_smoker < {2**32 // 9}, NULL, age >= 16 AND u_smoker > {2**32 * 80 // 100}) AS smoker,
            (greatest({INCOME_RANGE[0]}, least({INCOME_RANGE[1]}, round(pay / 100e0) * 100)))::INTEGER AS income
        FROM (SELECT *, {income} AS pay FROM ({people})) ORDER BY patient_id
    """
    return people, patients


def _visits(people: str, rows: int, seed: int) -> str:
    """Return the query of all visits, with everything that the other tables need."""
    mean = "(if(chronic, 2.5e0, 1e0) * (1.5e0 + 2e0 * age / 100e0))"
    number = f"least({MOST_VISITS}, 1 + floor(ln((u_visits + 1)::DOUBLE / {2**32}e0) / ln(1e0 - 1e0 / {mean})))"
    planned = f"""
        SELECT id * {MOST_VISITS + 1} + visit AS id, id AS patient_id, age, sex, chronic, usual
        FROM (SELECT *, unnest(range(1, {number}::BIGINT + 1)) AS visit FROM ({people}))
    """
    names = ["u_usual", "u_ward", "u_admitted", "u_emergency", "u_days", "u_length", "u_cost", "u_price"]
    names += ["u_unbilled", "u_outcome", "u_second", "u_code"]
    drawn = draws("hospital.visits", rows, seed, names, planned)
    placed = f"""
        SELECT *, if(u_usual < if(chronic, {2**32 * 8 // 10}, {2**32 // 2}), usual,
                {_by_age(lambda wards: weighted("u_ward", wards))}) AS ward,
            {FIRST_DAY} + {whole("u_admitted", 0, DAYS - 1)} AS admitted
        FROM ({drawn})
    """
    stay = f"""
        greatest(1, least(90, round({_by_ward(lambda w: str(w.days))} * (0.7e0 + 0.6e0 * age / 100e0)
            * exp(0.55e0 * {normal("u_days", "u_length")}))))::INTEGER
    """
    stays = f"""
        SELECT *, u_emergency < {_by_ward(lambda w: str(2**32 * w.emergency // 100))} AS emergency, {stay} AS stay,
            if(admitted + stay > {FIRST_DAY} + {DAYS - 1}, NULL, stay) AS days
        FROM ({placed})
    """
    price = f"""
        ({_by_ward(lambda w: str(w.case))} + coalesce(days, 0) * {_by_ward(lambda w: str(w.day))})
            * if(emergency, 1.2e0, 1e0) * exp(0.3e0 * {normal("u_cost", "u_price")})
    """
    died = f"CASE WHEN ward = 'Intensive Care' THEN {2**32 * 14 // 100} ELSE age::BIGINT * {2**32 // 3000} END"
    return f"""
        SELECT *, row_number() OVER (ORDER BY id) AS visit_id, {price} AS price,
            CASE
                WHEN days IS NULL THEN NULL
                WHEN u_outcome < {died} THEN 'died'
                WHEN u_outcome > {2**32 * 97 // 100} THEN 'other hospital'
                WHEN age > 75 AND u_outcome > {2**32 * 75 // 100} THEN 'care home'
                ELSE 'home'
            END AS outcome
        FROM ({stays})
    """


def _diagnoses(visits: str, rows: int, seed: int) -> str:
    """Return the query of the diagnoses: a main one by ward, and further ones for the old and the chronically ill."""
    more = f"(u_second < {2**32 * 3 // 10} + age::BIGINT * {2**32 // 250})::INTEGER"
    most = f"(chronic AND u_second < {2**32 * 5 // 10})::INTEGER"
    listed = f"""
        SELECT visit_id * 4 + place AS id, visit_id, patient_id, age, sex, ward, place
        FROM (SELECT *, unnest(range(1, 2 + {more} + {most})) AS place FROM ({visits}))
    """
    drawn = draws("hospital.diagnoses", rows, seed, ("u_chapter", "u_code", "u_low"), listed)
    further = {"circulatory": 38, "endocrine": 27, "musculoskeletal": 15, "mental": 12, "infectious": 8}
    chapter = f"""
        if(place = 1, {_by_ward(lambda ward: weighted("u_chapter", ward.chapters))}, {weighted("u_chapter", further)})
    """
    codes = " ".join(
        f"WHEN {literal(chapter)} THEN {weighted('u_code', {code: 12 // n**2 + 1 for n, code in enumerate(names, 1)})}"
        for chapter, names in CHAPTERS.items()
    )
    # Nobody has a cancer of an organ that they are not likely to have.
    fitting = "CASE WHEN sex = 'M' AND code = 'C50' THEN 'C61' WHEN sex = 'F' AND code = 'C61' THEN 'C50' ELSE code END"
    names = {code: name for named in CHAPTERS.values() for code, name in named.items()}
    named = " ".join(f"WHEN {literal(code)} THEN {literal(name)}" for code, name in names.items())
    return f"""
        SELECT row_number() OVER (ORDER BY id) AS diagnosis_id, visit_id, patient_id, place = 1 AS main,
            fitting AS code, CASE fitting {named} END AS name, {_enum("chapter", tuple(CHAPTERS))} AS chapter
        FROM (
            SELECT *, CASE chapter {codes} END AS code, {fitting} AS fitting
            FROM (SELECT *, {chapter} AS chapter FROM ({drawn}))
            QUALIFY row_number() OVER (PARTITION BY visit_id, fitting ORDER BY place) = 1
        ) ORDER BY diagnosis_id
    """


def _by_age(expression: Callable[[Mapping[str, int]], str]) -> str:
    cases = [
        ("age < 16", CHILDREN),
        ("age < 45 AND sex = 'F'", YOUNG_WOMEN),
        ("age < 45", YOUNG),
        ("age < 70", MIDDLE),
    ]
    return f"CASE {' '.join(f'WHEN {when} THEN {expression(then)}' for when, then in cases)} ELSE {expression(OLD)} END"


def _by_ward(expression: Callable[[Ward], str]) -> str:
    return f"CASE ward {' '.join(f'WHEN {literal(name)} THEN {expression(w)}' for name, w in WARDS.items())} END"


def _enum(column: str, values: Sequence[str]) -> str:
    return f"{column}::ENUM({', '.join(map(literal, values))})"


DATASET = Dataset(
    name="hospital",
    title="Made-up patients of a hospital, their visits and diagnoses, and its wards: several rows per person.",
    source="made up for sdcdb",
    rows=20_000,
    tables=("patients", "wards", "visits", "diagnoses"),
    queries=queries,
)
