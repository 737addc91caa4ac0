"""One column of a policy: its role, and what the public knows of its values."""

from collections.abc import Iterator
from enum import StrEnum
from math import isfinite
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic.annotated_handlers import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from sdcdb.fields import category_shares as categories
from sdcdb.fields import histogram as histograms
from sdcdb.fields.category_shares import CategoryShares
from sdcdb.fields.histogram import Histogram
from sdcdb.fields.strict import Strict, incoherent

Number = int | float


class Role(StrEnum):
    """What a column is."""

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    CONFIDENTIAL = "confidential"
    CLASS = "class"
    PUBLIC = "public"


def _finite(number: Any) -> Any:
    if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
        raise PydanticCustomError("number", "must be a number, not {given}", {"given": repr(number)})
    return number


FiniteNumber = Annotated[Number, BeforeValidator(_finite)]


def _texts(given: Any) -> Any:
    return {categories.text_of(key): str(share) for key, share in given.items()} if isinstance(given, dict) else given


def _list_of_texts(given: Any) -> Any:
    return tuple(categories.text_of(value) for value in given) if isinstance(given, list | tuple) else given


Values = Annotated[tuple[str, ...], BeforeValidator(_list_of_texts)]
Known = Annotated[
    dict[str, str],
    BeforeValidator(_texts),
    Field(min_length=1),
    WithJsonSchema(
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "string", "pattern": histograms.SHARE},
        }
    ),
]


class Column(Strict):
    """A column's role and the range that is publicly known: `sex: quasi`, or `{role: confidential, domain: [0, 9]}`."""

    role: Role
    """identifier: never leaves. quasi: usable in predicates and groups. confidential: only inside allowed aggregates.
    class: what a classifier predicts. public: anything goes."""
    domain: tuple[FiniteNumber, FiniteNumber] | None = None
    """[min, max] as the public knows it; never taken from the data."""
    step: FiniteNumber | None = None
    """The grid that values lie on, from the domain's minimum: 1 for whole numbers, 0.01 for cents."""
    known: Known | None = None
    """What the public knows of the distribution: shares of single values and of ranges, such as
    `{0: 92%, 1 to 5000: 5%, 5000 to 99999: 3%}`. Analysts see it. Left out, all values of the domain count as equally
    likely. Without a domain, the column is a category, and this names all its values: `{flu: 90%, hiv: 10%}`."""
    sensitive: Values | None = None
    """Values of a category that nobody may be known to have, or not to have; left out, all but `null`."""
    counts: Literal["audited", "public"] = "audited"
    """Whether how many people have each value of a category is public in every combination of the quasi-identifiers.
    audited: counts are answered one by one, as long as all of them together are safe. public: the whole table of counts
    is as good as published, which `check` and the gateway allow only where it is safe by `max_belief`; sums, means and
    extremes by this category are then answered too. For tables that do not change."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        return {"role": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        problems: list[tuple[tuple[str | int, ...], str]] = []
        if self.domain is not None and not self.domain[0] < self.domain[1]:
            problems.append((("domain",), f"must be [min, max] with min below max, not {list(self.domain)}"))
        elif self.step is not None and self.domain is None:
            problems.append((("step",), "needs a domain beside it: domain: [min, max]"))
        elif self.step is not None and not 0 < self.step <= self.width:
            problems.append(
                (("step",), f"must be above 0 and at most the domain's width {self.width}, not {self.step}")
            )
        if self.known is not None and not problems:
            problems += list(self._known_problems())
        if self.sensitive is not None and (self.known is None or self.domain is not None):
            problems.append((("sensitive",), "is for categories: name all their values with their shares under known"))
        if self.counts == "public" and (self.known is None or self.domain is not None):
            problems.append((("counts",), "is for categories: name all their values with their shares under known"))
        incoherent(self, problems)
        return self

    def _known_problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        if self.role is not Role.CONFIDENTIAL:
            yield ("known",), "is for confidential columns: values of the others are public anyway"
        elif self.domain is None:
            yield from categories.problems(self.known or {}, self.sensitive)
        else:
            for key, why in histograms.problems(self.known or {}, self.domain):
                yield ("known",) if key is None else ("known", key), why

    @property
    def histogram(self) -> Histogram | None:
        """What is declared public of the distribution."""
        return None if self.known is None or self.domain is None else histograms.histogram(self.known)

    @property
    def category(self) -> CategoryShares | None:
        """The values of a category and their public shares; None for a column of another kind."""
        if self.known is None or self.domain is not None:
            return None
        return categories.category_shares(self.known, self.sensitive)

    @property
    def width(self) -> Number:
        """The width of the domain, 0 when none is declared."""
        return self.domain[1] - self.domain[0] if self.domain else 0

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Allow the short form, a role as a plain word, beside the mapping."""
        mapping = handler.resolve_ref_schema(super().__get_pydantic_json_schema__(core, handler))
        return {"anyOf": [{"enum": [role.value for role in Role]}, mapping]}
