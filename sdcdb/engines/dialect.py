"""Rendering an expression for one engine: the placeholders of `sdcdb.engines.expressions` become that engine's SQL."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sdcdb.connection.identifiers import identifier
from sdcdb.connection.record_key import Key
from sdcdb.engines.expressions import PERSON, TABLE, held
from sdcdb.errors import InternalError

JOINED = "j"  # aliases of joined tables: j0, j1, ...
LISTS = "p"  # alias of the one-row table that holds the lists


@dataclass(frozen=True)
class Binding:
    """What stands behind the placeholders of one view: the key, the secret, the lists and the joined tables."""

    key: Key
    subkey: str
    lists: Mapping[str, tuple[Any, ...]]
    joined: tuple[str, ...] = ()
    person: str | None = None

    def key_of(self, block: str) -> Key:
        """Return what a block of draws is keyed by: the record's key, or the person's."""
        if not block.startswith(PERSON):
            return self.key
        if self.person is None:
            raise InternalError(f"the draws {block!r} are a person's, and no column names the person")
        return self.person


class Dialect(ABC):
    """How one engine spells what sqlglot does not translate."""

    name: str

    def render(self, expression: exp.Expr, binding: Binding) -> str:
        """Return the SQL of an expression, with every placeholder replaced and every name quoted."""
        return self.bound(self.adapted(expression, binding), binding).sql(self.name, identify=True)

    def adapted(self, expression: exp.Expr, binding: Binding) -> exp.Expr:  # noqa: ARG002 - for subclasses
        """Return the expression in a form that suits the engine; its placeholders are still there."""
        return expression

    def bound(self, expression: exp.Expr, binding: Binding) -> exp.Expr:
        """Return the expression with its placeholders replaced, innermost first."""

        def replace(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Anonymous) and str(node.this).startswith("SDC_"):
                return self._replacement(node, binding)
            return node

        # transform() does not look inside what it has replaced, so arguments are replaced by the call below.
        return expression.transform(replace)

    def _replacement(self, node: exp.Anonymous, binding: Binding) -> exp.Expr:
        first, *rest = node.expressions
        kind, text = str(node.this), str(first.this)
        arguments = [self.bound(argument.copy(), binding) for argument in rest]
        if kind in ("SDC_DRAW", "SDC_LATE"):
            return self.raw(self.draw(binding, text, *cut_of(node)))
        if kind == "SDC_ONCE":
            return exp.Paren(this=self.bound(held(node), binding))
        if kind == "SDC_JOINED":
            alias = f"{JOINED}{binding.joined.index(text)}"
            return exp.Column(this=identifier(str(arguments[0].this)), table=identifier(alias))
        inner = arguments[0].sql(self.name, identify=True)
        column = self.listed(text).sql(self.name, identify=True)
        return self.raw(
            self.item(column, inner) if kind == "SDC_ITEM" else self.code(column, inner, binding.lists[text])
        )

    def listed(self, name: str) -> exp.Column:
        """Return the column in which a row finds the list of this name."""
        return exp.Column(this=identifier(name), table=identifier(LISTS))

    @staticmethod
    def raw(sql: str) -> exp.Expr:
        """Return SQL that is already in this engine's words as a leaf of the tree."""
        return exp.Var(this=sql)

    @abstractmethod
    def draw(self, binding: Binding, block: str, bit: int, width: int) -> str:
        """Spell `width` bits from `bit` on of the SHA-256 digest of (subkey, block, key) as an integer.

        Bits count from the end of each half of the digest, as in a number of 128 bits: bits 0 to 63 are the last 16
        hexadecimal digits of the first half, bits 64 to 127 its first ones.
        """

    @abstractmethod
    def item(self, column: str, index: str) -> str:
        """Spell the item of a list, counted from 1."""

    @abstractmethod
    def code(self, column: str, value: str, values: tuple[Any, ...]) -> str:
        """Spell the position of a text in a list, counted from 0, NULL when it is not there."""


def cut_of(draw: exp.Anonymous) -> tuple[int, int]:
    """Return the first bit of a draw and how many it has. A lane has 32."""
    place, *width = (int(argument.this) for argument in draw.expressions[1:])
    return (place, width[0]) if width else (32 * place, 32)


def digits_of(bit: int, width: int) -> tuple[int, int]:
    """Return where in the hexadecimal text of a digest these bits are: the first digit, from 1, and their number.

    >>> digits_of(0, 64), digits_of(64, 64), digits_of(0, 32), digits_of(128, 16)
    ((17, 16), (1, 16), (25, 8), (61, 4))
    """
    half, place = divmod(bit, 128)
    return 32 * half + 33 - (place + width) // 4, width // 4


def placeholders(tree: exp.Expr, kind: str) -> list[exp.Anonymous]:
    """Return the placeholders of one kind in a tree."""
    return [node for node in tree.find_all(exp.Anonymous) if node.this == kind]


def of_the_table_alone(node: exp.Anonymous) -> bool:
    """Return whether the table's columns are enough to compute this: no draws, no joined tables, no item of a list."""
    value = node.expressions[1]
    return all(column.table == TABLE for column in value.find_all(exp.Column)) and not value.find(exp.Anonymous)


def once_layers(tree: exp.Expr, own: Callable[[str], exp.Expr]) -> list[dict[str, exp.Alias]]:
    """Take the values that are to be computed once out of a tree, and return them by name, in layers.

    A value may use another one: it then stands in a higher layer. `own` gives the column in which a value is found.
    Values are named as the columns of their layers, so that their parts can be replaced.
    """
    layers: list[dict[str, exp.Alias]] = []
    heights: dict[str, int] = {}

    def take(part: exp.Expr) -> int:
        highest = 0
        for node in placeholders(part, "SDC_ONCE"):
            name = f"sdc once {node.expressions[0].this}"
            if name not in heights:
                value = exp.Alias(this=held(node), alias=identifier(name))
                heights[name] = take(value) + 1
                if placeholders(value, "SDC_ITEM") or placeholders(value, "SDC_JOINED"):
                    raise InternalError(f"{name!r} uses a list or a joined table, which the layers below a view lack")
                while len(layers) < heights[name]:
                    layers.append({})
                layers[heights[name] - 1][name] = value
            node.replace(own(name))
            highest = max(highest, heights[name])
        return highest

    take(tree)
    return layers


def text_literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"
