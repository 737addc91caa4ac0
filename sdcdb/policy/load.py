"""Reading a policy file: YAML with line numbers in, a frozen `Policy` out, or every mistake with its line."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from sdcdb.errors import PolicyError, Problem
from sdcdb.fields.category_shares import text_of
from sdcdb.policy.decisions import open_decisions
from sdcdb.policy.explain import explain
from sdcdb.policy.models import Policy

FieldPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """A policy with the file and the line of each of its fields, for messages about it."""

    file: str
    policy: Policy
    lines: Mapping[FieldPath, int]
    decisions: tuple[int, ...] = ()
    """The lines that are marked CHECK: its owner has not decided yet."""

    def line(self, path: FieldPath) -> int | None:
        """Return the line of a field, or of the nearest field around it."""
        return nearest_line(self.lines, path)


def load_policy(path: str | Path) -> Policy:
    """Read and validate a policy file, or raise `PolicyError` with every mistake found."""
    return load_document(path).policy


def load_document(path: str | Path) -> Document:
    """As `load_policy`, with line numbers."""
    file = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PolicyError(
            file, [Problem("", "there is no such policy file; `sdcdb init DB` writes one to start from")]
        ) from None
    except UnicodeDecodeError as problem:
        raise PolicyError(file, [Problem("", f"is not UTF-8 text ({problem.reason}): is it the policy?")]) from None
    except OSError as problem:
        raise PolicyError(file, [Problem("", f"cannot be read: {problem.strerror}")]) from None
    return parse_document(text, file)


def parse_document(text: str, file: str = "policy") -> Document:
    """Validate the text of a policy."""
    policy, lines, problems = _parse(text)
    if policy is None:
        raise PolicyError(file, list(problems))
    return Document(file, policy, lines, tuple(open_decisions(text)))


@lru_cache(maxsize=32)  # YAML takes as long as opening the database, and programs read one policy several times
def _parse(text: str) -> tuple[Policy | None, Mapping[FieldPath, int], tuple[Problem, ...]]:
    """Return the policy with the line of each field, or no policy and what is wrong with the text."""
    try:
        tree = YAML(typ="rt", pure=True).load(StringIO(text))
    except YAMLError as problem:
        return None, {}, (_yaml_problem(problem),)
    if not isinstance(tree, CommentedMap):
        advice = "must be a mapping that starts with `version: 1`; `sdcdb init DB` writes one to start from"
        return None, {}, (Problem("", advice),)
    lines: dict[FieldPath, int] = {}
    problems: list[Problem] = []
    data = _plain(tree, (), lines, problems)
    policy = None
    try:
        policy = Policy.model_validate(data)
    except ValidationError as error:
        problems += [
            Problem(field, message, nearest_line(lines, path)) for path, field, message in explain(error, data)
        ]
    found = None if problems else policy
    return found, MappingProxyType(lines), tuple(sorted(problems, key=lambda problem: problem.line or 0))


def nearest_line(lines: Mapping[FieldPath, int], path: FieldPath) -> int | None:
    """Return the line of `path`, or of its nearest ancestor in the file."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _plain(node: Any, path: FieldPath, lines: dict[FieldPath, int], problems: list[Problem]) -> Any:
    """Turn the YAML tree into plain Python values, noting the line of each."""
    if isinstance(node, CommentedMap):
        plain = {}
        for key, value in node.items():
            line = node.lc.key(key)[0] + 1 if key in node.lc.data else lines.get(path, 1)
            if isinstance(key, int | float | None) and path[-1:] == ("known",):
                key = text_of(key)  # noqa: PLW2901 - a value of the column
            if not isinstance(key, str):
                problems.append(Problem(dotted((*path, str(key))), f'write the name in quotes: "{key}"', line))
                continue
            lines[*path, key] = line
            plain[key] = _plain(value, (*path, key), lines, problems)
        return plain
    if isinstance(node, CommentedSeq):
        for index in range(len(node)):
            lines[*path, index] = node.lc.item(index)[0] + 1
        return [_plain(value, (*path, index), lines, problems) for index, value in enumerate(node)]
    if isinstance(node, bool):
        return bool(node)
    for kind in (int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return node


def _yaml_problem(problem: YAMLError) -> Problem:
    if isinstance(problem, MarkedYAMLError):
        mark = problem.problem_mark or problem.context_mark
        what = " ".join(str(problem.problem or problem.context or "").split())
        if "expected <block end>" in what:
            what = "this line is indented differently from its neighbours"
        return Problem("", f"is not valid YAML: {what}", mark.line + 1 if mark else None)
    return Problem("", f"is not valid YAML: {' '.join(str(problem).split())}")


def dotted(path: FieldPath) -> str:
    """Return `tables.staff.columns.age` for a path."""
    return ".".join(str(part) for part in path)
