"""The public face of a database: one object with the verbs of the command line.

>>> import sdcdb
>>> with sdcdb.open(":memory:") as db:
...     db.con.execute("SELECT sdc_entropy([0.5, 0.25, 0.25])").fetchone()
(1.5,)
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from sdcdb.errors import SdcdbError
from sdcdb.policy.governed import Governed, open_governed
from sdcdb.policy.models import Policy
from sdcdb.udfs import register

if TYPE_CHECKING:
    from sdcdb.assess.compare import Comparison
    from sdcdb.assess.gate import Standing
    from sdcdb.auditor.audit import Audit
    from sdcdb.errors import Problem
    from sdcdb.gateway.gateway import Gateway
    from sdcdb.trees.table import TrainingTable
    from sdcdb.udfs.measurement import Measurement
    from sdcdb.views.plan import Plan
    from sdcdb.views.protect import Protected
    from sdcdb.views.release import Release

Progress = Callable[[int, int], None]


class Database(Governed):
    """A DuckDB database, its policy if it has one, and a connection on which the `sdc_*` functions work.

    Each method does what the command of the same name does, and returns what that command shows. The functions are
    created when the connection is first asked for: the gateway does without them.
    """

    _registered = False

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The connection, with the `sdc_*` functions."""
        if not self._registered:
            register(self._con)
            self._registered = True
        return self._con

    def check(self) -> list["Problem"]:
        """Return where the policy does not match the database; empty when it does."""
        from sdcdb.gateway.tables.checking import check_as_gateway
        from sdcdb.policy.load import Document

        return check_as_gateway(self.con, Document(str(self.path or "policy"), self.required_policy(), {}))

    def protect(self, *views: str, materialise: bool = False, dry_run: bool = False) -> list["Protected"]:
        """Fit and create the protected views of the policy, or those named. All of them, or none."""
        from sdcdb.views.protect import protect

        return protect(self, list(views) or None, materialise=materialise, dry_run=dry_run)

    @property
    def views(self) -> dict[str, "Plan"]:
        """The protected views in this database, by name, each with the plan behind it."""
        from sdcdb.views import catalogue

        return {name: catalogue.entry(self.con, name).plan for name in catalogue.kinds(self.con)}

    def compare(self, view: str, *, confidential: str | None = None, seed: int = 0) -> "Comparison":
        """Compare a protected view with its table: what is still useful, and what an intruder can still learn."""
        from sdcdb.assess.compare import compare

        return compare(self, view, confidential, seed)

    def standing(self, view: str) -> "Standing":
        """Measure a protected view against the floors that its policy sets for a release."""
        from sdcdb.assess.gate import stand

        return stand(self, view)

    def release(self, view: str, file: str | Path, *, accept_risk: str | None = None, force: bool = False) -> "Release":
        """Write a copy of a protected view that you can share, with a manifest beside it.

        Raises `ReleaseRefused` below the policy's floors, unless `accept_risk` says why it is released all the same.
        """
        from sdcdb.views.release import write_release

        found = self.standing(view)
        if accept_risk is not None and not accept_risk.strip():
            raise SdcdbError("accept_risk needs a reason: it is written into the manifest")
        if accept_risk is None:
            found.require()
        accepted = {} if found.passed or accept_risk is None else {"accepted_risk": accept_risk.strip()}
        return write_release(self, view, Path(file), {**found.data(), **accepted}, force=force)

    def measure(
        self,
        table: str,
        *,
        known: Sequence[str] = (),
        confidential: str | None = None,
        progress: Progress | None = None,
    ) -> "Measurement":
        """Measure what an intruder who knows some columns learns about a confidential one; roles are the defaults."""
        from sdcdb.connection.profile import column_types
        from sdcdb.udfs.measurement import Question, measure

        column_types(self.con, table)  # names the tables there are, should this be none of them
        return measure(self.con, Question.of(self.policy, table, known, confidential), progress)

    def audit(self, *logs: str | Path, **options: Any) -> "Audit":
        """Find what query logs have leaked, to whom and how closely. Without a log: the gateway's own ledger.

        `options` are the fields of `sdcdb.auditor.audit.Options`.
        """
        from sdcdb.auditor.audit import Options
        from sdcdb.auditor.run import Request, own_ledger, run

        files = [Path(log) for log in logs] or [own_ledger(self.path)]
        return run(self.con, self.policy, Request(files, options=Options(**options)))

    def gateway(self, **options: Any) -> "Gateway":
        """Open the gateway that answers analysts' statements about this database. See `sdcdb.Gateway`."""
        from sdcdb.gateway.gateway import Gateway

        return Gateway(Governed(self.path, self._con, self.policy), **options)

    def training_table(self, table: str, target: str, attributes: Sequence[str] | None = None) -> "TrainingTable":
        """Read a table, or a sample of a large one, for `sdcdb.trees` to grow a tree on."""
        from sdcdb.connection.training_table import read_training_table

        return read_training_table(self.con, table, attributes, target)


def open(  # noqa: A001 - sdcdb.open(path) reads as it should
    path: str | Path, policy: str | Path | Policy | None = None, *, read_only: bool = False, create: bool = False
) -> Database:
    """Open a DuckDB file with its policy.

    `policy` is a policy file or a `Policy`. By default, `staff.policy.yaml` beside `staff.duckdb` is used, if it
    exists. `create=True` creates a new file, readable by DuckDB 1.5 and 2.0. `:memory:` gives a database in memory.
    """
    opened = open_governed(path, policy, read_only=read_only, create=create)
    return Database(opened.path, opened.con, opened.policy)
