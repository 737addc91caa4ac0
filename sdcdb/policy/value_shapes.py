"""What the values of a column look like: e-mail addresses, phone numbers, names of people, free text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sdcdb.policy.column_names import plain
from sdcdb.policy.defaults import load_data

MOST = 0.8  # the share of values that must have a shape
NAMES = 0.12  # the share of values with a frequent name that makes a column one of names
FREE_WORDS = 4  # words of an average value of free text


@dataclass(frozen=True)
class Shape:
    """What values look like, and the role that follows."""

    kind: str
    role: str


_TITLED = re.compile(
    r"(Herrn?|Hr|Frau|Fr|Dr|Dra|Prof|Mr|Mrs|Ms|Miss|Mx|Sir|Rev|Mme|Mlle|MM?|Ma[iî]tre|Me|Sr|Sra|Srta|Sig|Sig\.ra|Dott|"
    r"Dott\.ssa|Avv|Don|Do[nñ]a|Dhr|Mevr|Mw|Eng|Ing)\.? (?:(Dr|Prof)\.? )*[A-Z\u00c0-\u00dc][\w'-]+.{0,40}"
)
_PATTERNS = (
    (Shape("people with their titles", "identifier"), _TITLED),
    (Shape("e-mail addresses", "identifier"), re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    (Shape("IBANs", "identifier"), re.compile(r"[A-Z]{2}[0-9]{2}[ ]?([A-Z0-9]{4}[ ]?){2,7}[A-Z0-9]{1,4}")),
    (Shape("UUIDs", "identifier"), re.compile(r"[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")),
    (Shape("web addresses", "identifier"), re.compile(r"(https?://|www\.)\S+")),
    (Shape("IP addresses", "identifier"), re.compile(
        r"([0-9]{1,3}\.){3}[0-9]{1,3}|([0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}")),
    (Shape("social security numbers", "identifier"), re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{4}")),
    (Shape("dates", "quasi"), re.compile(
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}")),
    (Shape("phone numbers", "identifier"), re.compile(r"(?=(?:[^0-9]*[0-9]){7,15}[^0-9]*$)(\+|0|\()[0-9 ()./-]{6,}|"
                                                      r"(1[ .-])?\(?[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{3,4}")),
    (Shape("card numbers", "identifier"), re.compile(r"[0-9]{4}([ -]?[0-9]{4}){2}[ -]?[0-9]{1,4}")),
    (Shape("street addresses", "identifier"), re.compile(r"[0-9]{1,5}[a-z]? [A-Z\u00c0-\u00dc][\w'. -]{3,}|"
                                                         r"[A-Z\u00c0-\u00dc][\w'. -]{3,} [0-9]{1,4}[a-zA-Z]?")),
    (Shape("postcodes", "quasi"), re.compile(r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}|[0-9]{4} ?[A-Z]{2}|"
                                             r"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]|[0-9]{5}(-[0-9]{4})?")),
    (Shape("coordinates", "quasi"), re.compile(r"\(?-?[0-9]{1,3}\.[0-9]{3,}[,; ] ?-?[0-9]{1,3}\.[0-9]{3,}\)?")),
)  # fmt: skip
_BEYOND_DOUBT = frozenset(["people with their titles", "e-mail addresses", "IBANs", "web addresses", "phone numbers"])


def read_values(values: Sequence[str]) -> Shape | None:
    """Return the shape that most of the given different values have, if any."""
    seen = _seen(values)
    if len(seen) < 3:
        return _of_few(seen) if seen else None
    for shape, pattern in _PATTERNS:
        if sum(bool(pattern.fullmatch(value)) for value in seen) >= MOST * len(seen):
            return shape
    if _names(seen):
        return Shape("names of people", "identifier")
    if len(seen) > 20 and are_sentences(values):
        return Shape("free text", "identifier")
    return None


def _of_few(values: list[str]) -> Shape | None:
    """Return the shape that one or two values have beyond doubt."""
    if _names(values):
        return Shape("names of people", "identifier")
    plain_ones = (each for each in _PATTERNS if each[0].kind in _BEYOND_DOUBT)
    return next((shape for shape, pattern in plain_ones if all(map(pattern.fullmatch, values))), None)


def are_sentences(values: Sequence[str]) -> bool:
    """Tell whether values have as many words as free text has, however few they are."""
    seen = _seen(values)
    return bool(seen) and sum(len(value.split()) for value in seen) >= FREE_WORDS * len(seen)


def are_sexes(values: Sequence[str]) -> bool:
    """Tell whether values are words or letters for the sexes, in one of the languages: both of two, perhaps others.

    >>> are_sexes(["M", "V"]), are_sexes(["Mme", "M"]), are_sexes(["A", "M"])
    (True, True, False)
    """
    seen = {plain(value).rstrip(".") for value in _seen(values)}
    male, female, other = (frozenset(load_data("person_names.yaml")["sexes"][each]) for each in ("m", "f", "x"))
    return bool(seen & male) and bool(seen & female) and seen <= male | female | other


def say_yes_or_no(values: Sequence[str]) -> bool:
    """Tell whether texts are yes and no, in one of the languages; none at all, of a column of numbers, may be.

    >>> say_yes_or_no(["Y", "N"]), say_yes_or_no(["Dr. A", "Dr. B"]), say_yes_or_no([])
    (True, False, True)
    """
    return {plain(value) for value in _seen(values)} <= frozenset(load_data("person_names.yaml")["yes_or_no"])


def _seen(values: Sequence[str]) -> list[str]:
    return [value.strip() for value in values if value and value.strip()]


def _names(values: list[str]) -> bool:
    """Tell whether values are names: capitalised words without digits, some of them frequent names, or all of them."""
    if all(set(re.findall(r"[a-z]+", plain(value)) or [""]) <= _known() for value in values):
        return True
    like = [
        v for v in values if len(v) < 50 and len(v.split()) <= 4 and v[:1].isupper() and not re.search(r"[0-9_/&]", v)
    ]
    if len(like) < MOST * len(values):
        return False
    known = sum(any(part in _known() for part in re.findall(r"[a-z]+", plain(value))) for value in like)
    return known >= max(min(3, len(values)), NAMES * len(values))


@cache
def _known() -> frozenset[str]:
    found = load_data("person_names.yaml")
    return frozenset(found["given"]) | frozenset(found["family"])
