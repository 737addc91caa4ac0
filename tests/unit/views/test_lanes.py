"""The bits of a view's draws: disjoint whatever the columns, uniform, and independent of each other."""

from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

import sdcdb
from sdcdb.engines.expressions import LEAD, NARROW_PAIR, PAIR, WORD, Bits, Row
from sdcdb.policy.models import Policy
from sdcdb.techniques.technique import Draws
from sdcdb.views import catalogue, packing
from sdcdb.views.protect import protect

ROWS, VALUES = 60_000, 16


def given_bits(con: duckdb.DuckDBPyConnection, table: str, kinds: list[list[Draws]]) -> dict[str, Bits]:
    """Give bits to the columns of several views of one table, one view after the other."""
    found: dict[str, Bits] = {}
    for view, each in enumerate(kinds):
        asked = {f"{view} {n}": draws for n, draws in enumerate(each)}
        lanes = catalogue.lanes(con, table, asked)
        assert catalogue.lanes(con, table, asked) == lanes  # fitting again gives the same bits
        found |= {place: bits for place, bits in lanes.items() if isinstance(bits, Bits)}
    return found


def test_bits_are_disjoint_for_one_to_sixty_columns_of_every_kind() -> None:
    rng, every = np.random.default_rng(16), list(Draws)
    con = duckdb.connect()
    catalogue.prepare(con)
    con.begin()
    for columns in range(1, 61):
        kinds = [every[n] for n in rng.integers(len(every), size=columns)]
        cut = int(rng.integers(columns + 1))
        given = given_bits(con, f"t{columns}", [kinds[:cut], kinds[cut:]])
        assert len(given) == columns == len(set(given.values()))
        for bits, draws in zip(given.values(), kinds, strict=True):
            narrow = {Draws.RANK: LEAD, Draws.COARSE_NORMAL: NARROW_PAIR}.get(draws)
            assert bits.width in (packing.WIDTHS[draws], narrow)
            assert bits.first // WORD == (bits.first + bits.width - 1) // WORD
        pairs = {
            bits.first: [each.half for each in given.values() if each.first == bits.first] for bits in given.values()
        }
        assert all(sorted(halves) in ([0], [0, 1]) for halves in pairs.values())
        assert all(bits.width in (PAIR, NARROW_PAIR) for bits in given.values() if bits.half)
        taken = [bit for bits in given.values() if not bits.half for bit in range(bits.first, bits.first + bits.width)]
        assert len(taken) == len(set(taken))


def test_draws_are_uniform_and_independent_pair_by_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve columns whose published value does not depend on the original; chi-square over all 66 pairs.

    At least one p-value below 1e-6 among 78 has a chance of 8e-5, and the secret is fixed.
    """
    words, numbers = [f"c{n}" for n in range(6)], [f"n{n}" for n in range(6)]
    roles = {"id": "identifier"} | dict.fromkeys(words, "quasi")
    numeric = {name: {"role": "confidential", "domain": [0, 1000], "step": 1} for name in numbers}
    methods: dict[str, dict[str, object]] = {name: {"method": "warner", "p": 1 / VALUES} for name in words}
    methods |= {name: {"method": "normal", "sd": 50} for name in numbers}
    view = {"secret": "env:PLACE", "columns": methods}
    table = {"key": "id", "columns": roles | numeric, "protect": {"v": view}}
    policy = Policy.model_validate({"version": 1, "tables": {"t": table}})
    monkeypatch.setenv("PLACE", "a fixed secret for sixty thousand records")
    with sdcdb.open(tmp_path / "lanes.duckdb", policy, create=True) as database:
        shown = [f"'v' || lpad((i % {VALUES})::VARCHAR, 2, '0') AS {name}" for name in words]
        shown += [f"500 AS {name}" for name in numbers]
        database.con.execute(f"CREATE TABLE t AS SELECT i AS id, {', '.join(shown)} FROM range({ROWS}) r(i)")
        protect(database)
        found = database.con.execute(f"SELECT {', '.join(words + numbers)} FROM v").fetchnumpy()
    codes = {name: np.unique(np.asarray(found[name], str), return_inverse=True)[1] for name in words}
    ends = np.quantile(500 + 50 * np.random.default_rng(1).standard_normal(200_000), np.arange(1, 8) / 8).round() + 0.5
    codes |= {name: np.searchsorted(ends, np.asarray(found[name], float)) for name in numbers}
    for name in words:
        assert chisquare(np.bincount(codes[name], minlength=VALUES)).pvalue > 1e-6
    for one, other in combinations(codes, 2):
        crossed = np.zeros((VALUES, VALUES))
        np.add.at(crossed, (codes[one], codes[other]), 1)
        filled = crossed[crossed.any(axis=1)][:, crossed.any(axis=0)]
        assert chi2_contingency(filled).pvalue > 1e-6, (one, other)


def test_names_with_colons_draw_apart() -> None:
    """What is hashed is the column, its block and the key: no other column, block and key spell the same text."""
    named = {
        f"{column}:{block}:{key}"
        for column, block in (str(Row({}, "an").draw(name, 2).expressions[0].this).rsplit(":", 1)
                              for name in ("a", "a:0", "a::0", "a:0:0"))
        for key in ("1", "0:1", "0:0:1", ":0:1")
    }  # fmt: skip
    assert len(named) == 4 * 4


@pytest.mark.parametrize("place", ["secret", "seed"])
def test_neither_the_secret_nor_the_seed_is_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    told = "correct horse battery staple"
    monkeypatch.setenv("PLACE", told)
    path = tmp_path / "public.duckdb"
    with sdcdb.register(duckdb.connect(str(path))) as con:
        con.execute("CREATE TABLE t AS SELECT i AS id, i % 50 AS n FROM range(300) r(i)")
        option = "'secret': 'env:PLACE'" if place == "secret" else f"'seed': '{told}'"
        asked = f"{{'columns': ['n'], 'sd': 5, 'domain': [0, 50], 'key': 'id', {option}}}"
        con.execute(f"SELECT sdc_create_view('v', 'normal', 't', {asked})").fetchall()
        ((text,),) = con.execute("SELECT sql FROM duckdb_views() WHERE view_name = 'v'").fetchall()
        assert told not in text
        con.execute("CHECKPOINT")
    assert told.encode() not in path.read_bytes()
