"""Statements that the gateway would refuse: direct reads of confidential values, and others not understood."""

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sdcdb.auditor.reading.category_facts import category_account
from sdcdb.auditor.reading.fact import AUDITED, Account, Fact, Outcome, not_understood
from sdcdb.auditor.reading.reads import Reading, merged, reading
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.errors import SdcdbError

MOST_DIRECT = 20_000
"""Records of a direct read whose values enter the audit one by one; a larger read is a finding as a whole."""


def refused(tree: exp.Expr, snapshot: Snapshot, reason: str) -> Account:
    """Distinguish a direct read from a statement that is merely not understood."""
    found = reading(tree, snapshot.relations, snapshot.columns.confidential)
    categories = category_account(merged(tree, snapshot.relations) or tree, snapshot)
    if categories is not None and (categories.outcome is Outcome.ANSWERED or not found.shown):
        return categories
    if not found.shown:
        return not_understood(reason)
    selected = {table: cells for table in found.tables if (cells := _selected(tree, snapshot, table)) is not None}
    facts = tuple(_direct_facts(found, selected, snapshot))
    columns = ", ".join(f"{table}.{column}" for table, column in sorted(found.shown))
    facts += categories.facts if categories is not None and categories.outcome is Outcome.FINDING else ()
    more = sum(len(cells) for cells in selected.values()) > MOST_DIRECT
    reason = f"shows values of {columns}{', of too many records to list each' if more else ''}"
    return Account(Outcome.FINDING, reason, facts, tuple(sorted(found.shown)), selected)


def _selected(tree: exp.Expr, snapshot: Snapshot, table: str) -> NDArray[np.intp] | None:
    """Return the cells that a plain SELECT keeps: count the records of its FROM and WHERE."""
    select = merged(tree, snapshot.relations) or (tree.unnest() if isinstance(tree, exp.Subquery) else tree)
    if not isinstance(select, exp.Select) or select.args.get("with_"):
        return None
    count = exp.Select(**{part: select.args[part].copy() for part in ("from_", "where") if select.args.get(part)})
    count.set("joins", [join.copy() for join in select.args.get("joins") or []])
    try:
        read = snapshot.read(count.select(exp.Count(this=exp.Star())).sql("duckdb", comments=False))
        (block,) = read.blocks
        (group,) = snapshot.evaluate(block).groups
    except (SdcdbError, ValueError):
        return None
    return group.cells if block.table.name == table else None


def _direct_facts(found: Reading, selected: dict[str, NDArray[np.intp]], snapshot: Snapshot) -> list[Fact]:
    """Enter what a direct read reveals: each value, if the result says whose it is or there is only one; otherwise the
    sum, minimum and maximum of the values shown."""
    facts: list[Fact] = []
    for name, column in sorted(found.shown):
        table, cells = snapshot.tables[name], selected.get(name)
        if cells is None or not found.whole or column not in table.table.confidential:
            continue
        counts = table.counts(column)
        held = np.sort(cells[counts[cells] > 0])
        single = found.linked or int(counts[held].sum()) == 1
        if single and len(held) <= MOST_DIRECT:
            groups = [
                (kind, np.array([cell])) for cell in held for kind in (("sum",) if counts[cell] == 1 else AUDITED)
            ]
        else:
            groups = [(kind, held) for kind in AUDITED] if len(held) else []
        for kind, chosen in groups:
            flags = np.zeros(table.cells.size, bool)
            flags[chosen] = True
            answer = table.answer(column, kind, chosen)
            facts.append(Fact(name, column, AUDITED[kind], np.packbits(flags), answer, direct=True))
    return facts
