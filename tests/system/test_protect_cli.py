"""`protect`, `show`, `compare`, `release` and their neighbours, as a DBA runs them."""

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support import command

SECRET = "a-secret-that-must-never-be-seen"  # noqa: S105

ACCEPTED = ("--accept-risk", "made-up people")


def run(
    *arguments: str | Path, cwd: Path, code: int = 0, secret: str | None = SECRET
) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "SDCDB_SECRET"}
    environment |= {"SDCDB_SECRET": secret} if secret else {}
    done = command.run(*arguments, cwd=cwd, code=code, environment=environment)
    assert SECRET not in done.stdout + done.stderr
    return done


def run_json(*arguments: str | Path, cwd: Path) -> Any:
    return json.loads(run(*arguments, "--json", cwd=cwd).stdout)


def subkeys(database: Path) -> set[str]:
    """Return the keys that stand in view definitions: they must not stand anywhere else."""
    with duckdb.connect(str(database), read_only=True) as con:
        definitions = con.execute("SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall()
    return {part[:32] for (sql,) in definitions for part in sql.split("sha256(('")[1:]}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("protect")
    run("demo", "here", "--rows", "1500", "-q", cwd=folder)
    run("protect", "staff.duckdb", cwd=folder / "here")
    return folder / "here"


def test_protect_creates_a_view_without_identifiers(demo: Path) -> None:
    with duckdb.connect(str(demo / "staff.duckdb"), read_only=True) as con:
        names = [row[0] for row in con.execute("DESCRIBE staff_public").fetchall()]
        assert names == ["sex", "age", "dept", "education", "salary"]
        assert con.execute("SELECT count(*) FROM staff_public").fetchall() == [(1500,)]


def test_show_explains_the_view(demo: Path) -> None:
    text = run("show", "staff.duckdb", "staff_public", cwd=demo).stdout
    assert "normal noise with standard deviation 24000" in text
    assert "is kept with probability" in text
    assert run_json("show", "staff.duckdb", "staff_public", cwd=demo)["fitted_rows"] == 1500
    assert "did you mean 'staff_public'" in run("show", "staff.duckdb", "staff_publik", cwd=demo, code=2).stderr


def test_a_dry_run_prints_redacted_sql_and_changes_nothing(demo: Path) -> None:
    before = (demo / "staff.duckdb").read_bytes()
    printed = run("protect", "staff.duckdb", "--dry-run", cwd=demo).stdout
    assert "CREATE VIEW" in printed
    assert "<secret>" in printed
    assert not [key for key in subkeys(demo / "staff.duckdb") if key in printed]
    with duckdb.connect(str(demo / "staff.duckdb"), read_only=True) as con:
        assert con.execute("SELECT count(*) FROM staff_public").fetchall() == [(1500,)]
    assert len((demo / "staff.duckdb").read_bytes()) == len(before)


def test_compare_prints_and_writes_a_self_contained_page(demo: Path, tmp_path: Path) -> None:
    found = run_json("compare", "staff.duckdb", "staff_public", cwd=demo)
    assert found["numbers"]["salary"]["share_changed"] > 0.99
    assert found["categories"]["sex"]["share_changed"] == 0
    assert found["entropies"][0]["record"] > found["entropies"][-1]["record"]
    page = tmp_path / "r.html"
    run("compare", "staff.duckdb", "staff_public", "--html", page, cwd=demo)
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") >= 4
    assert text.count("<script") == 1
    assert 'src="http' not in text


@pytest.mark.parametrize("ending", ["parquet", "csv", "duckdb"])
def test_a_release_holds_the_view_and_nothing_secret(demo: Path, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"out.{ending}"
    run("release", "staff.duckdb", "staff_public", "-o", file, *ACCEPTED, cwd=demo)
    manifest = json.loads((tmp_path / f"out.{ending}.manifest.json").read_text(encoding="utf-8"))
    assert manifest["rows"] == 1500
    with duckdb.connect(str(demo / "staff.duckdb"), read_only=True) as con:
        expected = con.execute("FROM staff_public ORDER BY ALL").fetchall()
    source = "staff_public" if ending == "duckdb" else f"'{file}'"
    with duckdb.connect(str(file) if ending == "duckdb" else ":memory:", read_only=ending == "duckdb") as con:
        assert con.execute(f"FROM {source} ORDER BY ALL").fetchall() == expected
    given_away = file.read_bytes() + (tmp_path / f"out.{ending}.manifest.json").read_bytes()
    assert SECRET.encode() not in given_away
    assert not [key for key in subkeys(demo / "staff.duckdb") if key.encode() in given_away]
    assert b"Petrenko" not in given_away  # a family name of the raw table
    assert (
        "already exists"
        in run("release", "staff.duckdb", "staff_public", "-o", file, *ACCEPTED, cwd=demo, code=2).stderr
    )


def test_the_gate_refuses_the_demo_and_says_what_to_change(demo: Path, tmp_path: Path) -> None:
    refused = run("release", "staff.duckdb", "staff_public", "-o", tmp_path / "o.csv", cwd=demo, code=1).stderr
    assert "rows: {method: kanonymity, k: 5}" in refused
    assert list(tmp_path.iterdir()) == []
    shown = run_json("protect", "staff.duckdb", cwd=demo)[0]["release_gate"]
    assert shown["passed"] is False
    run("release", "staff.duckdb", "staff_public", "-o", tmp_path / "o.csv", "--accept-risk", "a test", cwd=demo)
    manifest = json.loads((tmp_path / "o.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["release_gate"]["accepted_risk"] == "a test"


def test_a_key_file_is_created_for_its_owner_only(demo: Path, tmp_path: Path) -> None:
    run("datasets", "staff", "--rows", "300", "-o", "k.duckdb", cwd=tmp_path)
    text = (demo / "staff.policy.yaml").read_text(encoding="utf-8").replace("env:SDCDB_SECRET", "keyfile")
    (tmp_path / "k.policy.yaml").write_text(text, encoding="utf-8")
    run("protect", "k.duckdb", cwd=tmp_path, secret=None)
    assert stat.S_IMODE((tmp_path / "k.key").stat().st_mode) == 0o600
    with duckdb.connect(str(tmp_path / "k.duckdb"), read_only=True) as con:
        first = con.execute("FROM staff_public").fetchall()
    run("protect", "k.duckdb", "--materialise", cwd=tmp_path, secret=None)
    with duckdb.connect(str(tmp_path / "k.duckdb"), read_only=True) as con:
        assert con.execute("FROM staff_public").fetchall() == first
    run("protect", "k.duckdb", "--materialise", cwd=tmp_path, secret=None)
    assert "fits the database" in run("check", "k.duckdb", cwd=tmp_path).stdout
    weak = run("check", "k.duckdb", "--strict", cwd=tmp_path, code=1).stdout
    assert "5 is below 10" in weak
    assert "published as they are: sex, age, education" in weak
    assert "not declared" not in weak  # a materialised view is no stranger


@pytest.mark.parametrize(
    ("replace", "by", "says"),
    [
        ("env:SDCDB_SECRET", "env:NOT_SET", "NOT_SET, which is not set"),
        ("env:SDCDB_SECRET", "file:/no/such/file", "cannot be read"),
        ("{method: vicus, k1: 5, k2: 20}", "{method: pram, matrix: {IT: {IT: 1}}}", "no row for 'Engineering'"),
        ("domain: [10000, 250000]", "domain: [10000, 20000]", "does not cover the data"),
    ],
)
def test_a_failed_fit_leaves_the_database_as_it_was(
    demo: Path, tmp_path: Path, replace: str, by: str, says: str
) -> None:
    run("datasets", "staff", "--rows", "300", "-o", "f.duckdb", cwd=tmp_path)
    text = (demo / "staff.policy.yaml").read_text(encoding="utf-8").replace(replace, by)
    (tmp_path / "f.policy.yaml").write_text(text, encoding="utf-8")
    done = run("protect", "f.duckdb", cwd=tmp_path, code=2)
    assert says in done.stderr
    with duckdb.connect(str(tmp_path / "f.duckdb"), read_only=True) as con:
        assert con.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall() == [
            ("dept_dim",),
            ("staff",),
        ]
        assert con.execute("SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'sdc'").fetchall() == [(0,)]


def test_a_short_secret_is_refused_and_not_repeated(demo: Path) -> None:
    done = run("protect", "staff.duckdb", cwd=demo, code=2, secret="hunter2")  # noqa: S106
    assert "too short" in done.stderr
    assert "hunter2" not in done.stderr


def test_similarity_and_techniques(demo: Path, tmp_path: Path) -> None:
    file = tmp_path / "map.svg"
    assert "dept" in run_json(
        "similarity", "staff.duckdb", "staff", "--columns", "dept,education", "-o", file, cwd=demo
    )
    assert file.read_text(encoding="utf-8").startswith("<svg")
    assert {"vicus", "normal", "sampling"} <= {each["name"] for each in run_json("techniques", cwd=demo)}
    assert "k1" in run("techniques", "vicus", cwd=demo).stdout
    assert "did you mean 'vicus'" in run("techniques", "vicos", cwd=demo, code=2).stderr


def test_the_page_has_every_plot_that_a_dba_decides_by(demo: Path, tmp_path: Path) -> None:
    found = run_json("compare", "staff.duckdb", "staff_public", "--html", tmp_path / "r.html", cwd=demo)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    for title in (
        "Numbers before and after",
        "Categories before and after",
        "Associations before and after",
        "What an intruder after dept is unsure of",
        "What an intruder after salary is unsure of",
        "Risk against utility",
        "Which values are similar, before and after",
    ):
        assert f"<h2>{title}</h2>" in text
    nothing, everything = found["cae"]["salary"]
    assert nothing["known"] == []
    assert everything["known"] == ["sex", "age", "education"]
    assert everything["h0_before"] < everything["h0_after"] <= nothing["h0_after"]
    assert {point["method"] for point in found["sweeps"]["dept"]} == {"vicus", "random"}
    assert [point["parameter"] for point in found["sweeps"]["salary"] if point["chosen"]] == ["sd = 24,000"]


def test_a_release_is_not_in_the_order_of_the_raw_table(demo: Path, tmp_path: Path) -> None:
    run("release", "staff.duckdb", "staff_public", "-o", tmp_path / "o.parquet", *ACCEPTED, cwd=demo)
    with duckdb.connect(str(demo / "staff.duckdb"), read_only=True) as con:
        raw = con.execute("FROM staff_public").fetchall()
        released = con.execute(f"FROM '{tmp_path}/o.parquet'").fetchall()
    assert released != raw
    assert released == sorted(raw)


def test_a_page_that_cannot_be_written_leaves_the_old_one(demo: Path, tmp_path: Path) -> None:
    (tmp_path / "r.html").write_text("old", encoding="utf-8")
    (tmp_path / ".r.html.part").mkdir()  # nothing can be written there
    (tmp_path / ".r.html.part" / "x").touch()
    page = ("--html", tmp_path / "r.html")
    assert "--force" in run("compare", "staff.duckdb", "staff_public", *page, cwd=demo, code=2).stderr
    done = run("compare", "staff.duckdb", "staff_public", *page, "--force", cwd=demo, code=2)
    assert "cannot write" in done.stderr
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == "old"
