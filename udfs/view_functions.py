"""What a protected view tells, from SQL: its transition matrices, what they let an analyst and an intruder infer."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.errors import DataError
from sdcdb.udfs.published import MATRIX, ORIGINAL, Published, published
from sdcdb.udfs.rows import fields, select_rows
from sdcdb.udfs.table_function import REQUIRED, Call, Parameter, TableFunction

if TYPE_CHECKING:
    from sdcdb.measures.reidentification import AverageEntropies

VIEW = Parameter("view", "a protected view, as sdc_create_view and sdcdb protect make them", REQUIRED)
COLUMN = Parameter("column", "one of its categories", REQUIRED)
PRIOR = Parameter("prior", "'uniform', or 'empirical': an intruder who knows how common each value is", "uniform")
MOST_VALUES = 200  # columns with more values are left out of entropies


def _counted(call: Call, known: Published, source: str, column: str) -> list[int]:
    """Count the values of a matrix in a table. Only a plan explains a value that its matrix does not have."""
    matrix, name = known.matrix(column), quoted(identifier(column))
    rows = call.cursor.execute(
        f"SELECT CAST({name} AS VARCHAR), count(*) FROM {source} WHERE {name} IS NOT NULL GROUP BY ALL"
    ).fetchall()
    found = dict(rows)
    if not known.planned and (strange := sorted(set(found) - set(matrix.values))):
        raise DataError(f"{strange[0]!r} of {column!r} is not in the matrix")
    return [int(found.get(value, 0)) for value in matrix.values]


def _column(call: Call) -> str:
    return call.relations["view"].own(call["column"])


def _transition_matrix(call: Call) -> str:
    matrix = published(call).matrix(_column(call))
    rows = [
        (before, after, float(matrix.matrix[i, j]))
        for i, before in enumerate(matrix.values)
        for j, after in enumerate(matrix.values)
    ]
    return select_rows(fields("original VARCHAR, published VARCHAR, probability DOUBLE"), rows)


def _posterior(call: Call) -> str:
    known, column = published(call), _column(call)
    matrix = known.matrix(column)
    prior = _counted(call, known, known.before(), column) if _empirical(call) else None
    if prior is not None and not sum(prior):
        raise DataError(f"the table of {known.name!r} has no records: the empirical prior needs some")
    found = matrix.posterior(prior)
    rows = [
        (after, before, None if np.isnan(found[j, i]) else float(found[j, i]))
        for j, after in enumerate(matrix.values)
        for i, before in enumerate(matrix.values)
    ]
    return select_rows(fields("published VARCHAR, original VARCHAR, probability DOUBLE"), rows)


def _empirical(call: Call) -> bool:
    if call["prior"] not in ("uniform", "empirical"):
        raise DataError(f"prior must be 'uniform' or 'empirical', not {call['prior']!r}")
    return bool(call["prior"] == "empirical")


def _estimate(call: Call) -> str:
    known, column = published(call), _column(call)
    matrix, observed = known.matrix(column), _counted(call, known, known.rows, column)
    estimates, errors = matrix.estimate(observed), matrix.standard_errors(observed)
    rows = zip(matrix.values, observed, estimates.tolist(), errors.tolist(), strict=True)
    return select_rows(fields("value VARCHAR, observed BIGINT, estimate DOUBLE, standard_error DOUBLE"), rows)


def _profile(call: Call) -> "Iterator[AverageEntropies]":
    """Yield the entropies of an intruder who knows some columns of a record (VICUS 2012, Algorithm 2)."""
    from sdcdb.measures.reidentification import Draw, PerturbedTable, average_entropies, entropy_profile

    known = published(call)
    secret = call.relations["view"].own(call["confidential"])
    chosen = call.names("columns")
    few = [name for name in known.columns if name == secret or chosen is None or name in chosen]
    values = {name: _values(call, known, name) for name in few}
    usable = [name for name in few if values[name] and len(values[name]) <= MOST_VALUES]
    if secret not in usable or len(usable) < 2:
        raise DataError(
            f"entropies need the categories of {known.name!r}: {secret!r} and at least one other, each with at most "
            f"{MOST_VALUES} values and no lists"
        )
    observed, original = (_codes(call, source, usable, values) for source in (known.rows, known.before()))
    if not len(observed) or not len(original):
        raise DataError(f"no record of {known.name!r} has all of {', '.join(usable)}: nothing to measure")
    position = usable.index(secret)
    counts = np.bincount(original[:, position], minlength=len(values[secret])) if _empirical(call) else None
    table = PerturbedTable.of(observed, [known.square(name, values[name]) for name in usable], position, counts)
    draw = Draw(call.whole("combinations"), min(call.whole("targets"), len(original)), call.whole("seed"))
    if call["known"] is None:
        yield from entropy_profile(table, original, draw)
    else:
        yield average_entropies(table, original, call.whole("known"), draw)


def _values(call: Call, known: Published, column: str) -> tuple[str, ...]:
    """Return the values of a column, before and after, as texts; none where there are too many, or lists."""
    name = quoted(identifier(column))
    sides = " UNION ".join(
        f"SELECT CAST({name} AS VARCHAR) AS v, typeof({name}) AS t FROM {source} WHERE {name} IS NOT NULL"
        for source in (known.before(), known.rows)
    )
    rows = call.cursor.execute(f"SELECT DISTINCT v, t FROM ({sides}) ORDER BY v LIMIT {2 * MOST_VALUES + 2}").fetchall()
    if any(kind.endswith("]") for _, kind in rows):
        return ()
    return tuple(dict.fromkeys(value for value, _ in rows))


def _codes(call: Call, source: str, columns: list[str], values: dict[str, tuple[str, ...]]) -> Any:
    listed = ", ".join(f"CAST({quoted(identifier(name))} AS VARCHAR)" for name in columns)
    rows = call.cursor.execute(f"SELECT {listed} FROM {source}").fetchall()
    place = [{value: n for n, value in enumerate(values[name])} for name in columns]
    whole = [row for row in rows if all(value is not None for value in row)]
    codes = [[own[value] for own, value in zip(place, row, strict=True)] for row in whole]
    return np.array(codes, np.int64).reshape(len(codes), len(columns))


def _record_entropy(call: Call) -> str:
    rows = [
        (each.known, len(each.combinations), each.targets, each.record, each.least_record) for each in _profile(call)
    ]
    return select_rows(fields(_ENTROPIES), rows)


def _confidential_entropy(call: Call) -> str:
    rows = [
        (each.known, len(each.combinations), each.targets, each.confidential, each.least_confidential, each.prior)
        for each in _profile(call)
    ]
    return select_rows(fields(f"{_ENTROPIES}, prior VARCHAR"), rows)


_ENTROPIES = "known BIGINT, combinations BIGINT, targets BIGINT, mean DOUBLE, least DOUBLE"


def _compare(call: Call) -> str:
    from sdcdb.assess.compare import compare
    from sdcdb.udfs.persisting import governed

    call.reading("view")
    found = compare(governed(call), call.relations["view"].name, call["confidential"], call.whole("seed"))
    rows: list[tuple[Any, ...]] = []
    for name, number in found.numbers.items():
        rows += [(name, measure, value) for measure, value in asdict(number).items()]
    for name, category in found.categories.items():
        rows += [
            (name, measure, getattr(category, measure)) for measure in ("records", "share_changed", "total_variation")
        ]
    for pair in found.associations:
        both = f"{found.categorical[pair.first]}, {found.categorical[pair.second]}"
        rows += [(both, f"chi_square_{when}", getattr(pair.change, when).chi_square) for when in ("before", "after")]
        rows.append((both, "cramers_v_difference", pair.change.v_difference))
    for each in found.entropies:
        rows += [
            (found.confidential, f"record_entropy_{each.known}_known", each.record),
            (found.confidential, f"confidential_entropy_{each.known}_known", each.confidential),
        ]
    return select_rows(fields("column VARCHAR, measure VARCHAR, value DOUBLE"), rows)


_WHO = (
    VIEW,
    Parameter("confidential", "the column that an intruder wants to learn", REQUIRED),
    Parameter("known", "how many other columns the intruder knows; left out: one, two, three and all in turn"),
    Parameter("columns", "the columns that the intruder may know, such as ['town']; left out, all of the view"),
    Parameter("prior", PRIOR.says, "empirical"),
    Parameter("combinations", "the most combinations of known columns that are tried", 10),
    Parameter("targets", "the most records that are taken as targets", 500),
    Parameter("seed", "the seed of both draws", 0),
    MATRIX,
    ORIGINAL,
)
VIEW_FUNCTIONS = (
    TableFunction(
        "sdc_transition_matrix",
        "Show the probability with which each value of a category is published as each other.",
        (VIEW, COLUMN),
        _transition_matrix,
        "FROM sdc_transition_matrix('staff_public', 'dept')",
        ("view",),
    ),
    TableFunction(
        "sdc_posterior",
        "Show what a published value says about the original, by Bayes.",
        (VIEW, COLUMN, PRIOR, MATRIX, ORIGINAL),
        _posterior,
        "FROM sdc_posterior('staff_public', 'dept')",
        ("view", "matrix", "original"),
    ),
    TableFunction(
        "sdc_estimate",
        "Estimate the original counts of a category from the view, without bias, with standard errors.",
        (VIEW, COLUMN, MATRIX),
        _estimate,
        "FROM sdc_estimate('staff_public', 'dept')",
        ("view", "matrix"),
    ),
    TableFunction(
        "sdc_record_entropy",
        "Measure how unsure an intruder is which record is the target's, in bits (VICUS 3.2).",
        _WHO,
        _record_entropy,
        "FROM sdc_record_entropy('staff_public', 'dept')",
        ("view", "matrix", "original"),
    ),
    TableFunction(
        "sdc_confidential_entropy",
        "Measure how unsure an intruder is of the target's confidential value, in bits (VICUS, Algorithm 2).",
        _WHO,
        _confidential_entropy,
        "FROM sdc_confidential_entropy('staff_public', 'dept')",
        ("view", "matrix", "original"),
    ),
    TableFunction(
        "sdc_compare",
        "Compare a view of the policy with its table: what is still useful, and what an intruder can still learn.",
        (
            VIEW,
            Parameter("confidential", "the category that an intruder wants to learn"),
            Parameter("policy", "the policy file; left out, the one beside the database"),
            Parameter("seed", "the seed of samples", 0),
        ),
        _compare,
        "FROM sdc_compare('staff_public')",
        ("view",),
    ),
)
