"""The questions that the gateway is measured with."""

import random

AGGREGATES = ("SUM(salary)", "AVG(salary)", "COUNT(*), AVG(salary)", "SUM(salary), COUNT(*)")
DEPARTMENTS = ("Engineering", "Finance", "IT", "Legal", "Marketing", "Operations", "Research", "Sales", "Support")
EDUCATION = ("School", "Vocational", "Bachelor", "Master", "Doctorate")


def questions(number: int, seed: int, sites: int = 1) -> list[str]:
    """Make varied range questions: an age range, and perhaps departments, education, sex and sites."""
    rng = random.Random(seed)  # noqa: S311 - questions, not secrets
    made = []
    for _ in range(number):
        low = rng.randint(18, 60)
        terms = [f"age BETWEEN {low} AND {low + rng.randint(3, 25)}"]
        if rng.random() < 0.6:
            chosen = rng.sample(DEPARTMENTS, rng.randint(2, 6))
            terms.append(f"dept IN ({', '.join(repr(each) for each in chosen)})")
        if rng.random() < 0.4:
            chosen = rng.sample(EDUCATION, rng.randint(2, 4))
            terms.append(f"education IN ({', '.join(repr(each) for each in chosen)})")
        if rng.random() < 0.3:
            terms.append(f"sex = '{rng.choice('FM')}'")
        if sites > 1 and rng.random() < 0.5:
            low = rng.randint(0, sites - 2)
            terms.append(f"site BETWEEN {low} AND {rng.randint(low + 1, sites - 1)}")
        made.append(f"SELECT {rng.choice(AGGREGATES)} FROM staff WHERE {' AND '.join(terms)}")
    return made
