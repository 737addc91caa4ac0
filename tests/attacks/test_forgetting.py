"""What was answered stays known: no edit of policy, names or tables starts a new history.

The attack: the total of forty people, then, after an edit, the total of all of them but one. Each alone is harmless.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest

import sdcdb
from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.tables.checking import check_as_gateway
from sdcdb.gateway.tables.halt import Halt
from sdcdb.policy.load import load_document

WITH, WITHOUT = "age < 60", "age < 59"
POLICY = """\
version: 1
{teams}
tables:
  {table}:
    key: id
    columns:
      id: identifier
      sex: quasi
      age: quasi
      {column}: {{role: confidential, domain: [0, 100000], step: 1}}
    restrict: {{pool: {pool}, min_set: {min_set}, groups: deny}}
{more}
"""
SECOND = """\
  second:
    key: id
    columns: {id: identifier, sex: quasi, age: quasi, salary: {role: confidential, domain: [0, 100000], step: 1}}
    restrict: {min_set: 5, groups: deny}
"""


@dataclass(frozen=True)
class World:
    """A database, who asks, and what the policy says."""

    path: Path
    user: str = "ann"
    table: str = "staff"
    column: str = "salary"
    asked: str = "staff"
    pool: str = "all"
    teams: str = ""
    min_set: int = 5
    more: str = ""

    def write(self) -> Path:
        file = self.path.with_suffix(".policy.yaml")
        words = {name: getattr(self, name) for name in ("teams", "table", "column", "pool", "min_set", "more")}
        file.write_text(POLICY.format(**words), "utf-8")
        return file

    def ask(self, condition: str) -> int:
        """Ask for a total, at a gateway that is opened for it."""
        with sdcdb.open(self.path, self.write()) as database, database.gateway() as gateway:
            sql = f"SELECT SUM({self.column}) FROM {self.asked} WHERE {condition}"
            return int(gateway.ask(sql, user=self.user).rows[0][0])

    def run(self, sql: str) -> None:
        with duckdb.connect(str(self.path)) as con:
            con.execute(sql)


@pytest.fixture
def world(tmp_path: Path) -> World:
    here = World(tmp_path / "firm.duckdb")
    here.run(
        "CREATE TABLE staff AS SELECT i AS id, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END AS sex, 20 + i AS age, "
        "(i * 7919) % 90000 AS salary FROM range(50) t(i)"
    )
    return here


def renamed_table(world: World) -> World:
    world.run("ALTER TABLE staff RENAME TO people")
    return replace(world, table="people", asked="people")


def renamed_column(world: World) -> World:
    world.run("ALTER TABLE staff RENAME COLUMN salary TO pay")
    return replace(world, column="pay")


def another_copy(world: World) -> World:
    world.run("CREATE TABLE second AS FROM staff")
    return replace(world, more=SECOND, asked="second")


def a_part_of_it(world: World) -> World:
    world.run("CREATE TABLE second AS FROM staff WHERE id < 49")
    return replace(world, more=SECOND, asked="second")


def a_part_in_its_place(world: World) -> World:
    world.run("CREATE TABLE people AS FROM staff WHERE id < 49 OR id = 49")
    world.run("INSERT INTO people VALUES (777, 'F', 33, 5)")
    return replace(world, table="people", asked="people")


def converted(select: str) -> Callable[[World], World]:
    """A copy of the table with other keys or values, in its place or beside it."""

    def edit(world: World) -> World:
        world.run(f"CREATE TABLE second AS {select}")
        return replace(world, more=SECOND, asked="second")

    return edit


def converted_in_its_place(world: World) -> World:
    world.run("CREATE TABLE people AS SELECT id + 1000 AS id, sex, age, salary * 1.0 AS salary FROM staff")
    world.run("DROP TABLE staff")
    return replace(world, table="people", asked="people")


CONVERTED = {
    "new keys beside it": "SELECT id + 1000 AS id, sex, age, salary FROM staff",
    "new keys and another type beside it": "SELECT 'p' || id AS id, sex, age, salary * 1.0 AS salary FROM staff",
    "a decimal in another order beside it": "SELECT -id AS id, sex, age, CAST(salary AS DECIMAL(12, 2)) AS salary "
    "FROM staff ORDER BY salary",
    "in thousands beside it": "SELECT id + 7 AS id, sex, age, salary / 1000 AS salary FROM staff",
    "another currency and new keys beside it": "SELECT id + 7 AS id, sex, age, salary * 0.91 AS salary FROM staff",
    "what is missing to the most beside it": "SELECT id + 7 AS id, sex, age, 90000 - salary AS salary FROM staff",
    "nine tenths under new keys beside it": "SELECT id + 7 AS id, sex, age, salary FROM staff WHERE id < 49",
}

EDITS: dict[str, Callable[[World], World]] = {
    "nothing": lambda world: world,
    "each user alone": lambda world: replace(world, pool="user", user="ben"),
    "another user of all": lambda world: replace(world, user="ben"),
    "the name in other letters": lambda world: replace(world, user=" ANN"),
    "a renamed table": renamed_table,
    "a renamed column": renamed_column,
    "a copy beside it": another_copy,
    "a part of it beside it": a_part_of_it,
    "a part of it in its place": a_part_in_its_place,
    **{name: converted(select) for name, select in CONVERTED.items()},
    "converted in its place": converted_in_its_place,
    "a smaller min_set": lambda world: replace(world, min_set=2),
}

RECOGNISED = {name for name in EDITS if name.endswith("beside it")} | {
    "a part of it in its place",
    "converted in its place",
}
"""Edits that are the owner's matter: the gateway does not open, so that no verdict shows whether values are equal."""


@pytest.mark.parametrize("edit", [name for name in EDITS if not name.endswith("beside it")])
def test_after_an_edit_alone_the_question_is_answered(world: World, edit: str) -> None:
    """Else the denial below would say nothing about memory."""
    assert EDITS[edit](world).ask(WITHOUT) > 0


@pytest.mark.parametrize("edit", EDITS)
def test_no_edit_forgets_what_everybody_was_told(world: World, edit: str) -> None:
    assert world.ask(WITH) > 0
    after = EDITS[edit](world)
    with pytest.raises(sdcdb.DatabaseError if edit in RECOGNISED else sdcdb.Denied):
        after.ask(WITHOUT)


TEAMS = {
    "a move to another team": ("teams: {one: [ann], two: [ben]}", "teams: {two: [ann, ben]}", "ben"),
    "a renamed team": ("teams: {one: [ann, ben]}", "teams: {uno: [ann, ben]}", "ben"),
    "a silent member who moves": ("teams: {one: [ann, eve]}", "teams: {two: [eve, ben]}", "ben"),
    "a team that is dissolved": ("teams: {one: [ann, eve]}", "", "eve"),
    "letters of a name": ("teams: {one: [ann, ben]}", "teams: {one: [Ann, BEN]}", "Ben"),
}


@pytest.mark.parametrize("edit", TEAMS)
def test_no_edit_of_teams_forgets(world: World, edit: str) -> None:
    before, after, user = TEAMS[edit]
    assert replace(world, pool="team", teams=before).ask(WITH) > 0
    with pytest.raises(sdcdb.Denied):
        replace(world, pool="team", teams=after, user=user).ask(WITHOUT)


def test_teams_that_never_shared_anybody_stay_apart(world: World) -> None:
    teams = replace(world, pool="team", teams="teams: {one: [ann], two: [ben]}")
    assert teams.ask(WITH) > replace(teams, user="ben").ask(WITHOUT) > 0


def opened(world: World) -> tuple[sdcdb.Database, Gateway]:
    database = sdcdb.open(world.path, world.write())
    return database, database.gateway()


def test_the_owner_can_loosen_a_limit_and_the_ledger_says_so(world: World) -> None:
    strict = replace(world, min_set=8)
    assert strict.ask(WITH) > 0
    with pytest.raises(sdcdb.Denied) as refusal:
        world.ask("sex = 'F'")
    assert refusal.value.rule == "policy"
    database, gateway = opened(world)
    with database, gateway:
        assert gateway.halted() == [Halt("staff", "policy", ("salary: min_set fell from 8 to 5",))]
        assert gateway.accept_looser("asked for by the board") == ["staff: salary: min_set fell from 8 to 5"]
        assert gateway.halted() == []
    assert "asked for by the board" in world.path.with_name("firm.ledger.jsonl").read_text("utf-8")
    assert world.ask("sex = 'F'") > 0
    with pytest.raises(sdcdb.Denied):  # what was answered under the old limits is still known
        world.ask(WITHOUT)


def test_small_totals_are_allowed_by_the_owner_only(world: World) -> None:
    assert world.ask(WITH) > 0
    looser = replace(world, pool="all, small_totals: allow")
    with pytest.raises(sdcdb.Denied) as refusal:
        looser.ask("sex = 'F'")
    assert refusal.value.rule == "policy"
    database, gateway = opened(looser)
    with database, gateway:
        assert gateway.accept_looser("the table is small") == ["staff: salary: small_totals: forbid became allow"]
    assert looser.ask("sex = 'F'") > 0
    assert world.ask("sex = 'M'") > 0  # back again, and nobody has to be asked


def test_a_tighter_limit_needs_no_word(world: World) -> None:
    assert world.ask(WITH) > 0
    assert replace(world, min_set=8).ask("sex = 'F'") > 0


def test_a_copy_is_the_owners_matter(world: World) -> None:
    """The gateway opens when the owner has said what the copy is; to say that it is none is in the ledger."""
    assert world.ask(WITH) > 0
    copied = another_copy(world)
    with pytest.raises(sdcdb.DatabaseError, match=r"second\.salary holds records of staff\.salary"):
        copied.ask("sex = 'F'")
    assert world.ask("sex = 'F'") > 0  # without it, all is as it was
    linked = replace(copied, teams="linked: [staff.salary ~ second.salary]")
    assert linked.ask("sex = 'F'") > 0
    with pytest.raises(sdcdb.Denied) as refusal:
        linked.ask(WITHOUT)
    assert refusal.value.rule == "exact"
    apart = replace(copied, teams="distinct: [[second, staff]]")
    with pytest.raises(sdcdb.Denied) as refusal:
        apart.ask("sex = 'F'")
    assert refusal.value.rule == "policy"


def test_the_owner_hears_of_copies_before_the_gateway_opens(world: World) -> None:
    """`check` says of each copy what the gateway would, at its line, and nothing once the owner has said what it is."""
    copied = another_copy(world)

    def copies(now: World) -> list[tuple[str, int | None, str]]:
        with duckdb.connect(str(now.path)) as con:
            found = check_as_gateway(con, load_document(now.write()))
        return [(each.field, each.line, each.severity) for each in found if "holds " in each.message]

    line = next(n for n, text in enumerate(copied.write().read_text("utf-8").split("\n"), 1) if text == "  second:")
    assert copies(copied) == [("tables.second", line, "error")]
    for said in ("linked: [staff.salary ~ second.salary]", "distinct: [[second, staff]]"):
        assert copies(replace(copied, teams=said)) == []
    world.run("UPDATE second SET id = id + 1000")  # the values under other keys
    assert copies(copied) == [("tables.second", line, "error")]
    world.run("UPDATE second SET salary = (salary * 31 + id * id + 17) % 90001")
    assert copies(copied) == []
    assert copies(world) == []


def test_that_tables_are_distinct_is_accepted_by_the_owner(world: World) -> None:
    assert world.ask(WITH) > 0
    apart = replace(another_copy(world), teams="distinct: [[second, staff]]")
    database, gateway = opened(apart)
    with database, gateway:
        assert {(halt.table, halt.rule) for halt in gateway.halted()} == {("staff", "policy"), ("second", "policy")}
        assert gateway.accept_looser("guests, numbered as staff are") == [
            "staff: distinct: what is known of second does not count here",
            "second: distinct: what is known of staff does not count here",
        ]
    assert apart.ask("sex = 'F'") > 0
    with pytest.raises(sdcdb.DatabaseError, match="holds records of"):  # and the word can be taken back
        replace(apart, teams="").ask("sex = 'F'")


def test_a_table_that_becomes_a_copy_is_not_taken_by_a_refresh(world: World) -> None:
    world.run("CREATE TABLE second AS SELECT id, sex, age, (salary * 31 + id * id + 17) % 90001 AS salary FROM staff")
    both = replace(world, more=SECOND)
    assert both.ask(WITH) > 0
    world.run("UPDATE second SET salary = staff.salary FROM staff WHERE staff.id = second.id AND staff.id < 20")
    database, gateway = opened(both)
    with database, gateway:
        with pytest.raises(sdcdb.DatabaseError, match="holds records of"):
            gateway.refresh()
        with pytest.raises(sdcdb.Denied) as refusal:
            gateway.ask("SELECT SUM(salary) FROM second")
    assert refusal.value.rule == "version"


@pytest.mark.parametrize("alike", [0, 1, 4])
def test_records_that_are_alike_by_chance_change_nothing(world: World, alike: int) -> None:
    """Tables that number their people alike and agree in a few values: no verdict tells how many."""
    world.run("CREATE TABLE second AS SELECT id, sex, age, (salary * 31 + id * id + 17) % 90001 AS salary FROM staff")
    world.run(f"UPDATE second SET salary = staff.salary FROM staff WHERE staff.id = second.id AND staff.id < {alike}")
    both = replace(world, more=SECOND)
    assert both.ask(WITH) > 0
    assert replace(both, asked="second").ask("sex = 'F'") > 0


RATED = """\
  rated:
    key: id
    columns: {id: identifier, sex: quasi, stars: {role: confidential, domain: [0, 4], step: 1}}
    restrict: {min_set: 5, groups: deny}
  marked:
    key: id
    columns: {id: identifier, sex: quasi, mark: {role: confidential, domain: [0, 4], step: 1}}
    restrict: {min_set: 5, groups: deny}
"""


def test_short_columns_of_tables_that_number_their_records_alike_are_no_copies(world: World) -> None:
    """The gateway opens on tables about different things; a copy of one of them is still recognised."""
    world.run("CREATE TABLE rated AS SELECT i AS id, 'F' AS sex, hash(i) % 5 AS stars FROM range(400) t(i)")
    world.run("CREATE TABLE marked AS SELECT i AS id, 'F' AS sex, hash(i + 7) % 5 AS mark FROM range(300) t(i)")
    three = replace(world, more=RATED)
    assert three.ask(WITH) > 0
    with duckdb.connect(str(world.path)) as con:
        assert not [each for each in check_as_gateway(con, load_document(three.write())) if "holds" in each.message]
    world.run("UPDATE marked SET mark = stars FROM rated WHERE rated.id = marked.id AND marked.id % 3 > 0")
    database, gateway = opened(three)
    with database, gateway, pytest.raises(sdcdb.DatabaseError, match=r"marked\.mark holds records of rated\.stars"):
        gateway.refresh()


def test_tables_about_the_same_people_with_other_values_are_no_copies(world: World) -> None:
    world.run("CREATE TABLE second AS SELECT id, sex, age, (salary * 31 + id * id + 17) % 90001 AS salary FROM staff")
    both = replace(world, more=SECOND)
    assert both.ask(WITH) > 0
    assert replace(both, asked="second").ask("sex = 'F'") > 0


def files(world: World) -> list[Path]:
    return sorted(world.path.parent.glob("firm.*"))


def test_a_copy_of_the_database_alone_is_not_asked_anew(world: World, tmp_path: Path) -> None:
    assert world.ask(WITH) > 0
    there = replace(world, path=tmp_path / "copy.duckdb")
    shutil.copy(world.path, there.path)
    with pytest.raises(sdcdb.LedgerError, match=r"a ledger of \d records.*copy.ledger.jsonl is not there"):
        there.ask(WITHOUT)
    assert [file.name for file in tmp_path.glob("copy.ledger*")] == []


def test_a_database_that_moves_with_its_ledger_goes_on(world: World, tmp_path: Path) -> None:
    assert world.ask(WITH) > 0
    (tmp_path / "there").mkdir()
    for file in files(world):
        file.rename(tmp_path / "there" / file.name)
    there = replace(world, path=tmp_path / "there" / world.path.name)
    with pytest.raises(sdcdb.Denied):
        there.ask(WITHOUT)
    assert there.ask("sex = 'F'") > 0


def test_a_ledger_and_its_anchor_put_back_together_are_refused(world: World) -> None:
    assert world.ask("sex = 'F'") > 0
    kept = [file for file in files(world) if "ledger" in file.name]
    before = {file: file.read_bytes() for file in kept}
    assert world.ask(WITH) > 0
    for file, content in before.items():
        file.write_bytes(content)
    with pytest.raises(sdcdb.LedgerError, match="is an earlier or changed state of it"):
        world.ask(WITHOUT)
    with (
        sdcdb.open(world.path) as database,
        database.gateway(adopt_ledger="the disk was lost") as gateway,
    ):
        assert gateway.ask("SELECT COUNT(*) FROM staff").rows
    assert "the disk was lost" in world.path.with_name("firm.ledger.jsonl").read_text("utf-8")


def test_a_whole_folder_put_back_is_refused_after_reading_only(world: World) -> None:
    """The command line opens the database read-only, so its own mark stays behind: the one outside does not."""
    assert world.ask("sex = 'F'") > 0
    before = {file: file.read_bytes() for file in files(world)}
    with sdcdb.open(world.path, world.write(), read_only=True) as database, database.gateway() as gateway:
        assert gateway.ask("SELECT SUM(salary) FROM staff WHERE age < 60").rows
    for file, content in before.items():
        file.write_bytes(content)
    with pytest.raises(sdcdb.LedgerError, match="is an earlier or changed state of it"):
        world.ask(WITHOUT)


def test_a_new_ledger_in_the_place_of_the_old_is_refused(world: World) -> None:
    assert world.ask(WITH) > 0
    for file in files(world):
        if "ledger" in file.name:
            file.unlink()
    with pytest.raises(sdcdb.LedgerError, match="is not there"):
        world.ask(WITHOUT)
    world.path.with_name("firm.ledger.jsonl").touch()
    with pytest.raises(sdcdb.LedgerError):
        world.ask(WITHOUT)
