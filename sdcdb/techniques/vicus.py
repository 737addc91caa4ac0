"""VICUS: noise for categories that prefers similar values (2012)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from sdcdb.techniques.families.categories import CategoryShape, FittedTransition, category_shape, fitted_rows
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Params, Source, Technique, one_draw

if TYPE_CHECKING:
    from sdcdb.similarity.similarity import Graph, Similarity

FEW = 60  # a column with more values than this says little about which values are similar, and costs much
TWO = 2  # values: one subset, as alone each would be kept nearly always; more have at least two subsets fewer


class Partitioned(Params):
    """The parameters that VICUS and its comparison, Random, share."""

    k1: float = Field(gt=0)
    """How many times more likely a value is kept than changed to a given other value of its subset (eq. 8)."""
    k2: float = Field(gt=0)
    """How many times more likely it is changed to a given value of its subset than to one outside (eq. 8)."""
    graph: Literal["simple", "multi"] = "multi"
    """`multi` counts co-occurrences, as in the paper's experiments; `simple` only records that they occur."""
    threshold: float = Field(default=0.75, ge=0, le=1)
    """T: values of other columns that are more similar than this count as the same in S''."""
    c1: float = Field(default=0.6, ge=0, le=1)
    """The weight of S' in the total similarity; S'' gets the rest (eq. 1)."""
    subsets: int | None = Field(default=4, ge=1)
    """The paper's k, the number of subsets, or as many as the values allow. `null`: fitting chooses it."""
    min_size: int | None = Field(default=None, ge=1)
    """minS, the smallest number of values in a subset. `null`: two where the values suffice, and fewer subsets, if need
    be, so that there are at least two fewer than values."""
    optimiser: Literal["local", "genetic"] = "local"
    """How the partition is searched: `genetic` as in the paper, or `local`, which cuts at least as well."""


class Vicus(Partitioned):
    """Change a value with some probability, preferably to a similar one.

    Two values are similar when they occur with the same values of other columns (S', eq. 2), or with similar ones
    (S''). The values are partitioned into subsets of similar values; a value is kept with probability Ps, changed to
    each other value of its subset with psp, and to each value outside with pdp (VICUS 2012, eqs. 8 to 11).

    Similarity looks at all columns of the table that have up to 60 values, identifiers apart, whichever of them are
    perturbed. By default there are four subsets, but at least two fewer than values, and pairs or more where the values
    suffice: two or three values are one subset, four are two pairs, eight are four. A value that is a subset by itself
    is kept nearly always, so that with `subsets: 4, min_size: 1` a column of four values hardly changes.
    """

    method: Literal["vicus"]


class FittedPartitioned(FittedTransition):
    """The column, its subsets and its matrix."""

    subsets: tuple[tuple[str, ...], ...]


class FittedVicus(FittedPartitioned):
    """A column perturbed by VICUS."""

    technique: Literal["vicus"] = "vicus"

    def how(self) -> str:
        """Say what a value that is not kept becomes."""
        return f"otherwise it becomes another, preferably of its subset; there are {len(self.subsets)} subsets"


def fit_partitioned(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Partitioned
) -> list[tuple[ColumnSpec, CategoryShape, tuple[tuple[str, ...], ...]]]:
    """Read the values of each column, and partition them by similarity; one pass over the table serves all columns."""
    from sdcdb.similarity.partition import partition

    found = similarities(engine, table, [column.name for column in columns], params.threshold, params.c1, params.graph)
    results = []
    for column in columns:
        shape = category_shape(engine, table, column)
        total = _by_text(engine, found[column.name])
        subsets: tuple[tuple[str, ...], ...] = ()
        if shape.values:
            matrix = total.loc[list(shape.values), list(shape.values)].to_numpy()
            k, least = number_of_subsets(len(shape.values), params)
            subsets = partition(matrix, k, least, params.optimiser).subsets(shape.values)
        results.append((column, shape, subsets))
    return results


def number_of_subsets(size: int, params: Partitioned) -> tuple[int | None, int]:
    """Return into how many subsets this many values go, None to let fitting choose, and the smallest size of each.

    >>> [number_of_subsets(size, Vicus(method="vicus", k1=5, k2=20)) for size in (2, 3, 4, 5, 6, 7, 8)]
    [(1, 2), (1, 2), (2, 2), (3, 1), (4, 1), (4, 1), (4, 2)]
    >>> [number_of_subsets(size, Vicus(method="vicus", k1=5, k2=20, min_size=1)) for size in (2, 3, 4, 9)]
    [(1, 1), (3, 1), (4, 1), (4, 1)]
    """
    least = params.min_size or TWO
    if size <= TWO or params.subsets is None:
        return (1 if size <= TWO else None), least
    if params.min_size is not None:
        return min(params.subsets, max(1, size // least)), least
    k = max(1, min(params.subsets, size - TWO))
    return k, min(TWO, size // k)


def similarities(
    engine: Engine, table: Source, wanted: Sequence[str], threshold: float, c1: float, graph: "Graph"
) -> "dict[str, Similarity]":
    """Return the similarities of each column's values, judged by all columns of the table that have few values.

    Which other columns are wanted makes no difference: one that has many values is judged by the same columns, and
    takes no part in judging others.
    """
    from sdcdb.similarity.cooccurrence import cooccurrence
    from sdcdb.similarity.similarity import of_counts

    context = [name for name in table.columns if table.distinct.get(name, FEW + 1) <= FEW]
    others = [name for name in wanted if name not in context]
    counted = cooccurrence(engine.con, table.name, [*context, *others])
    rest = threshold, c1, 1 - c1, graph
    found = of_counts(counted.only(context), *rest) if context else {}
    return found | {name: of_counts(counted.only([*context, name]), *rest)[name] for name in others}


def _by_text(engine: Engine, found: "Similarity") -> Any:
    """Return the total similarities with the values as DuckDB spells them."""
    values = list(found.total.index)
    texts = [engine.query("SELECT CAST(? AS VARCHAR)", [value])[0][0] for value in values]
    return found.total.set_axis(texts, axis=0).set_axis(texts, axis=1)


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Vicus) -> tuple[FittedVicus, ...]:
    """Find similar values, partition them, and derive the matrix of each column."""
    from sdcdb.techniques.families.transition import vicus

    return tuple(
        FittedVicus(
            columns=(column.name,),
            shape=shape,
            matrix=fitted_rows(vicus(shape.values, subsets, params.k1, params.k2)) if shape.values else (),
            subsets=subsets,
        )
        for column, shape, subsets in fit_partitioned(engine, table, columns, params)
    )


TECHNIQUE = Technique("vicus", Kind.CATEGORY, Vicus, FittedVicus, fit, joint=True, draws=one_draw)
