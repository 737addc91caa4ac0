"""GADP, General Additive Data Perturbation (Muralidhar, Parsa and Sarathy 1999; thesis 2007, chapter 7)."""

from collections.abc import Mapping
from typing import Literal

from sdcdb.techniques.families.linear import FittedLinear, LinearParams, fit_rules, shapes_for
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Source, Technique


class Gadp(LinearParams):
    """Redraw several numbers so that their means and covariances are kept, up to chance.

    All columns of a view that use this method with the same parameters are perturbed together: by normal draws with the
    mean and the covariance of the data, so that means, variances and correlations are kept in expectation. With `given`
    columns, which stay as they are, correlations with these are kept too. `proximity` keeps part of the original value;
    at its default, 0, what is published depends on the value only through the given columns, which is the safest choice
    (Muralidhar, Parsa and Sarathy 1999).

    `per_leaf: true` with a `class` does this for the records of each leaf of a decision tree, inside the ranges that
    the leaf's path allows, as in the Extended Framework (thesis 7.2). Values that leave a range or the domain stop at
    its end, and rounding to a grid adds step^2/12 to a variance. GADP suits large groups of records and normal
    distributions; `cgadp` keeps any marginal distribution, `egadp` keeps moments exactly even in small groups.

    Records with a NULL in one of the columns do not count in the moments. A leaf of fewer than ten records has the rule
    of the whole table: what is drawn from the moments of two lies on the line through both.
    """

    method: Literal["gadp"]


class FittedGadp(FittedLinear):
    """Columns perturbed by GADP."""

    technique: Literal["gadp"] = "gadp"

    def words(self) -> Mapping[str, str]:
        """Explain the draw."""
        kept = ", ".join((*self.columns, *self.given))
        where = f" in each of {len(self.rules)} leaves" if self.tree else ""
        return dict.fromkeys(
            self.columns, f"redrawn from a normal distribution{where} that keeps means and covariances of {kept}"
        )


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Gadp) -> FittedGadp:
    """Query the moments, and derive the constants of the rule."""
    given, tree, rules = fit_rules(engine, table, columns, params, exact=False)
    names = tuple(column.name for column in columns)
    return FittedGadp(columns=names, given=given, shapes=shapes_for(columns, rules), tree=tree, rules=rules)


TECHNIQUE = Technique("gadp", Kind.NUMBER, Gadp, FittedGadp, fit, joint=True)
