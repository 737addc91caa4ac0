"""A table about which nothing is answered until its owner acts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Halt:
    """The rule that stops answers about a table, and what the owner should know. Analysts see the rule only."""

    table: str
    rule: str
    why: tuple[str, ...] = ()
