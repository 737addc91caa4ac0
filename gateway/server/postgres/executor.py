"""Running one statement of a session: settings and transactions here, the catalogue beside, questions elsewhere."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sdcdb.connection.identifiers import fold
from sdcdb.errors import Unsupported
from sdcdb.gateway.auth.access import Identity
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.reading.lexical import screen
from sdcdb.gateway.reading.statement import privacy_question
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.server.postgres import cursors
from sdcdb.gateway.server.postgres.catalogue import Catalogue
from sdcdb.gateway.server.postgres.cursors import Cursors
from sdcdb.gateway.server.postgres.frugal import TooMuch
from sdcdb.gateway.server.postgres.messages import parameter_status
from sdcdb.gateway.server.postgres.problem import Refusal, notice
from sdcdb.gateway.server.postgres.results import Result, from_answer, from_rows, from_texts
from sdcdb.gateway.server.postgres.scan import dated, words
from sdcdb.gateway.server.postgres.settings import Settings
from sdcdb.gateway.server.postgres.split import uncommented
from sdcdb.gateway.server.service import Service

_FIRST = re.compile(r"[A-Za-z]+")
_WRITES = frozenset(
    {
        *("insert", "update", "delete", "merge", "create", "drop", "alter", "truncate", "grant", "revoke", "vacuum"),
        *("comment", "reindex", "cluster", "lock", "do", "call", "import", "refresh", "security", "notify"),
    }
)
_NOTHING = {
    "discard": "DISCARD ALL",
    "listen": "LISTEN",
    "unlisten": "UNLISTEN",
    "reset": "RESET",
    "checkpoint": "CHECKPOINT",
    "deallocate": "DEALLOCATE",
    "analyze": "ANALYZE",
}
_PASSWORD = re.compile(r"(?:ALTER|CREATE|DROP)\s+(?:USER|ROLE)\b", re.IGNORECASE)
_HARMLESS = re.compile(
    r"pg_(?!sleep\b)\w+|information_schema|current_schema|current_database|current_user|version|set_config"
)


def first_word(statement: str) -> str:
    """Return the keyword that a statement begins with."""
    found = _FIRST.match(uncommented(statement).lstrip("( \t\r\n"))
    return found.group().lower() if found else ""


def _names_system(statement: str) -> bool:
    return any(_HARMLESS.fullmatch(word) for word in words(statement))


class Executor:
    """Runs statements of one identity. `status` is the transaction's: I, T or E."""

    def __init__(self, service: Service, catalogue: Catalogue, identity: Identity) -> None:
        self.identity = identity
        self.settings = Settings(identity.name)
        self.status = b"I"
        self._service = service
        self._catalogue = catalogue
        self.cursors = Cursors()
        self._running: Cancellation | None = None
        self.forget: Callable[[str], None] = lambda _name: None  # a prepared statement, or `all` of them

    @property
    def busy(self) -> bool:
        """Whether a question is being answered."""
        return self._running is not None

    @property
    def relations(self) -> Relations:
        """What may be named."""
        return self._catalogue.relations

    async def shape(self, statement: str, oids: Sequence[int]) -> Result:
        """Return the columns that a statement will have, or refuse one that would be refused."""
        word = first_word(statement)
        await self._must_ask(word, statement)
        if word == "show":
            return self._housekeeping(word, uncommented(statement)) or Result("")
        if word in cursors.WORDS:
            return self.cursors.shape(uncommented(statement)) or Result("")
        if not oids and (kept := self._catalogue.kept(statement)) is not None:
            return replace(kept, rows=())
        if self.in_catalogue(statement):
            nothing = [None] * len(oids)
            try:
                found = await self._browse(partial(self._catalogue.run, statement, nothing, self.identity.name))
                return replace(found, rows=())
            except TooMuch:
                if _names_system(statement):
                    raise
        if privacy_question(statement) is not None:
            return from_rows(("property", "value"), ("VARCHAR", "VARCHAR"), ())
        try:
            return await self._browse(partial(self._catalogue.shape, screen(dated(statement)), len(oids)))
        except Refusal:
            await self._explained(statement, [None] * len(oids))
            raise

    def cancel(self) -> None:
        """Cancel what is running. If nothing is, nothing happens."""
        if self._running is not None:
            self._running.cancel()

    def failed(self) -> None:
        """Take in that a statement failed: the transaction it was in takes no more."""
        if self.status == b"T":
            self.status = b"E"

    async def run(self, statement: str, params: Sequence[Any] | None = None) -> Result:
        """Run a statement."""
        word = first_word(statement)
        if self.status == b"E" and word not in {"rollback", "abort", "commit", "end"}:
            raise Refusal("25P02", "the transaction has failed: nothing more is answered in it", hint="ROLLBACK")
        await self._must_ask(word, statement)
        if word in cursors.WORDS:
            return await self._cursor(word, uncommented(statement), params)
        if (done := self._housekeeping(word, uncommented(statement))) is not None:
            return done
        if not params and (kept := self._catalogue.kept(statement)) is not None:
            return kept
        if self.in_catalogue(statement):
            try:
                return await self._browse(partial(self._catalogue.run, statement, params, self.identity.name))
            except TooMuch:
                if _names_system(statement):
                    raise
        return await self._ask(statement, params)

    async def _must_ask(self, word: str, statement: str) -> None:
        """Refuse what is no question. The ledger keeps it, but for statements with passwords."""
        if _PASSWORD.match(uncommented(statement)):
            raise Refusal("0A000", "users are not managed here", hint="the owner does it: sdcdb user password DB NAME")
        if word in _WRITES:
            refusal = Refusal("25006", "every transaction is read-only here", hint="ask with SELECT")
        elif word == "explain" and privacy_question(uncommented(statement)) is None:
            refusal = Refusal("0A000", "plans are not shown here", "rule: shape", "EXPLAIN PRIVACY tells the verdict")
        else:
            return
        said = Unsupported(refusal.message, refusal.hint)
        await asyncio.to_thread(self._service.refuse, self.identity, statement, said)
        raise refusal

    async def _explained(self, statement: str, params: Sequence[Any]) -> None:
        """Say why a statement will be denied, if it will be: some clients describe it and then give up."""
        self._running = Cancellation()
        try:
            future = self._service.submit_explain(self.identity, dated(statement), list(params) or None, self._running)
            verdict = await asyncio.wrap_future(future)
        finally:
            self._running = None
        if not verdict.answered:
            state = "0A000" if verdict.rule == "shape" else "42501"
            raise Refusal(state, verdict.reason, f"rule: {verdict.rule}", verdict.hint)

    def in_catalogue(self, statement: str) -> bool:
        """Tell whether a statement is about the catalogue, or about nothing at all, such as SELECT 1."""
        named = set(words(statement))
        if any(fold(relation.path[1]) in named for relation in self._catalogue.relations.all):
            return False
        return "from" not in named or _names_system(statement)

    def _housekeeping(self, word: str, statement: str) -> Result | None:
        match word:
            case "set":
                changed = self.settings.run_set(statement)
                told = () if changed is None else (parameter_status(changed, self.settings.get(changed)),)
                return Result("SET", told=told)
            case "show" if fold(statement.split()[1] if len(statement.split()) > 1 else "") not in {"tables"}:
                name, value = self.settings.run_show(statement)
                if value is None:
                    rows = [(key, setting, "") for key, setting in self.settings.all()]
                    return from_texts(("name", "setting", "description"), rows)
                return from_texts((name,), [(value,)])
            case "begin" | "start":
                return self._begin()
            case "commit" | "end" | "rollback" | "abort":
                return self._end(word, statement)
            case "savepoint" | "release":
                if self.status == b"I":
                    raise Refusal("25P01", f"{word.upper()} needs a transaction", hint="BEGIN")
                return Result(word.upper())
            case "discard":
                self.cursors.clear()
                self.forget("all")
            case "deallocate":
                self.forget(statement.rsplit(maxsplit=1)[-1].strip('"'))
        return Result(_NOTHING[word]) if word in _NOTHING else None

    async def _cursor(self, word: str, statement: str, params: Sequence[Any] | None) -> Result:
        if word == "close":
            return self.cursors.close(statement)
        if word != "declare":
            return self.cursors.fetch(statement)
        declared = cursors.read_declare(statement)
        if self.status == b"I" and not declared.holds:
            raise Refusal("25P01", "DECLARE CURSOR needs a transaction", hint="BEGIN, or WITH HOLD")
        if first_word(declared.query) in cursors.WORDS:
            raise Refusal("42601", "a cursor is for a SELECT")
        self.cursors.must_be_free(declared.name)
        return self.cursors.open(declared, await self.run(declared.query, params))

    def _begin(self) -> Result:
        if self.status == b"T":
            return Result("BEGIN", notices=(notice("there is already a transaction in progress"),))
        self.status = b"T"
        return Result("BEGIN")

    def _end(self, word: str, statement: str) -> Result:
        if word in {"rollback", "abort"} and re.search(r"\bTO\b", statement, re.IGNORECASE):
            if self.status == b"I":
                raise Refusal("25P01", "ROLLBACK TO needs a transaction", hint="BEGIN")
            self.status = b"T"
            return Result("ROLLBACK")
        failed, self.status = self.status == b"E", b"I"
        self.cursors.end_of_transaction()
        return Result("COMMIT" if word in {"commit", "end"} and not failed else "ROLLBACK")

    async def _browse(self, look: Callable[[Cancellation], Result]) -> Result:
        """Run a statement about the catalogue when it is this user's turn. It can be cancelled."""
        self._running = handle = Cancellation()
        try:
            return await asyncio.wrap_future(self._catalogue.turns.submit(self.identity.name, lambda: look(handle)))
        finally:
            self._running = None

    async def _ask(self, statement: str, params: Sequence[Any] | None) -> Result:
        self._running = Cancellation()
        try:
            asked, values = dated(statement), list(params) if params else None
            future = self._service.submit(self.identity, asked, values, self._running)
            answer = await asyncio.wrap_future(future)
            if self._running.cancelled and answer.verdict.rule == "cancelled":  # a verdict that was asked for
                raise Refusal("57014", "the statement was cancelled", "rule: cancelled")
            return from_answer(answer)
        finally:
            self._running = None
