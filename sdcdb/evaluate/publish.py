"""Publishing the confidential column by a technique of the product: its own fitting, its own SQL, a secret per run."""

from dataclasses import dataclass

import duckdb
import numpy as np

from sdcdb import catalogue
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.errors import SdcdbError
from sdcdb.evaluate.population import Floats, Ints, Population
from sdcdb.evaluate.settings import Setting
from sdcdb.policy.models import Table
from sdcdb.protect import Wanted, create_view, fit_view
from sdcdb.secret import Secret
from sdcdb.techniques.technique import Fitted

COLUMN, KEY, PLACE, TABLE, VIEW = "confidential", "id", "place", "population", "published"


@dataclass(frozen=True)
class Publication:
    """What was fitted, and the place on the grid that each record was published at; `size` is "nothing"."""

    fitted: Fitted
    published: Ints


class Publisher:
    """A database in memory with the population in it, kept for all runs."""

    def __init__(self, population: Population) -> None:
        self._grid = grid = population.grid
        self._con = duckdb.connect()
        self._con.execute("SET threads = 1")  # runs are spread over processes
        whole = float(grid.low).is_integer() and float(grid.step).is_integer()
        values = grid.values[population.positions]
        self._con.register("given", {KEY: np.arange(len(values)), COLUMN: values})
        kind = "BIGINT" if whole else "DOUBLE"
        self._con.execute(
            f"CREATE TABLE {TABLE} AS SELECT {KEY}, {KEY} AS {PLACE}, {COLUMN}::{kind} AS {COLUMN} FROM given"
        )
        self._con.unregister("given")
        catalogue.prepare(self._con)

    def close(self) -> None:
        """Let the database go."""
        self._con.close()

    def publish(self, setting: Setting, secret: bytes) -> Publication:
        """Fit the technique and publish every record."""
        grid = self._grid
        table = Table.model_validate(
            {
                "key": KEY,
                "columns": {
                    KEY: "identifier",
                    PLACE: "public",
                    COLUMN: {"role": "confidential", "domain": [grid.low, grid.high], "step": grid.step},
                },
                "protect": {VIEW: {"columns": {COLUMN: {"method": setting.technique, **dict(setting.parameters)}}}},
            }
        )
        try:
            plan = fit_view(self._con, Wanted(VIEW, TABLE, table, table.protect[VIEW]), Secret(secret))
            create_view(self._con, plan, Secret(secret), materialise=False)
            linked = plan.linked(DuckDBDialect(), Secret(secret).subkey(plan.table), *catalogue.relations(plan))
            found = self._con.sql(f'SELECT "after 1"::DOUBLE FROM ({linked}) ORDER BY "after 0"').to_arrow_table()
        except (SdcdbError, duckdb.Error) as problem:
            raise SdcdbError(f"{setting.text}: {str(problem).splitlines()[0]}") from None
        return Publication(plan.fitted[0], self._places(found.column(0).to_numpy()))

    def _places(self, values: Floats) -> Ints:
        steps = np.round((values - self._grid.low) / self._grid.step)
        return np.where(np.isnan(steps), self._grid.size, np.clip(steps, 0, self._grid.size - 1)).astype(np.int64)
