"""Comparing techniques: beliefs by hand and by the paper's formulas, laws of noise against the SQL that adds it."""

import doctest
import json
from collections.abc import Iterator
from itertools import combinations, pairwise, product
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.errors import DataError, SdcdbError
from sdcdb.evaluate import beliefs as beliefs_module
from sdcdb.evaluate import likelihood as likelihood_module
from sdcdb.evaluate import settings as settings_module
from sdcdb.evaluate import source
from sdcdb.evaluate.averages import averages
from sdcdb.evaluate.beliefs import Beliefs, after_publication, after_restriction, after_sampling
from sdcdb.evaluate.experiment import Experiment, evaluate, settings_of
from sdcdb.evaluate.likelihood import likelihood, observed
from sdcdb.evaluate.population import Floats, Grid, Ints, Population
from sdcdb.evaluate.publish import Publisher
from sdcdb.evaluate.release import Laboratory, Unit, largest_noise
from sdcdb.evaluate.results import Results
from sdcdb.evaluate.run import run, units
from sdcdb.evaluate.settings import parse
from sdcdb.evaluate.source import Wanted, read
from sdcdb.measures import equivocation
from sdcdb.measures.cae_curve import cae, cae_rows

SALARY = Grid(10, 10, 25)  # the CAE paper's Table 2


def people(n: int = 60, size: int = 5, seed: int = 3) -> Population:
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, 2, n), rng.integers(0, 3, n), rng.integers(0, 9, n)])
    return Population(Grid(0, 10, size), rng.integers(0, size, n), ("sex", "dept", "age"), codes)


def alone(values: list[int], size: int) -> Population:
    return Population(Grid(0, 1, size), np.array(values), (), np.zeros((len(values), 0), dtype=np.int64))


@pytest.mark.parametrize("module", [beliefs_module, likelihood_module, settings_module, source])
def test_the_examples_in_the_docstrings_run(module: object) -> None:
    results = doctest.testmod(module)  # type: ignore[arg-type]  # a module, chosen by the parameter
    assert results.attempted > 0
    assert results.failed == 0


# ---- beliefs: p_i of a class is the mean over its records


def mean(beliefs: Beliefs, records: Ints) -> Floats:
    return np.asarray(beliefs.rows[beliefs.kinds[records]].mean(axis=0))


def test_a_sample_gives_the_papers_formula() -> None:
    positions = np.random.default_rng(1).integers(0, 4, 40)
    beliefs = after_sampling(positions, 4, 10, np.random.default_rng(2))
    chosen = np.flatnonzero(beliefs.kinds < 4)
    assert len(chosen) == 10
    for matching in (np.arange(40), np.arange(5, 12), np.array([chosen[0]])):
        sampled = np.intersect1d(matching, chosen)
        expected = equivocation.after_sampling(positions[sampled], len(matching), range(4))
        assert mean(beliefs, matching) == pytest.approx(expected)


def test_a_sample_of_everything_tells_everything_and_of_nothing_nothing() -> None:
    rng = np.random.default_rng(0)
    assert after_sampling(np.array([2, 0]), 3, 2, rng).kinds.tolist() == [2, 0]
    assert mean(after_sampling(np.array([2, 0]), 3, 0, rng), np.arange(2)) == pytest.approx([1 / 3] * 3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=2, max_size=6), st.sampled_from([2, 4]), st.integers(0, 99))
def test_restriction_leaves_what_trying_all_tables_leaves(values: list[int], size: int, seed: int) -> None:
    if size > len(values):
        return
    positions, n = np.array(values), len(values)
    order = np.random.default_rng(seed).permutation(n)
    tables = np.array(list(product(range(3), repeat=n)))
    for k in range(2 * n // size - 1):
        asked = order[k * size // 2 : k * size // 2 + size]
        tables = tables[tables[:, asked].sum(axis=1) == positions[asked].sum()]
    beliefs = after_restriction(positions, 3, size, np.random.default_rng(seed))
    expected = equivocation.after_restriction(tables.min(axis=0), tables.max(axis=0), range(3))
    assert mean(beliefs, np.arange(n)) == pytest.approx(expected)


def test_noise_is_turned_round_by_bayes() -> None:
    given_law = np.array([[0.75, 0.25], [0.25, 0.75]])
    beliefs = after_publication(np.array([0, 1, 1]), given_law, np.array([0.5, 0.5]))
    assert mean(beliefs, np.array([0])) == pytest.approx([0.75, 0.25])
    expected = equivocation.after_noise([0, 1, 1], given_law, prior=[1, 3])
    weighed = after_publication(np.array([0, 1, 1]), given_law, np.array([0.25, 0.75]))
    assert mean(weighed, np.arange(3)) == pytest.approx(expected)


def test_the_papers_noise_by_hand() -> None:
    """Three values, M = 2: value i is published as i, i + 1 or i + 2 with 1/4, 1/2, 1/4 (columns count from -1)."""
    laboratory = Laboratory(alone([0, 0, 1, 1] * 20, 3))
    (noise,) = parse("noise:100%")
    assert largest_noise(noise, 3) == 2
    beliefs, utility = laboratory.release(Unit(noise, 0, 0))
    assert utility == 1.0
    rows = {tuple(np.round(row * 7, 6)) for row in beliefs.rows}
    # Of column 1, say: 1/2 from value 0 and 1/4 from value 1, so 2/3 and 1/3.
    assert rows <= {
        (7, 0, 0),
        (round(14 / 3, 6), round(7 / 3, 6), 0),
        (1.75, 3.5, 1.75),
        (0, round(7 / 3, 6), round(14 / 3, 6)),
    }
    assert len(rows) >= 3


# ---- averages


def test_averages_are_those_of_plain_loops() -> None:
    population = people()
    beliefs = after_sampling(population.positions, 5, 30, np.random.default_rng(5))
    found = averages(population, beliefs)
    for average in found:
        by_combination, by_record, classes = [], [], 0
        for some in combinations(range(3), average.known):
            groups: dict[tuple[int, ...], list[int]] = {}
            for record in range(60):
                groups.setdefault(tuple(population.codes[record, list(some)]), []).append(record)
            measured = [cae(population.grid.points, mean(beliefs, np.array(each))) for each in groups.values()]
            sizes = [len(each) for each in groups.values()]
            by_combination.append([np.mean([m.h0 for m in measured]), np.mean([m.area for m in measured])])
            by_record.append(
                [
                    np.average([m.h0 for m in measured], weights=sizes),
                    np.average([m.area for m in measured], weights=sizes),
                ]
            )
            classes += len(groups)
        assert (average.combinations, average.classes) == (len(by_combination), classes)
        assert (average.h0, average.area) == pytest.approx(np.mean(by_combination, axis=0))
        assert (average.h0_record, average.area_record) == pytest.approx(np.mean(by_record, axis=0))


def test_large_tables_are_measured_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    population = people(400)
    beliefs = after_sampling(population.positions, 5, 200, np.random.default_rng(5))
    whole = averages(population, beliefs)
    monkeypatch.setattr("sdcdb.evaluate.averages.ROOM", 100)
    for one, other in zip(whole, averages(population, beliefs), strict=True):
        assert (one.h0, one.area) == pytest.approx((other.h0, other.area))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(["sampling:30%", "restriction:4", "noise:100%"]))
def test_counted_by_record_privacy_never_rises_with_knowledge(seed: int, text: str) -> None:
    """H(eps) is a least value of concave functions, so a class is never less safe than its parts on average."""
    laboratory = Laboratory(people(40, 4, seed))
    found = laboratory.run(Unit(parse(text)[0], 0, seed)).averages
    for less, more in pairwise(found):
        assert more.h0_record <= less.h0_record + 1e-9
        assert more.area_record <= less.area_record + 1e-9


def test_many_distributions_at_once_are_the_same_as_each_by_itself() -> None:
    rows = np.random.default_rng(4).dirichlet(np.full(25, 0.2), 50)
    rows[0] = np.eye(25)[7]
    h0, area = cae_rows(SALARY.points, rows)
    expected = [cae(SALARY.points, row) for row in rows]
    assert h0 == pytest.approx([each.h0 for each in expected])
    assert area == pytest.approx([each.area for each in expected])


def test_rows_that_are_no_distributions_are_refused() -> None:
    with pytest.raises(DataError, match="sum to 1"):
        cae_rows([1, 2], [[0.5, 0.6]])
    with pytest.raises(DataError, match="ascending"):
        cae_rows([2, 1], [[0.5, 0.5]])


# ---- laws of the product's techniques

LAWS = [
    "normal:sd=10%",
    "normal:30%+boundary=clip",
    "normal:60%+boundary=reflect",
    "uniform:width=20%",
    "binomial:noise=25%",
    "multiplicative:sd=20%",
    "multiplicative:0.5+form=log+boundary=wrap",
    "rounding:base=30",
    "rounding:40+random=true",
    "coding:top=200+bottom=50+replace=mean",
    "correlated:50%",
    "correlated:50%+restore=true",
    "suppression:share=10%",
]


@pytest.fixture(scope="module")
def each_salary() -> Population:
    """1,000 records of each of the 25 salaries."""
    positions = np.repeat(np.arange(25), 1_000)
    return Population(SALARY, positions, (), np.zeros((len(positions), 0), dtype=np.int64))


@pytest.fixture(scope="module")
def publisher(each_salary: Population) -> Iterator[Publisher]:
    publisher = Publisher(each_salary)
    yield publisher
    publisher.close()


@pytest.mark.parametrize("text", LAWS)
def test_the_law_of_a_technique_is_what_its_sql_does(text: str, publisher: Publisher, each_salary: Population) -> None:
    made = publisher.publish(parse(text)[0], b"a fixed secret for this test")
    law = likelihood(made.fitted, SALARY)
    assert law is not None
    assert law.sum(axis=1) == pytest.approx(np.ones(25))
    counted = observed(each_salary.positions, made.published, 25)
    assert counted[law < 1e-15].sum() == 0
    deviation = np.abs(counted - law) / np.sqrt(np.maximum(law * (1 - law), 1e-3) / 1_000)
    assert deviation.max() < 5.5


def law_of(text: str, values: list[int], size: int) -> Floats:
    """Fit a technique to whole numbers 0 to size - 1, and return its law."""
    publisher = Publisher(alone(values, size))
    law = likelihood(publisher.publish(parse(text)[0], b"a fixed secret for this test").fitted, Grid(0, 1, size))
    publisher.close()
    assert law is not None
    return law


def test_uniform_noise_by_hand() -> None:
    """RNAT on three values: -2 to 2 with 1/5 each, wrapped: kept with 1/5, each other value with 2/5."""
    assert law_of("uniform:100%", [0, 1, 2], 3)[:, :3] == pytest.approx(np.array([[1, 2, 2], [2, 1, 2], [2, 2, 1]]) / 5)


def test_binomial_noise_by_hand() -> None:
    """M = 2 on three values: -1, 0, 1 with 1/4, 1/2, 1/4, stopped at the ends."""
    expected = [[0.75, 0.25, 0], [0.25, 0.5, 0.25], [0, 0.25, 0.75]]
    assert law_of("binomial:100%+boundary=clip", [0, 1, 2], 3)[:, :3] == pytest.approx(np.array(expected))


def test_normal_noise_by_hand() -> None:
    """sd 1, stopped at the ends of 0, 1: another value when |z| > 1/2 in its direction."""
    beyond = 0.3085375387259869
    assert law_of("normal:sd=1+boundary=clip", [0, 1], 2)[:, :2] == pytest.approx(
        np.array([[1 - beyond, beyond], [beyond, 1 - beyond]])
    )


def test_multiplicative_noise_by_hand() -> None:
    """0 stays 0. 10 with a deviation of 1 becomes 9, 10, 11, ... by the normal law; 11 and more stop at 10."""
    law = law_of("multiplicative:sd=0.1", [0, 10], 11)
    assert law[0, 0] == 1
    assert law[10, 10] == pytest.approx(0.6914624612740131)
    assert law[10, 9] == pytest.approx(0.24173033745712885)


def test_rounding_by_hand() -> None:
    assert law_of("rounding:3", [0, 1, 2, 3], 4)[:, :4].argmax(axis=1).tolist() == [0, 0, 3, 3]
    at_random = law_of("rounding:3+random=true", [0, 1, 2, 3], 4)[:, :4]
    assert at_random == pytest.approx(np.array([[3, 0, 0, 0], [2, 0, 0, 1], [1, 0, 0, 2], [0, 0, 0, 3]]) / 3)


def test_coding_by_hand() -> None:
    assert law_of("coding:top=2+bottom=1", [0, 1, 2, 3], 4)[:, :4].argmax(axis=1).tolist() == [1, 1, 2, 2]


def test_suppressed_values_leave_the_prior() -> None:
    beliefs, _ = Laboratory(alone([0, 1] * 30, 2)).release(Unit(parse("suppression:50%")[0], 0, 1))
    assert sorted(map(tuple, np.round(beliefs.rows, 9).tolist())) == [(0, 1), (0.5, 0.5), (1, 0)]


def test_a_group_mean_may_be_any_of_the_groups_values() -> None:
    beliefs, _ = Laboratory(alone([0, 1, 2, 8, 9, 10], 11)).release(Unit(parse("microaggregation:3")[0], 0, 1))
    assert beliefs.rows[beliefs.kinds[0]].tolist() == pytest.approx([1 / 3] * 3 + [0] * 8)
    assert beliefs.rows[beliefs.kinds[5]].tolist() == pytest.approx([0] * 8 + [1 / 3] * 3)


@pytest.mark.parametrize(
    "text",
    [
        "swapping:50%",
        "swapping:share=100%+within=sex|dept",
        "microaggregation:4",
        "noise:50%",
        "gadp",
        "linnapt:20%+class=dept",
        "framework:20%+class=dept",
    ],
)
def test_every_belief_of_a_release_allows_the_true_value(text: str) -> None:
    population = people()
    beliefs, _ = Laboratory(population).release(Unit(parse(text)[0], 2, 7))
    assert (beliefs.rows[beliefs.kinds, population.positions] > 0).all()
    assert beliefs.rows.sum(axis=1) == pytest.approx(np.ones(len(beliefs.rows)))


def test_an_empirical_prior_knows_the_shares() -> None:
    laboratory = Laboratory(alone([0] * 30 + [1] * 10, 2), "empirical")
    beliefs, _ = laboratory.release(Unit(parse("suppression:100%")[0], 0, 1))
    assert beliefs.rows.tolist() == [[0.75, 0.25]]


# ---- settings


def test_settings_are_read_as_they_are_written() -> None:
    assert [
        each.text
        for each in settings_of(["sampling:5%,50%", "restriction:2", "noise:20%", "normal:10%", "sampling:5%"])
    ] == [
        "sampling:5%",
        "sampling:50%",
        "restriction:2",
        "noise:20%",
        "normal:sd=10%",
    ]
    assert parse("swapping:5%+within=sex|dept")[0].text == "swapping:range=5%+within=sex|dept"
    assert parse("gadp")[0].text == "gadp:default"
    assert parse("linnapt:20%+class=dept")[0].parameters == (("sd", "20%"), ("class", "dept"))
    assert parse("rounding:base=5+random=true")[0].parameters == (("base", 5), ("random", True))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sampling", "has no amount"),
        ("sampling:150%", "up to 100%"),
        ("sampling:5", "share above 0%"),
        ("noise:x%", "share above 0%"),
        ("restriction:3", "even query set sizes"),
        ("vicus:1", "is for categories"),
        ("nromal:1", "did you mean 'normal'"),
        ("normal", "has no amount"),
        ("normal:wide=3", "normal:wide=3"),
        ("random_extended_framework:2", "has several parameters"),
        ("linnapt:10%", "class"),
        ("normal:-1", "normal:-1: sd"),
        ("microaggregation:1", "microaggregation:1: k"),
    ],
)
def test_settings_that_make_no_sense_are_refused(text: str, says: str) -> None:
    with pytest.raises(SdcdbError, match=says):
        parse(text)


def test_settings_that_do_not_fit_the_table_are_refused() -> None:
    laboratory = Laboratory(alone([0, 1, 1], 2))
    for text, says in (("restriction:4", "among 3 records"), ("rounding:0.5", "rounding:base=0.5: rounding")):
        with pytest.raises(SdcdbError, match=says):
            laboratory.run(Unit(parse(text)[0], 0, 0))
    with pytest.raises(DataError, match="rounds to no noise"):
        Laboratory(alone([0] * 30, 20)).run(Unit(parse("noise:1%")[0], 0, 0))


# ---- running and going on


def experiment(runs: int = 2, seed: int = 1) -> Experiment:
    return Experiment("staff", "salary", people(), settings_of(["sampling:20%", "restriction:4"]), runs, seed)


def test_utility_is_the_papers() -> None:
    lines = evaluate(experiment())
    assert [(line.technique, line.utility, line.runs) for line in lines] == [
        ("sampling", 0.2, 2),
        ("restriction", 0.25, 2),
    ]
    assert [point.known for point in lines[0].points] == [0, 1, 2, 3]


def test_more_noise_is_less_utility_and_more_privacy() -> None:
    settings_given = settings_of(["normal:5%,20%,80%"])
    lines = evaluate(Experiment("staff", "salary", people(300, 25), settings_given, 2))
    utilities = [line.utility or 0 for line in lines]
    assert utilities == sorted(utilities, reverse=True)
    h0 = [line.points[-1].h0 for line in lines]
    assert h0 == sorted(h0)


def test_the_same_seed_gives_the_same_and_another_gives_another() -> None:
    assert evaluate(experiment()) == evaluate(experiment())
    assert evaluate(experiment()) != evaluate(experiment(seed=2))


def test_finished_runs_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "runs.jsonl"
    first = evaluate(experiment(), file)
    assert [json.loads(line)["seeds"][0] for line in file.read_text().splitlines()[1:]] == [1] * 4
    monkeypatch.setattr(Laboratory, "run", lambda *_: pytest.fail("it ran again"))
    assert evaluate(experiment(), file) == first


def test_a_line_that_was_cut_short_is_run_again(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    first = evaluate(experiment(), file)
    file.write_bytes(file.read_bytes()[:-40])
    assert evaluate(experiment(), file) == first
    assert len(file.read_text().splitlines()) == 5


def test_more_runs_and_settings_go_on_with_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    evaluate(experiment(runs=1), file)
    assert evaluate(experiment(runs=3), file) == evaluate(experiment(runs=3))


def test_results_of_another_experiment_are_not_mixed_in(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    evaluate(experiment(), file)
    with pytest.raises(SdcdbError, match="its seed is 1, not 2"):
        evaluate(experiment(seed=2), file)


@pytest.mark.parametrize("text", ["hello\n", "{}\n", "[1]\n"])
def test_a_file_that_holds_something_else_is_left_alone(text: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text)
    with pytest.raises(SdcdbError, match=r"notes\.txt:1 is not a result"):
        evaluate(experiment(), file)
    assert file.read_text() == text


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SdcdbError, match="cannot write results"):
        evaluate(experiment(), tmp_path / "no" / "runs.jsonl")


def test_an_interrupted_run_keeps_what_was_finished(tmp_path: Path) -> None:
    file, given_up = tmp_path / "runs.jsonl", experiment(runs=3)

    def stop(done: int, _total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with Results(file, given_up.describe()) as results, pytest.raises(KeyboardInterrupt):
        run(Laboratory(given_up.population), units(given_up.settings, 3, 1), results, progress=stop)
    assert len(file.read_text().splitlines()) == 5
    assert evaluate(given_up, file) == evaluate(given_up)


# ---- reading a table


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    con = duckdb.connect()
    con.execute(
        "CREATE TABLE t AS SELECT i AS id, 4_000 + 1_000 * (i % 97) AS pay, i % 2 AS sex, "
        "CASE WHEN i % 3 > 0 THEN 'd' || i % 3 END AS dept, 0.5 * (i % 4) AS score FROM range(500) r(i)"
    )
    yield con
    con.close()


def test_a_table_is_rounded_to_a_grid_of_few_values(con: duckdb.DuckDBPyConnection) -> None:
    population, notes = read(con, Wanted("t", "PAY"))
    assert population.names == ("sex", "dept", "score")
    assert (population.grid.low, population.grid.step, population.grid.size) == (4000, 2000, 49)
    assert population.positions[:4].tolist() == [0, 1, 1, 2]  # 4000, 5000, 6000, 7000; halves go up
    assert any("steps of 2000" in note for note in notes)


def test_null_is_a_value_that_may_be_known(con: duckdb.DuckDBPyConnection) -> None:
    population, _ = read(con, Wanted("t", "pay", ("dept",)))
    assert len(set(population.codes[:, 0].tolist())) == 3


def test_records_without_the_value_are_left_out(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("UPDATE t SET pay = NULL WHERE id < 100")
    population, notes = read(con, Wanted("t", "pay"))
    assert len(population.positions) == 400
    assert any("100 records without a value" in note for note in notes)


def test_large_tables_are_sampled_by_the_seed(con: duckdb.DuckDBPyConnection) -> None:
    one, two, other = (read(con, Wanted("t", "pay", records=50, seed=seed))[0] for seed in (1, 1, 2))
    assert len(one.positions) == 50
    assert one.positions.tolist() == two.positions.tolist() != other.positions.tolist()


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (Wanted("t", "pey"), "did you mean 'pay'"),
        (Wanted("t", "dept"), "CAE needs numbers"),
        (Wanted("t", "pay", ("pay",)), "both confidential and known"),
        (Wanted("t", "pay", domain=(0, 50_000), step=1000), "outside"),
        (Wanted("t", "pay", step=1), "larger --step"),
        (Wanted("t", "pay", step=-1), "above 0"),
        (Wanted("t", "pay", domain=(5, 1)), "is empty"),
    ],
)
def test_tables_that_cannot_be_evaluated_are_refused(con: duckdb.DuckDBPyConnection, wanted: Wanted, says: str) -> None:
    with pytest.raises(DataError, match=says):
        read(con, wanted)


def test_too_many_known_columns_are_refused(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"CREATE TABLE wide AS SELECT 1 AS pay, {', '.join(f'0 AS c{n}' for n in range(13))} FROM range(3)")
    with pytest.raises(DataError, match="--known"):
        read(con, Wanted("wide", "pay"))


def test_known_columns_may_have_any_name() -> None:
    population = people()
    odd = Population(population.grid, population.positions, ("#value", 'a "b"', "##id"), population.codes)
    plain, renamed = (Laboratory(each).run(Unit(parse("normal:10%")[0], 0, 0)) for each in (population, odd))
    assert len(plain.averages) == len(renamed.averages) == 4
