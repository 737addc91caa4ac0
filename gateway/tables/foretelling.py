"""Forecasts from protected views: learnt when first needed, kept, and learnt anew when a view is fitted anew.

What learns is loaded where there is a view to learn from.
"""

import hashlib

import duckdb

from sdcdb.connection.identifiers import fold
from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.relations import Relation, Relations, Restricted
from sdcdb.gateway.tables.cells import Cells
from sdcdb.gateway.tables.table_history import Foretold
from sdcdb.policy.models import Policy
from sdcdb.views import catalogue


class Foretelling:
    """The protected views of restricted tables, and what was learnt from them."""

    def __init__(self, con: duckdb.DuckDBPyConnection, relations: Relations, policy: Policy) -> None:
        self._con = con
        self._views: dict[str, list[Relation]] = {}
        for table in relations.restricted():
            wanted = {fold(name) for name in policy.tables[table.name].protect}
            views = [each for each in relations.all if each.kind == "protected" and fold(each.name) in wanted]
            self._views[table.name] = views
        self._kept: dict[tuple[str, str, str, str], Forecast | None] = {}

    def plans(self) -> dict[str, str]:
        """Return, per restricted table, a digest of how its protected views were fitted; empty without one."""
        return {name: self._digest(views) for name, views in self._views.items()}

    def _digest(self, views: list[Relation]) -> str:
        known = catalogue.kinds(self._con)
        plans = [catalogue.entry(self._con, each.name).plan.model_dump_json() for each in views if each.name in known]
        return hashlib.blake2b("\n".join(plans).encode(), digest_size=16).hexdigest() if plans else ""

    def ratios(self, table: Restricted) -> dict[str, tuple[float, ...]]:
        """Return, for each category of a table, by how much its protected views raise the odds of each value."""
        categories = {**table.categories, **table.published}
        known = catalogue.kinds(self._con)
        views = [each for each in self._views[table.name] if each.name in known]
        if not categories:
            return {}
        from sdcdb.gateway.tables.published_ratios import published_ratios

        return {name: published_ratios(self._con, each, views) for name, each in categories.items()}

    def of(self, table: Restricted, cells: Cells, version: str) -> Foretold:
        """Return what tells the forecast of a column of this version of a table."""

        def foretold(column: str) -> Forecast | None:
            known = catalogue.kinds(self._con)
            views = [each for each in self._views[table.name] if each.name in known]
            key = (table.name, column, version, self._digest(views))
            if key not in self._kept:
                self._kept[key] = self._learnt(table, column, cells, views)
            return self._kept[key]

        return foretold

    def _learnt(self, table: Restricted, column: str, cells: Cells, views: list[Relation]) -> Forecast | None:
        if not views:
            return None
        from sdcdb.gateway.tables.view_forecast import view_forecast

        return view_forecast(self._con, table, column, cells, views)
