"""Names inside one block: which source and column each stands for, by our own resolution and no parser's."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier
from sdcdb.errors import Unsupported
from sdcdb.gateway.reading.reserved import CELLS, public_alias
from sdcdb.gateway.references import Parent
from sdcdb.gateway.relations import Relation, Restricted


@dataclass(frozen=True)
class Names:
    """The sources of a block by alias, folded; exactly one of them is restricted."""

    sources: Mapping[str, Relation]
    using: frozenset[str] = frozenset()

    @property
    def table(self) -> Restricted:
        """The restricted table."""
        return next(source for source in self.sources.values() if isinstance(source, Restricted))

    def alias(self, source: str) -> str:
        """Return the alias of a source in SQL that the vault runs."""
        if isinstance(self.sources[source], Restricted | Parent):
            return CELLS
        public = [s for s, each in self.sources.items() if not isinstance(each, Restricted | Parent)]
        return public_alias(public.index(source))

    def find(self, column: exp.Column) -> tuple[str, str] | None:
        """Return alias of the source and spelt name of a column; None when no source has such a column."""
        if column.args.get("catalog") or column.args.get("join_mark"):
            raise Unsupported("a column is named with a database", "write table.column")
        wanted = fold(column.table)
        self._must_be_a_source(column, wanted)
        found = [
            (alias, own)
            for alias, source in self.sources.items()
            if (not wanted or alias == wanted) and (own := source.column(column.name)) is not None
        ]
        if len(found) > 1 and fold(column.name) in self.using:
            found = [pair for pair in found if isinstance(self.sources[pair[0]], Restricted)] or found[:1]
        if len(found) > 1:
            raise Unsupported(f"{column.name!r} is a column of several tables", "write table.column")
        if not found and wanted:
            raise self._unknown(column.name)
        if found:
            self._must_not_weight(*found[0])
        return found[0] if found else None

    def _must_not_weight(self, alias: str, column: str) -> None:
        source = self.sources[alias]
        if isinstance(source, Parent) and column in source.confidential:
            raise Unsupported(
                f"over this join, {column!r} of {source.name} would count once for each record of {self.table.name}",
                f"an aggregate of {source.name} alone",
            )

    def is_person(self, tree: exp.Expr) -> bool:
        """Tell whether an expression is the column that says whose a record is: an identifier, good for counting."""
        if not isinstance(tree, exp.Column) or tree.args.get("catalog") or tree.args.get("db"):
            return False
        person, wanted = self.table.person or self.table.key, fold(tree.table)
        if not isinstance(person, str):
            return False  # several columns name a person, none of them alone
        source = self.sources.get(wanted)
        if isinstance(source, Parent):
            return fold(source.reference.column) == fold(person) and fold(tree.name) == fold(source.reference.key)
        sources = [each for alias, each in self.sources.items() if not wanted or alias == wanted]
        others = any(not isinstance(each, Restricted) and each.column(tree.name) for each in sources)
        return fold(tree.name) == fold(person) and self.table in sources and (not others or fold(person) in self.using)

    def _must_be_a_source(self, column: exp.Column, wanted: str) -> None:
        """Refuse a column of anything that is not a table of this SELECT; a schema must be that table's."""
        schema = fold(column.text("db"))
        source = self.sources.get(wanted)
        if source is not None and (not schema or (schema, wanted) == source.path):
            return
        first = schema or wanted
        if first and any(each.column(name) for each in self.sources.values() for name in (column.table, first)):
            raise Unsupported("fields of a struct may not be used", "ask the owner to make the field a column")
        if first:
            raise Unsupported(f"{column.table!r} is no table of this SELECT", "one of its tables or their aliases")

    def resolved(self, tree: exp.Expr) -> exp.Expr:
        """Return a copy in which every column is one of the vault's, and none is confidential."""
        copy = exp.Paren(this=tree.copy())  # a root to replace into
        for column in list(copy.find_all(exp.Column)):
            found = self.find(column)
            if found is None:
                raise self._unknown(column.name)
            if self.confidential(found):
                raise Unsupported(
                    f"{found[1]!r} is confidential: it cannot choose, group or order records",
                    f"aggregates such as AVG({found[1]}), or the protected view",
                )
            source, own = self.sources[found[0]], found[1]
            own = source.reference.column_of(own) if isinstance(source, Parent) else own
            column.replace(exp.Column(this=identifier(own), table=identifier(self.alias(found[0]))))
        inner = copy.this
        inner.pop()
        resolved: exp.Expr = inner
        return resolved

    def type_of(self, column: exp.Column) -> str | None:
        """Return the type of a column that `resolved` put in."""
        for alias, source in self.sources.items():
            if self.alias(alias) == column.table:
                return source.columns.get(column.name)
        return None

    def confidential(self, found: tuple[str, str]) -> bool:
        """Tell whether a column that was found is confidential."""
        source = self.sources[found[0]]
        return isinstance(source, Restricted) and found[1] in source.confidential

    def _unknown(self, name: str) -> Unsupported:
        names = [column for source in self.sources.values() for column in source.columns]
        if not names:
            return Unsupported(f"there is no column {name!r}, and none that may be used", "COUNT(*) of the whole table")
        return Unsupported(f"there is no column {name!r} that may be used", f"one of: {', '.join(names)}")
