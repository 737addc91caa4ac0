"""EGADP, Enhanced GADP (Muralidhar and Sarathy 2005; thesis 2007, chapter 7)."""

from collections.abc import Mapping
from typing import Literal

from sdcdb.techniques.families.linear import FittedLinear, LinearParams, fit_rules, shapes_for
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Source, Technique


class Egadp(LinearParams):
    """Redraw several numbers so that their sample means and covariances are exactly those of the data.

    As GADP, but exact in the sample, however small: the mean of every column and the covariance of every pair,
    including the `given` columns, are those of the data up to floating point. Fitting finds what the draws happen to
    share with the data and with each other, and removes it; each record is still perturbed by itself.

    This is exact for records without NULLs, for numbers without steps, and where no value has to be clipped at the end
    of a domain or of a leaf's range: give a DOUBLE column no domain where it matters. Fit again after inserts and
    deletes. In a group of two records, exact moments only allow their exchange, and of few records they tell the rest
    to whoever knows some: a leaf of fewer than ten has the rule of the whole table.
    """

    method: Literal["egadp"]


class FittedEgadp(FittedLinear):
    """Columns perturbed by EGADP."""

    technique: Literal["egadp"] = "egadp"

    def words(self) -> Mapping[str, str]:
        """Explain the draw."""
        kept = ", ".join((*self.columns, *self.given))
        where = f" in each of {len(self.rules)} leaves" if self.tree else ""
        return dict.fromkeys(
            self.columns, f"redrawn from a normal distribution{where}; means and covariances of {kept} are exact"
        )


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Egadp) -> FittedEgadp:
    """Query the moments of values and draws, and derive the constants of the rule."""
    given, tree, rules = fit_rules(engine, table, columns, params, exact=True)
    names = tuple(column.name for column in columns)
    return FittedEgadp(columns=names, given=given, shapes=shapes_for(columns, rules), tree=tree, rules=rules)


TECHNIQUE = Technique("egadp", Kind.NUMBER, Egadp, FittedEgadp, fit, joint=True)
