"""PRAM, the post-randomisation method (Gouweleeuw et al. 1998), with a given matrix."""

from typing import Literal

from sdcdb.errors import DataError, choices
from sdcdb.techniques.families.categories import FittedTransition, category_shape, fitted_rows
from sdcdb.techniques.families.transition import given
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Params, Source, Technique, one_draw


class Pram(Params):
    """Change each value by a transition matrix that you specify.

    `matrix` maps each original value to the probabilities of the published ones, `{yes: {yes: 0.9, no: 0.1}, no: {no:
    1}}`. Rows must sum to one. Values of the column without a row are kept with `others: keep`, and refused otherwise.
    """

    method: Literal["pram"]
    matrix: dict[str, dict[str, float]]
    """For each original value, the probabilities of the published values."""
    others: Literal["keep", "refuse"] = "refuse"
    """What to do with values of the column without a row: keep them, or refuse to fit."""


class FittedPram(FittedTransition):
    """The column and its matrix."""

    technique: Literal["pram"] = "pram"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Pram) -> FittedPram:
    """Check the matrix against the values of the column, and complete it."""
    (column,) = columns
    shape = category_shape(engine, table, column)
    missing = [value for value in shape.values if value not in params.matrix]
    if missing and params.others == "refuse":
        raise DataError(
            f"the matrix for {column.name!r} has no row for {missing[0]!r} ({choices(missing[0], params.matrix)}); "
            "add it, or set others to keep"
        )
    named = {value for row in params.matrix.values() for value in row} | set(params.matrix)
    values = tuple(sorted(named | set(shape.values)))
    rows = [[params.matrix.get(value, {value: 1.0}).get(other, 0.0) for other in values] for value in values]
    full = given(values, rows)
    return FittedPram(
        columns=(column.name,), shape=shape.model_copy(update={"values": values}), matrix=fitted_rows(full)
    )


TECHNIQUE = Technique("pram", Kind.CATEGORY, Pram, FittedPram, fit, draws=one_draw)
