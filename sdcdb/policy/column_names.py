"""What the name of a column says about it, by the words of `words.yaml`."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from sdcdb.policy.defaults import load_data

LONG = 4  # letters from which a word also counts at the end of a longer one; one more at its beginning
VERY_LONG = 7  # and from which it counts in the middle


@dataclass(frozen=True)
class Meaning:
    """A kind of column: the role it has, its words, and when it applies."""

    kind: str
    role: str
    words: frozenset[str]
    """Single words, and several written together."""
    only: str = ""
    """`text`, `time` or `calendar`: the type it takes. A number tells a time as a year or a date, and a part of the
    calendar, written in the singular, as a day, a week or a month of it: `days` and `hours_per_week` are amounts."""
    most: int = 0
    """The most different values it may have; 0 is any number."""
    weak: bool = False


@dataclass(frozen=True)
class Said:
    """A meaning, and the word that says it."""

    meaning: Meaning
    word: str


def plain(text: str) -> str:
    """Return text in small letters without accents; German umlauts as they are spelt without them.

    >>> plain("Größe"), plain("Prénom")
    ('groesse', 'prenom')
    """
    text = text.lower()
    for letter, spelt in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        text = text.replace(letter, spelt)
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def tokens(name: str) -> list[str]:
    """Split a name into words.

    >>> tokens("dateOfBirth"), tokens("PATIENT_ID2"), tokens("lo_custkey")
    (['date', 'of', 'birth'], ['patient', 'id', '2'], ['lo', 'cust', 'key'])
    """
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name))
    return re.findall(
        r"[a-z]+|[0-9]+", re.sub(r"(?<=[a-z]{3})(key|number|nummer)\b", r" \1", plain(apart).replace("_", " "))
    )


def core(name: str) -> tuple[str, ...]:
    """Return the words of a name without the short one that stands for its table.

    >>> core("c_custkey") == core("lo_custkey") == ("cust", "key")
    True
    """
    words = tokens(name)
    return tuple(words[1:] if len(words) > 2 and len(words[0]) <= 3 else words)


@cache
def meanings() -> tuple[Meaning, ...]:
    """Return every meaning in the order of the file."""
    return tuple(
        Meaning(
            kind=each["kind"],
            role=each["role"],
            words=frozenset(plain(word).replace(" ", "") for word in each["words"]),
            only=each.get("only", ""),
            most=each.get("most", 0),
            weak=each.get("weak", False),
        )
        for each in load_data("words.yaml")
    )


def read_name(name: str) -> list[Said]:
    """Return every meaning that a name may have: whole words first, then words inside longer ones, weak ones last."""
    words = tokens(name)
    together = {"".join(words[i:j]): j - i for i in range(len(words)) for j in range(i + 1, min(i + 4, len(words)) + 1)}
    whole: list[Said] = []
    inside: list[Said] = []
    weak: list[Said] = []
    for meaning in meanings():
        hits = [word for word in together if word in meaning.words or _singular(word) in meaning.words]
        if hits:
            best = max(hits, key=len)
            (weak if meaning.weak else whole).append(Said(meaning, best))
        elif (part := _part(words, meaning)) is not None:
            (weak if meaning.weak else inside).append(Said(meaning, part))
    several = [said for said in whole if together[said.word] > 1]  # `grade level` says more than `grade`
    return [*(said for said in whole if not any(_covers(other, said) for other in several)), *inside, *weak]


def _covers(longer: Said, shorter: Said) -> bool:
    """Tell whether several words together say more than one of them alone."""
    return longer is not shorter and len(longer.word) > len(shorter.word) and shorter.word in longer.word


def _singular(word: str) -> str:
    return word[:-1] if len(word) > LONG and word.endswith("s") else word


def _part(words: list[str], meaning: Meaning) -> str | None:
    """Find a long word at the beginning or end of a longer one: geburtsdatum, wohnort.

    What is dangerous is found in the middle as well: currentillnessdate. A class to predict is called so by itself: in
    a longer word, as in lohnsteuerklasse, it is a class of something else.
    """
    if meaning.role == "class":
        return None
    dangerous = meaning.role in {"identifier", "confidential"}
    for word in words:
        for known in sorted(meaning.words, key=len, reverse=True):
            longer = len(word) > len(known) + 1
            if longer and (
                (len(known) >= LONG and word.endswith(known))
                or (len(known) > LONG and word.startswith(known))
                or (dangerous and len(known) >= VERY_LONG and known in word)
            ):
                return known
    return None
