"""Creating the table functions on a connection: one Python function for all of them, and a macro for each."""

from collections.abc import Container, Mapping
from functools import cache
from typing import Any

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from sdcdb.udfs.bound_functions import BOUND_FUNCTIONS
from sdcdb.udfs.persisting import ACTIONS
from sdcdb.udfs.perturbing import technique_functions
from sdcdb.udfs.sessions import session, session_number
from sdcdb.udfs.table_function import TableFunction
from sdcdb.udfs.tree_functions import TREE_FUNCTIONS
from sdcdb.udfs.value_functions import VALUE_FUNCTIONS
from sdcdb.udfs.view_functions import VIEW_FUNCTIONS


@cache
def table_functions() -> Mapping[str, TableFunction]:
    """Return every table function by its name."""
    measuring = (*VALUE_FUNCTIONS, *TREE_FUNCTIONS, *VIEW_FUNCTIONS, *BOUND_FUNCTIONS)
    return {function.name: function for function in (*technique_functions(), *measuring)}


def _select(*given: Any) -> str:
    number, name, database, schema, statement, *arguments = given
    return table_functions()[name].call(session(number), (database, schema, statement), tuple(arguments))


def _act(*given: Any) -> Any:
    number, name, database, schema, *arguments = given
    action = next(each for each in ACTIONS if each.name == name)
    return action.call(session(number), database, schema, tuple(arguments))


def create_table_functions(con: duckdb.DuckDBPyConnection, there: Container[str]) -> None:
    """Create the functions that are not there yet, and the macros of this connection."""
    with con.cursor() as cursor:
        for name, function, changes in (("_sdc_select", _select, False), ("_sdc_act", _act, True)):
            if name not in there:
                cursor.create_function(
                    name,
                    function,
                    None,
                    duckdb.sqltype("VARCHAR"),
                    type=PythonUDFType.NATIVE,
                    null_handling=FunctionNullHandling.SPECIAL,
                    side_effects=changes,
                )
    number = session_number(con)
    macros = [function.macro(number) for function in table_functions().values()]
    con.execute("; ".join([*macros, *(action.macro(number) for action in ACTIONS)]))
