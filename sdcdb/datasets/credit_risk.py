"""The Credit Risk generator of the thesis: numbers, a city, and a class that follows from them by known rules."""

from collections.abc import Mapping

from sdcdb.datasets.dataset import Dataset
from sdcdb.datasets.draws import draws, weighted, whole


def queries(rows: int, seed: int) -> Mapping[str, str]:
    """Follow section 6.7.1 of the thesis (2007), with these interpretations where its text leaves a choice.

    - `else Credit Risk = Yes;` (income <= 50) has no braces. Only Credit Risk belongs to it: Job Grade and No of
      Dependents are drawn for every city, or Newcastle's records would have none.
    - The cities' short forms (Syd, Mel, New, Arm) are written in full, as in the domain given in section 6.4.4.
    - Credit Risk is written Yes and No as in 6.7.1, where 6.4.4 writes yes and no.
    - "Between" includes both ends, as the domains of 6.4.4 do; 33.33% is one third.

    Income, job grade and dependents have the same distribution in every branch, so they are drawn first.
    """
    numbers = f"""
        SELECT id, u_city,
            {whole("u_income", 30, 100)} AS income,
            {whole("u_rent", 100, 600)} AS house_rent,
            {whole("u_dependents", 0, 7)} AS no_of_dependents,
            {whole("u_grade", 1, 4)} AS job_grade
        FROM ({draws("credit_risk", rows, seed, ("u_rent", "u_income", "u_grade", "u_dependents", "u_city"))})
    """
    cities = f"""
        SELECT *,
            CASE
                WHEN house_rent > 300 THEN {weighted("u_city", {"Melbourne": 1, "Sydney": 1})}
                WHEN income > 50
                    THEN {weighted("u_city", {"Melbourne": 1, "Newcastle": 1, "Sydney": 1, "Armidale": 1})}
                ELSE {weighted("u_city", {"Newcastle": 1, "Melbourne": 1, "Armidale": 1})}
            END AS city
        FROM ({numbers})
    """
    return {
        "credit_risk": f"""
            SELECT id, income, house_rent, no_of_dependents, job_grade, city,
                CASE
                    WHEN house_rent <= 300 AND income > 50 THEN if(job_grade <= 2, 'No', 'Yes')
                    WHEN house_rent <= 300 THEN if(city = 'Newcastle', 'No', 'Yes')
                    WHEN city = 'Melbourne' THEN 'No'
                    ELSE if(no_of_dependents <= 2, 'No', 'Yes')
                END AS credit_risk
            FROM ({cities})
        """
    }


DATASET = Dataset(
    name="credit_risk",
    title="Generated loan applicants: four numbers, a city, and a credit risk that follows from them.",
    source="Thesis (2007), section 6.7.1",
    rows=399,  # as many as section 6.6.2 uses
    tables=("credit_risk",),
    queries=queries,
)
