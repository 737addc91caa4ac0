"""Names that the gateway gives to its own relations and columns. No analyst can write them.

Each begins with a control character, which the first look at a statement refuses inside quotes and outside
(`sdcdb.gateway.reading.lexical`). So a released result, or a column of the vault's cells, can be reached only by what
the gateway itself put into the statement.
"""

_MARK = "\x01"

CELL = f"{_MARK}cell"  # the number of a cell
RECORDS = f"{_MARK}records"  # how many records a cell has
CELLS = f"{_MARK}cells"  # the alias of the cells in SQL that the vault runs
COPIED = f"{_MARK}copied"  # rows on their way into the lobby
MERGED = f"{_MARK}merged"  # whether a released row stands for several groups
VALUE = f"{_MARK}value"  # the place of a category's value, beside a cell
CHOSEN = f"{_MARK}chosen"  # the number of a released row's grouping set
_GROUP, _AGGREGATE, _RELEASED = f"{_MARK}g", f"{_MARK}a", f"{_MARK}released "


def public_alias(number: int) -> str:
    """Name a public table in SQL that the vault runs."""
    return f"{_MARK}p{number}"


def total_column(letter: str, number: int) -> str:
    """Name a total of a confidential column while cells are built."""
    return f"{_MARK}{letter}{number}"


def released_relation(number: int) -> str:
    """Name the relation that takes the place of block `number`."""
    return f"{_RELEASED}{number}"


def released_group(number: int) -> str:
    """Name the released column of a block's group expression."""
    return f"{_GROUP}{number}"


def released_aggregate(number: int) -> str:
    """Name the released column of a block's measure."""
    return f"{_AGGREGATE}{number}"


def is_released_relation(name: str) -> bool:
    """Tell whether a table is a block's released result."""
    return name.startswith(_RELEASED)


def is_released_group(name: str) -> bool:
    """Tell whether a released column holds the keys of groups."""
    return name.startswith(_GROUP)


def is_released_aggregate(name: str) -> bool:
    """Tell whether a released column holds the values of a measure."""
    return name.startswith(_AGGREGATE)
