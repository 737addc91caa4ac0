"""What to compare: techniques with their amounts, as written on the command line.

| written                        | means                                                                               |
|--------------------------------|-------------------------------------------------------------------------------------|
| `sampling:5%,10%`              | the paper's simple random samples of 5% and of 10% of the records                   |
| `restriction:2,4`              | the paper's sliding sum queries over 2 and over 4 records                           |
| `noise:5%,10%`                 | the paper's binomial noise, M = 5% and 10% of |D| - 1; values may leave the domain  |
| `printed_noise:5%,10%`         | the same noise, with p_i by the paper's Algorithm 3 as printed instead of by Bayes  |
| `normal:sd=10%`, `normal:10%`  | a technique of sdcdb, by its name in a policy, with its main parameter              |
| `normal:10%+boundary=clip`     | and with further ones; a list is written `swapping:5%+within=sex|dept`              |
| `gadp`                         | and with none, if it needs none                                                     |
"""

import zlib
from dataclasses import dataclass
from typing import Any, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from sdcdb.errors import SdcdbError, choices
from sdcdb.fields.amount import Amount
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import Kind

SAMPLING, RESTRICTION, NOISE, PRINTED_NOISE = "sampling", "restriction", "noise", "printed_noise"
DEFAULT = "default"
PAPER = (
    "sampling:5%,10%,20%,50%",
    "restriction:2,4,8,16,32",
    "noise:10%,25%,50%,100%",
)
"""Section 5 of the CAE paper. It does not list its amounts of noise."""
_MAIN = dict.fromkeys(("gadp", "cgadp", "egadp", "extended_framework"), "proximity")  # not of the type of an amount


@dataclass(frozen=True)
class Setting:
    """One technique with one amount. `parameters` are those of a technique of sdcdb, if it is one."""

    technique: str
    amount: str
    parameters: tuple[tuple[str, Any], ...] = ()

    @property
    def text(self) -> str:
        """The setting as it is written."""
        return f"{self.technique}:{self.amount}"

    @property
    def number(self) -> int:
        """A unique number that seeds its draws: a setting draws the same, whatever it is compared with."""
        return zlib.crc32(self.text.encode())

    @property
    def share(self) -> float:
        """The amount of sampling or noise as a share."""
        return float(self.amount.rstrip("%")) / 100


def names() -> list[str]:
    """Return the names of all techniques that can be compared."""
    return [
        SAMPLING,
        RESTRICTION,
        NOISE,
        PRINTED_NOISE,
        *(name for name, each in TECHNIQUES.items() if _numeric(each.kind)),
    ]


def parse(text: str) -> list[Setting]:
    """Read one technique with its amounts.

    >>> [each.text for each in parse("normal:sd=10%,20%")]
    ['normal:sd=10%', 'normal:sd=20%']
    """
    name, _, rest = text.strip().partition(":")
    amounts = [amount.strip() for amount in rest.split(",") if amount.strip()]
    paper, technique = name in {SAMPLING, RESTRICTION, NOISE, PRINTED_NOISE}, TECHNIQUES.get(name)
    if not paper and (technique is None or not _numeric(technique.kind)):
        what = "is for categories" if technique else "is not a technique"
        raise SdcdbError(f"{name!r} {what}: the confidential column is a number; {choices(name, names())}")
    if not amounts and not paper and not _required(name):
        return [Setting(name, DEFAULT)]
    if not amounts:
        raise SdcdbError(f"{text!r} has no amount: write for example {name or 'sampling'}:5%,10%")
    if name == SAMPLING:
        return [Setting(name, _share(name, amount.removeprefix("size="), most=1)) for amount in amounts]
    if name in {NOISE, PRINTED_NOISE}:
        return [Setting(name, _share(name, amount)) for amount in amounts]
    if name == RESTRICTION:
        return [Setting(name, _even(amount)) for amount in amounts]
    return [_product(name, amount) for amount in amounts]


def main_parameter(name: str) -> str:
    """Return the parameter that sets the strength of a technique of sdcdb: the first that is an amount."""
    fields = _fields(name)
    amounts = [field for field, each in fields.items() if "Amount" in str(each.annotation)]
    required = [field for field in _required(name) if field in amounts or fields[field].annotation in {int, float}]
    main = _MAIN.get(name) or next(iter(required or amounts), None)
    if main is None:
        raise SdcdbError(f"{name} has several parameters ({', '.join(fields)}): write {name}:NAME=VALUE")
    return main


def _fields(name: str) -> dict[str, FieldInfo]:
    """Return the parameters of a technique, named as in a policy."""
    every = TECHNIQUES[name].params.model_fields.items()
    return {each.alias or field: each for field, each in every if field != "method"}


def _required(name: str) -> list[str]:
    return [field for field, each in _fields(name).items() if each.is_required()]


def _product(name: str, amount: str) -> Setting:
    given: dict[str, Any] = {}
    for part in amount.split("+"):
        key, equals, value = part.strip().partition("=")
        field = key if equals else main_parameter(name)
        given[field] = _value(name, field, value if equals else key)
    try:
        TECHNIQUES[name].params.model_validate({"method": name, **given})
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise SdcdbError(f"{name}:{amount}: {where + ' ' if where else ''}{first['msg']}") from None
    return Setting(name, "+".join(f"{key}={_word(value)}" for key, value in given.items()), tuple(given.items()))


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return "|".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(name: str, field: str, text: str) -> Any:
    """Read a value as a policy would: true, 5, 0.5, a text such as `5%`; `sex|dept` where a list is expected."""
    known = _fields(name).get(field)
    if known is not None and get_origin(known.annotation) is tuple:
        return tuple(text.split("|"))
    if known is not None and known.annotation in {str, str | None}:
        return text
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _share(name: str, text: str, most: float = float("inf")) -> str:
    try:
        amount = Amount(float(text.removesuffix("%")) / 100, relative=True)
    except ValueError:
        amount = Amount(-1)
    if not text.endswith("%") or not 0 < amount.value <= most:
        raise SdcdbError(
            f"{name}:{text}: write a share above 0%" + (" and up to 100%" if most == 1 else "") + ", as 5%"
        )
    return str(amount)


def _even(text: str) -> str:
    if not text.isdecimal() or int(text) < 2 or int(text) % 2:
        raise SdcdbError(
            f"{RESTRICTION}:{text}: write even query set sizes of 2 or more, for example 2,4,8 (CAE paper: Q = 2l)"
        )
    return str(int(text))


def _numeric(kind: Kind) -> bool:
    return kind in {Kind.NUMBER, Kind.ANY}
