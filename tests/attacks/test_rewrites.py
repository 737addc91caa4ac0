"""The same set in other words: free, because nothing new is told, and counted once."""

import json

import pytest
from support.stages import Stages

SAME = [
    "SELECT SUM(salary) FROM staff WHERE sex = 'F' AND age > 40",
    "SELECT SUM(salary) FROM staff WHERE age > 40 AND sex = 'F'",
    "SELECT SUM(salary) FROM staff WHERE age >= 41 AND sex <> 'M'",
    "SELECT SUM(salary) FROM staff WHERE NOT (age <= 40 OR sex = 'M')",
    "SELECT SUM(salary) FROM staff WHERE age BETWEEN 41 AND 200 AND sex IN ('F')",
    "SELECT SUM(salary) FROM staff s WHERE s.age * 2 > 80 AND lower(s.sex) = 'f'",
    "select sum(Salary) from STAFF where AGE > 40 and SEX like 'F%'",
    "SELECT SUM(salary) FILTER (WHERE age > 40) FROM staff WHERE sex = 'F'",
    "SELECT SUM(CASE WHEN age > 40 THEN salary END) FROM staff WHERE sex = 'F'",
    "SELECT SUM(CASE WHEN age > 40 AND sex = 'F' THEN salary ELSE 0 END) FROM staff",
    "SELECT SUM(salary * 2) / 2 FROM staff WHERE sex = 'F' AND age > 40",
    "SELECT AVG(salary) * COUNT(salary) FROM staff WHERE sex = 'F' AND age > 40",
    "FROM staff SELECT SUM(salary) WHERE sex = 'F' AND age > 40",
    "WITH x AS (SELECT SUM(salary) AS s FROM staff WHERE sex = 'F' AND age > 40) SELECT s FROM x",
    "SELECT s FROM (SELECT SUM(salary) AS s FROM staff WHERE sex = 'F' AND age > 40)",
    "SELECT SUM(salary) FROM staff JOIN dept_dim USING (dept) WHERE sex = 'F' AND age > 40",
    "SELECT SUM(salary) FROM staff LEFT JOIN dept_dim d ON d.dept = staff.dept WHERE sex = 'F' AND age > 40",
    "SELECT SUM(salary) FROM staff WHERE dept IN (SELECT dept FROM dept_dim) AND sex = 'F' AND age > 40",
    "SELECT SUM(salary) /* again */ FROM main.staff -- and again\n WHERE sex = 'F' AND age > 40;",
    "SELECT total FROM (SELECT sex, SUM(salary) AS total FROM staff WHERE age > 40 AND sex = 'F' GROUP BY sex)",
    "SELECT SUM(salary) FROM staff WHERE sex = 'F' AND age > 40 HAVING COUNT(*) > 1 ORDER BY 1 LIMIT 1",
]


def test_a_question_in_other_words_is_answered_alike_and_counted_once(stage: Stages) -> None:
    set_up = stage(100)
    answers, scores = [], []
    for sql in SAME:
        rows = set_up.plain(sql)
        assert rows
        answer = set_up.gateway.ask(sql)
        answers.append(float(answer.rows[0][0]))
        scores.append(set_up.gateway.status())
        assert answers[-1] == pytest.approx(float(rows[0][0]), rel=1e-12)
    assert answers == pytest.approx([answers[0]] * len(answers))
    assert all(score == scores[0] for score in scores)

    lines = [
        json.loads(line)
        for line in (set_up.path.with_name(set_up.path.stem + ".ledger.jsonl")).read_text("utf-8").splitlines()
    ]
    facts = [fact for line in lines for fact in line.get("facts", [])]
    assert [fact["implied"] for fact in facts] == [False] + [True] * (len(SAME) - 1)


def test_what_follows_from_answers_is_free_as_well(stage: Stages) -> None:
    set_up = stage(100, also="DELETE FROM staff WHERE age = 70")
    ask = set_up.through()
    assert ask("SELECT SUM(salary) FROM staff")
    assert ask("SELECT SUM(salary) FROM staff WHERE sex = 'F'")
    before = set_up.gateway.status()
    assert ask("SELECT SUM(salary) FROM staff WHERE sex = 'M'") == set_up.plain(
        "SELECT SUM(salary) FROM staff WHERE sex = 'M'"
    )
    assert set_up.gateway.status() == before
