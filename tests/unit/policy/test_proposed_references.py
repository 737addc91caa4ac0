"""References between tables as `init` proposes them: from declared foreign keys, and from names and values."""

from pathlib import Path

import duckdb
import pytest

import sdcdb
from sdcdb.gateway.tables.checking import check_as_gateway
from sdcdb.policy.decisions import open_decisions
from sdcdb.policy.draft import draft_policy
from sdcdb.policy.load import load_document

MEMBERS = """
CREATE TABLE members (nr INT PRIMARY KEY, born DATE, income INT);
INSERT INTO members SELECT i, DATE '1950-01-01' + i::INT * 9, i * 7919 % 80000 FROM range(1000) t(i)
"""
CLAIMS = """
CREATE TABLE claims (claim INT PRIMARY KEY, {holder}, amount DECIMAL(9, 2));
INSERT INTO claims SELECT i, {value}, i * 31 % 997 FROM range(3000) t(i)
"""
MARKED = "    # refers: "


def drafted(*statements: str) -> str:
    with duckdb.connect() as con:
        for statement in statements:
            con.execute(statement)
        return draft_policy(con, "club")


def proposed(text: str) -> list[str]:
    return [line.removeprefix(MARKED) for line in text.splitlines() if line.startswith(MARKED)]


def test_a_declared_foreign_key_names_a_person_whatever_it_is_called() -> None:
    text = drafted(MEMBERS, CLAIMS.format(holder="holder INT REFERENCES members (nr)", value="i % 1000"))
    assert proposed(text) == ["{holder: members}"]
    assert "    person: holder  # CHECK: somebody has 3 records" in text
    assert "      holder: identifier  # the key of a person in 'members'" in text


def test_a_number_without_a_foreign_key_is_no_reference() -> None:
    text = drafted(MEMBERS, CLAIMS.format(holder="holder INT", value="i % 1000"))
    assert proposed(text) == []
    assert "holder: {role: confidential" in text


@pytest.mark.parametrize(("value", "there"), [("i % 1000", True), ("i % 1000 + 20", True), ("i % 1000 + 500", False)])
def test_a_column_with_the_name_of_a_key_refers_if_nearly_all_of_its_values_do(value: str, there: bool) -> None:  # noqa: FBT001 - a case
    members = MEMBERS.replace("nr INT", "member_id INT")
    text = drafted(members, CLAIMS.format(holder="member_id INT", value=value))
    assert proposed(text) == (["{member_id: members}"] if there else [])


def test_a_proposed_reference_can_be_used(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "club.duckdb")) as con:
        con.execute(MEMBERS.replace("i::INT * 9", "i::INT % 20 * 900"))
        con.execute(CLAIMS.format(holder="holder INT REFERENCES members (nr)", value="i % 1000"))
        text = draft_policy(con, "club")
    (tmp_path / "policy.yaml").write_text(text.replace(MARKED, MARKED.replace("# ", "")))
    with (
        sdcdb.open(tmp_path / "club.duckdb", policy=tmp_path / "policy.yaml") as database,
        database.gateway() as gateway,
    ):
        sql = "SELECT SUM(amount) FROM claims JOIN members ON claims.holder = members.nr WHERE born < DATE '1970-01-01'"
        assert gateway.ask(sql, user="ann").rows


def test_open_decisions_are_warnings_of_strict_checks_only(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "club.duckdb")) as con:
        con.execute(MEMBERS)
        text = draft_policy(con, "club")
    lines = open_decisions(text)
    assert len(lines) == 2  # a domain, and shares that may be public
    decided = text.replace("CHECK:", "").replace("CHECK the domain", "")
    for policy, strict, said in ((text, True, True), (text, False, False), (decided, True, False)):
        (tmp_path / "policy.yaml").write_text(policy)
        with duckdb.connect(str(tmp_path / "club.duckdb"), read_only=True) as con:
            found = check_as_gateway(con, load_document(tmp_path / "policy.yaml"), strict=strict)
        marked = [each for each in found if "2 lines are still marked CHECK" in each.message]
        assert [each.line for each in marked] == lines[:1] * said
        assert all(each.severity == "warning" for each in marked)
    assert open_decisions("# every line marked CHECK needs your decision\n") == []
