"""What a user's earlier statements prepared for later ones, and what the log did to names and tables."""

from dataclasses import dataclass, field
from functools import lru_cache

from sdcdb.auditor.reading.commands import executes, fetched, leading
from sdcdb.auditor.reading.fact import Account, Effects, Outcome, harmless, not_understood
from sdcdb.auditor.reading.named import Context
from sdcdb.logs.binding import executed


@dataclass
class Session:
    """One user in one log: prepared statements, cursors, where names are looked for."""

    prepared: dict[str, str] = field(default_factory=dict)
    cursors: set[str] = field(default_factory=set)
    elsewhere: bool = False
    stored: bool = False
    left: bool = False


@dataclass
class Sessions:
    """All users, and what the whole log has redefined so far."""

    by_user: dict[tuple[str, str], Session] = field(default_factory=dict)
    redefined: frozenset[str] = frozenset()
    created: frozenset[str] = frozenset()

    def of(self, source: str, user: str) -> Session:
        """Return the session of a user."""
        found = self.by_user.get((source, user))
        if found is None:
            found = self.by_user[source, user] = Session()
        return found

    def context(self, session: Session) -> Context:
        """Return what a statement of a session depends on beside its text."""
        return _context(self.redefined, self.created, session.elsewhere, session.stored, session.left)

    def apply(self, effects: Effects, session: Session) -> None:
        """Note what a statement did."""
        if effects.redefines:
            self.redefined = self.redefined | frozenset(effects.redefines)
            self.created = self.created - frozenset(effects.redefines)
        if effects.creates:
            self.created = self.created | (frozenset(effects.creates) - self.redefined)
        if effects.elsewhere is not None:
            session.elsewhere = effects.elsewhere
        if effects.prepares is not None:
            session.prepared[effects.prepares[0]] = effects.prepares[1]
        if effects.opens is not None:
            session.cursors.add(effects.opens)
        session.stored = session.stored or effects.stores

    def note(self, found: Account, sql: str, session: Session) -> None:
        """Note that a statement, also one that failed, may have left confidential values behind in its session."""
        if found.outcome in (Outcome.FINDING, Outcome.NOT_UNDERSTOOD):
            session.left = True
            session.stored = session.stored or "@" in sql


@lru_cache(10_000)
def _words(sql: str) -> tuple[str, str | None, str | None]:
    text = leading(sql)
    name = executes(text)
    return text, name, fetched(text) if name is None else None


@lru_cache(1_000)
def _context(redefined: frozenset[str], created: frozenset[str], *flags: bool) -> Context:
    return Context(redefined, created, *flags)


def resumed(sql: str, session: Session) -> tuple[str, bool] | Account | None:
    """Return the text that EXECUTE runs and whether it lacks parameters, the account of a FETCH, or None."""
    text, name, cursor = _words(sql)
    if name is not None:
        body = session.prepared.get(name)
        bound = executed(text, f"PREPARE {name} AS {body}") if body else None
        return bound or not_understood("executes a prepared statement whose text or parameters are not in the log")
    if cursor is not None:
        if cursor in session.cursors:
            return harmless("fetches rows of a cursor, which is accounted for where it was declared")
        return not_understood("fetches rows of a cursor whose query is not in the log")
    return None
