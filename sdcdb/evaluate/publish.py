"""Publish the confidential column by a technique of sdcdb: its own fitting, its own SQL, a secret per run."""

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from sdcdb.connection.profile import profile
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.errors import SdcdbError
from sdcdb.evaluate.population import Floats, Ints, Population
from sdcdb.evaluate.settings import Setting
from sdcdb.policy.models import Table, View
from sdcdb.techniques.technique import Fitted
from sdcdb.views import catalogue
from sdcdb.views.fit import Wanted, fit_view
from sdcdb.views.protect import create_view
from sdcdb.views.secret import Secret

TABLE, VIEW = "population", "published"


@dataclass(frozen=True)
class Publication:
    """What was fitted, and the place on the grid that each record was published at; `size` is "nothing".

    `fitted` is None when several parts of a technique act on the value: then there is no single law.
    """

    fitted: Fitted | None
    published: Ints


class Publisher:
    """A database in memory with the population in it, kept for all runs."""

    def __init__(self, population: Population) -> None:
        self._grid = grid = population.grid
        self._con = duckdb.connect()
        self._con.execute("SET threads = 1")  # runs are spread over processes
        self._known = population.names
        mark = "#"
        while any(name.startswith(mark) for name in self._known):
            mark += "#"
        self._key, self._place, self._value = (mark + name for name in ("id", "place", "value"))
        values = np.take(grid.points, population.positions)
        whole = float(grid.low).is_integer() and float(grid.step).is_integer()
        given: dict[str, Any] = dict.fromkeys((self._key, self._place), np.arange(len(values)))
        given[self._value] = values.astype(np.int64) if whole else values
        # Known attributes are categories here; techniques that use other columns find them by name.
        texts = {name: population.codes[:, n].astype(str).astype(object) for n, name in enumerate(self._known)}
        self._con.register("given", pd.DataFrame({**given, **texts}))
        self._con.execute(f"CREATE TABLE {TABLE} AS FROM given")
        self._con.unregister("given")
        catalogue.prepare(self._con)
        self._profile = profile(self._con.cursor(), TABLE)

    def close(self) -> None:
        """Close the database."""
        self._con.close()

    def publish(self, setting: Setting, secret: bytes) -> Publication:
        """Fit the technique and publish every record. Nothing is kept: a run does not depend on earlier ones."""
        self._con.begin()
        try:
            return self._publish(Wanted(VIEW, TABLE, *self._asked(setting)), Secret(secret))
        except (SdcdbError, duckdb.Error) as problem:
            raise SdcdbError(f"{setting.text}: {str(problem).splitlines()[0]}") from None
        finally:
            self._con.rollback()

    def _asked(self, setting: Setting) -> tuple[Table, View]:
        grid = self._grid
        table = Table.model_validate(
            {
                "key": self._key,
                "columns": {
                    self._key: "identifier",
                    self._place: "public",
                    self._value: {"role": "confidential", "domain": [grid.low, grid.high], "step": grid.step},
                    **dict.fromkeys(self._known, "quasi"),
                },
                "protect": {
                    VIEW: {"columns": {self._value: {"method": setting.technique, **dict(setting.parameters)}}}
                },
            }
        )
        return table, table.protect[VIEW]

    def _publish(self, wanted: Wanted, secret: Secret) -> Publication:
        plan = fit_view(self._con, wanted, secret, lambda _table: self._profile)
        create_view(self._con, plan, secret, materialise=False)
        linked = plan.linked(DuckDBDialect(), secret.subkey(plan.table), *catalogue.relations(plan))
        place, value = (f'"after {plan.columns.index(name)}"' for name in (self._place, self._value))
        found = self._con.execute(f"SELECT {value}::DOUBLE FROM ({linked}) ORDER BY {place}").fetchnumpy()
        (values,) = (np.ma.filled(np.ma.asarray(column, dtype=np.float64), np.nan) for column in found.values())
        alone = len(plan.fitted) == 1 and plan.fitted[0].columns == (self._value,)
        return Publication(plan.fitted[0] if alone else None, self._places(values))

    def _places(self, values: Floats) -> Ints:
        steps = np.round((values - self._grid.low) / self._grid.step)
        return np.where(np.isnan(steps), self._grid.size, np.clip(steps, 0, self._grid.size - 1)).astype(np.int64)
