"""What a statement names: restricted tables, and whatever might be one without this side knowing."""

from dataclasses import dataclass

from sqlglot import exp

from sdcdb.auditor.reading.carried import LEFT, carries
from sdcdb.auditor.reading.catalogues import READ_BY_NAME, TABLE_FUNCTIONS, describes, is_catalogue_schema
from sdcdb.auditor.reading.surroundings import Surroundings
from sdcdb.connection.identifiers import fold
from sdcdb.gateway.relations import Relations, Restricted

_SOURCES = (exp.Identifier, exp.Dot, exp.Func, exp.Unnest, exp.Table, exp.Query, exp.Values, exp.Tuple)
"""What may stand in FROM. Functions that are not of SQL itself are looked up by name."""


@dataclass(frozen=True)
class Context:
    """What earlier statements of the log have done to names.

    `elsewhere`: this user's names are looked for in another schema. `stored`: a variable may hold a confidential value.
    `left`: a number of rows, a message or a setting may be confidential.
    """

    redefined: frozenset[str] = frozenset()
    created: frozenset[str] = frozenset()
    elsewhere: bool = False
    stored: bool = False
    left: bool = False


@dataclass(frozen=True)
class Named:
    """The restricted tables, and the reasons why a statement may read one under another name."""

    restricted: tuple[Restricted, ...]
    doubts: tuple[str, ...]
    unknown: tuple[str, ...]
    open: int

    @property
    def reason(self) -> str:
        """The doubts in one line."""
        return "; ".join(self.doubts)


def named(tree: exp.Expr, relations: Relations, around: Surroundings, context: Context) -> Named:
    """Resolve every relation and function of a statement."""
    restricted: dict[str, Restricted] = {}
    unknown: dict[str, None] = {}
    doubts: dict[str, None] = {}
    seen = 0
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Dot):  # a name of four parts: a table of another server, or of this one
            unknown[table.sql("duckdb", comments=False).split(" AS ")[0]] = None
            continue
        if not isinstance(table.this, exp.Identifier):
            continue  # a table function: looked at below
        schema, name = fold(table.db), fold(table.name)
        if not schema and _is_cte(table, name) and find(relations, "", name) is None:
            continue
        relation = find(relations, schema, name)
        if relation is not None:
            restricted[relation.name] = relation
            if renamed_columns(name) in context.redefined:
                doubts[f"columns of {name} were renamed in this log"] = None
            continue
        seen += 1
        why = _doubt(table, schema, name, around, context, relations)
        if why == "":
            unknown[table.sql("duckdb", comments=False).split(" AS ")[0]] = None
        elif why is not None:
            doubts[why] = None
    doubts |= dict.fromkeys(_other_sources(tree))
    calls = _calls(tree)
    unknown |= dict.fromkeys(f"{name}()" for name in sorted(calls - around.functions - READ_BY_NAME - around.views))
    for name in sorted(calls & READ_BY_NAME):
        doubts[f"{name.upper()} reads what a text names"] = None
    for name in sorted(calls & around.views):
        doubts[f"reads a restricted table through {name}"] = None
    doubts |= dict.fromkeys(_taken_over(tree, context))
    if unknown:
        doubts[f"the database does not know {', '.join(unknown)}"] = None
    return Named(tuple(restricted.values()), tuple(doubts), tuple(unknown), seen)


def _other_sources(tree: exp.Expr) -> list[str]:
    """Return doubts about what is read by other means than a name or a call: stages, names that are computed, files."""
    sources = [table.this for table in tree.find_all(exp.Table)]
    sources += [rows.this for rows in tree.find_all(exp.TableFromRows)]
    odd = [each for each in sources if isinstance(each, exp.Expr) and not isinstance(each, _SOURCES)]
    return [f"{each.sql('duckdb', comments=False)} may name a restricted table or a copy of one" for each in odd]


def _taken_over(tree: exp.Expr, context: Context) -> list[str]:
    """Return doubts about what earlier statements of the session left."""
    found = []
    if context.stored and tree.find(exp.Parameter, exp.SessionParameter, exp.Placeholder):
        found.append("reads a variable that may hold a confidential value")
    if context.left and carries(tree.sql(comments=False)):
        found.append(LEFT)
    return found


def renamed_columns(table: str) -> str:
    """Return the name under which a session remembers that columns of a table were renamed."""
    return f"{table}.*"


def find(relations: Relations, schema: str, name: str) -> Restricted | None:
    """Return the restricted table of this name: in its schema, or in one that the database does not have."""
    exact = relations.find(schema, name)
    if isinstance(exact, Restricted):
        return exact
    if exact is not None and schema:
        return None
    schemas = {relation.path[0] for relation in relations.all}
    alike = [each for each in relations.restricted() if each.path[1] == name and (not schema or schema not in schemas)]
    return alike[0] if alike else None


def _doubt(
    table: exp.Table, schema: str, name: str, around: Surroundings, context: Context, relations: Relations
) -> str | None:
    """Return None for a relation that is known to be harmless, "" for one that is not known, otherwise the reason."""
    if name in around.views:
        return f"reads a restricted table through the view {name}"
    if name in context.redefined:
        return f"{name} was made or changed in this log, from a restricted table or in a way that is not understood"
    if any(each.path[1] == name for each in relations.restricted()):
        return f"{name} may be a restricted table"
    if (not schema and name in context.created) or table.args.get("catalog"):
        return "" if table.args.get("catalog") else None
    if is_catalogue_schema(schema) or (not schema and describes("", name)):
        return None if describes(schema, name) else f"the catalogue {name} may show statistics of confidential columns"
    if name.startswith(("pg_stat", "pg_toast")):
        return f"the catalogue {name} may show statistics of confidential columns"
    if not around.is_open(schema, name):
        return ""
    return (
        f"{name} may be another relation: the schema was changed before" if context.elsewhere and not schema else None
    )


def _is_cte(table: exp.Table, name: str) -> bool:
    """Tell whether an unqualified name is that of a CTE of this query or one around it."""
    node: exp.Expr | None = table
    while node is not None:
        holder = node.args.get("with_")
        if holder is not None and any(fold(cte.alias) == name for cte in holder.expressions):
            return True
        node = node.parent
    return False


def _calls(tree: exp.Expr) -> set[str]:
    """Return the functions that are not of SQL itself, and table functions that are not known to be harmless."""
    found = {fold(str(node.name)) for node in tree.find_all(exp.Anonymous, exp.AnonymousAggFunc)}
    found |= {"identifier" for _ in tree.find_all(exp.DynamicIdentifier)}
    found |= {"read_csv" for _ in tree.find_all(exp.ReadCSV)} | {"read_parquet" for _ in tree.find_all(exp.ReadParquet)}
    return {name.rpartition(".")[2] for name in found if not _describes(name)}


def _describes(name: str) -> bool:
    bare = name.rpartition(".")[2]
    if bare in READ_BY_NAME:
        return False
    if bare in TABLE_FUNCTIONS or bare.startswith(("pg_get_", "pg_is_", "pg_table_", "pg_size_", "pg_advisory_")):
        return True
    return bare.startswith("pg_") and bare.endswith(
        ("_is_visible", "_size", "_pid", "_time", "_privilege", "_encoding")
    )
