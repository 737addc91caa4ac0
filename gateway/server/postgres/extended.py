"""Prepared statements and portals of one session."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sdcdb.gateway.server.postgres.coerce import fit
from sdcdb.gateway.server.postgres.decode import BadParameter, decode
from sdcdb.gateway.server.postgres.executor import Executor, first_word
from sdcdb.gateway.server.postgres.messages import (
    BIND_COMPLETE,
    CLOSE_COMPLETE,
    NO_DATA,
    PARSE_COMPLETE,
    Unpacking,
    parameter_description,
)
from sdcdb.gateway.server.postgres.parameters import infer
from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.gateway.server.postgres.results import Result, each_format
from sdcdb.gateway.server.postgres.scan import parameters
from sdcdb.gateway.server.postgres.split import split
from sdcdb.gateway.server.service import Service

_MOST_HELD = 1_000  # statements, and portals, of one session
_MOST_ROWS = 1_000_000  # that wait in portals of one session
_ROWLESS = frozenset(
    {
        *("set", "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "copy"),
        *("discard", "reset", "listen", "unlisten", "checkpoint", "analyze", "deallocate", "close", "declare", "move"),
    }
)


@dataclass
class Prepared:
    """A statement, the types of its parameters, and its columns once somebody asked for them."""

    text: str
    oids: tuple[int, ...]
    shape: Result | None = None


@dataclass
class Portal:
    """A statement with its values. Its result is kept until all of it was fetched."""

    statement: Prepared
    values: tuple[Any, ...]
    formats: tuple[int, ...]
    result: Result | None = field(default=None, repr=False)
    sent: int = 0


class Extended:
    """The statements and portals that a session holds, by name."""

    def __init__(self, executor: Executor, service: Service) -> None:
        self._executor = executor
        self._service = service
        self._statements: dict[str, Prepared] = {}
        self._portals: dict[str, Portal] = {}
        executor.forget = self.forget

    def forget(self, name: str) -> None:
        """Forget a statement by its name, or all of them."""
        if name.lower() == "all":
            self._statements.clear()
        elif self._statements.pop(name, None) is None:
            raise Refusal("26000", "there is no prepared statement of this name")

    async def parse(self, body: Unpacking) -> bytes:
        """Prepare a statement."""
        name, script = body.text(), body.text()
        given = [body.int32() & 0xFFFFFFFF for _ in range(body.count())]
        body.end()
        statements = split(script)
        if len(statements) > 1:
            raise Refusal("42601", "cannot insert multiple commands into a prepared statement")
        text = statements[0] if statements else ""
        if name and name in self._statements:
            raise Refusal("42P05", "there is a prepared statement of this name already")
        if len(self._statements) >= _MOST_HELD:
            raise Refusal("53000", "too many prepared statements", hint="close some")
        count = max(parameters(text), len(given))
        inferred = infer(text, self._executor.relations) if count and 0 in [*given, 0][: count + 1] else []
        known = [*given, *[0] * (count - len(given))]
        types = [oid or (inferred[at] if at < len(inferred) else 25) for at, oid in enumerate(known)]
        self._statements[name] = Prepared(text, tuple(types))
        return PARSE_COMPLETE

    def bind(self, body: Unpacking) -> bytes:
        """Give a statement its values."""
        name, source = body.text(), body.text()
        statement = self._statement(source)
        forms = [body.int16() for _ in range(body.count())]
        values = [body.value() for _ in range(body.count())]
        formats = tuple(body.int16() for _ in range(body.count()))
        body.end()
        if len(values) != len(statement.oids):
            raise Refusal("08P01", f"{len(values)} values were sent for {len(statement.oids)} parameters")
        if name and name in self._portals:
            raise Refusal("42P03", "there is a portal of this name already")
        if len(self._portals) >= _MOST_HELD:
            raise Refusal("53000", "too many portals", hint="close some")
        wanted = each_format(forms, len(values))
        found = []
        for number, (value, oid, form) in enumerate(zip(values, statement.oids, wanted, strict=True), start=1):
            try:
                found.append(decode(value, oid, binary=form == 1))
            except BadParameter as problem:
                raise Refusal("22P02", f"parameter ${number}: {problem}") from None
        self._portals[name] = Portal(statement, tuple(found), formats)
        return BIND_COMPLETE

    async def describe(self, body: Unpacking) -> Sequence[bytes]:
        """Describe a statement or a portal."""
        kind, name = body.take(1), body.text()
        body.end()
        if kind == b"S":
            statement = self._statement(name)
            shape = await self._shape(statement)
            rows = NO_DATA if shape is None or shape.columns is None else shape.description()
            return parameter_description(statement.oids), rows
        if name not in self._portals and (cursor := self._executor.cursors.find(name)) is not None:
            return (cursor.result.description(),)
        portal = self.portal(name)
        if not portal.statement.text or first_word(portal.statement.text) in _ROWLESS:
            return (NO_DATA,)
        result = await self.result(portal)
        return (NO_DATA if result.columns is None else result.description(portal.formats),)

    def close(self, body: Unpacking) -> bytes:
        """Forget a statement or a portal, if there is one."""
        kind, name = body.take(1), body.text()
        body.end()
        if kind == b"S":
            gone = self._statements.pop(name, None)
            self._portals = {key: each for key, each in self._portals.items() if each.statement is not gone}
        else:
            self._portals.pop(name, None)
        return CLOSE_COMPLETE

    def portal(self, name: str) -> Portal:
        """Return a portal."""
        if name not in self._portals:
            raise Refusal("34000", "there is no portal of this name")
        return self._portals[name]

    async def result(self, portal: Portal) -> Result:
        """Return what a portal's statement gives: it runs once, when first described or executed."""
        if portal.result is None:
            found = await self._executor.run(portal.statement.text, portal.values)
            portal.result = fit(found, portal.statement.shape)
            held = sum(len(each.result.rows) for each in self._portals.values() if each.result is not None)
            if held > _MOST_ROWS:
                self._portals = {key: each for key, each in self._portals.items() if each is not portal}
                raise Refusal("53200", "too many rows are waiting to be fetched", hint="close some portals")
        return portal.result

    def end_of_transaction(self) -> None:
        """Forget portals at the end of a transaction."""
        if self._executor.status == b"I":
            self._portals.clear()

    def drop_unnamed(self) -> None:
        """A simple query takes the place of the unnamed statement and portal."""
        self._statements.pop("", None)
        self._portals.pop("", None)
        self.end_of_transaction()

    def _statement(self, name: str) -> Prepared:
        if name not in self._statements:
            raise Refusal("26000", "there is no prepared statement of this name")
        return self._statements[name]

    async def _shape(self, statement: Prepared) -> Result | None:
        if not statement.text or first_word(statement.text) in _ROWLESS:
            return None
        if statement.shape is None:
            statement.shape = await self._executor.shape(statement.text, statement.oids)
        return statement.shape
