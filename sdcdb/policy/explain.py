"""From pydantic's errors to sentences that say what is allowed and which name was probably meant."""

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sdcdb.errors import choices
from sdcdb.fields.strict import described, written
from sdcdb.policy.methods import column_methods, methods
from sdcdb.policy.models import Policy

FieldPath = tuple[str | int, ...]

# pydantic's limits in our words.
_LIMITS = {"greater_than": "above {gt}", "greater_than_equal": "at least {ge}", "less_than": "below {lt}"}
_KINDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
}


def explain(error: ValidationError, data: Any) -> Iterator[tuple[FieldPath, str, str]]:
    """Yield the path, the dotted field and a helpful message for each thing that is wrong."""
    for details in error.errors():
        path = _path_in(data, details["loc"])
        yield path, ".".join(str(part) for part in path), _message(details, path, data)


def _message(details: ErrorDetails, path: FieldPath, data: Any) -> str:  # noqa: PLR0911 - one return per kind of mistake
    kind, context, given = details["type"], details.get("ctx", {}), details.get("input")
    if kind == "extra_forbidden":
        return f"is not a known field; {choices(str(path[-1]), _fields(_model_at(path[:-1], data)))}"
    if kind == "missing":
        return f"is required{_meaning(path, data)}"
    if kind in {"literal_error", "enum"}:
        return f"{given!r} is not allowed; {choices(str(given), _values(context['expected']))}"
    if kind == "union_tag_invalid":
        allowed = methods() if "columns" not in path else column_methods()
        return f"{context['tag']!r} is not a method; {choices(str(context['tag']), allowed)}"
    if kind == "union_tag_not_found":
        return f"needs a method; {choices('', column_methods())}, as in {{method: normal, sd: 10%}}"
    if kind in {"too_short", "too_long"}:
        length = context.get("min_length", context.get("max_length"))
        return f"must hold {'at least' if kind == 'too_short' else 'at most'} {length}, not {context['actual_length']}"
    if kind in _LIMITS:
        return f"must be {_LIMITS[kind].format(**context)}, not {given!r}"
    if kind in _KINDS:
        return f"must be {_KINDS[kind]}, not {given!r}{_meaning(path, data)}"
    return str(details["msg"])


def _values(expected: str) -> list[str]:
    """Read the allowed values back from pydantic's "'a', 'b' or 'c'"."""
    return [value.strip().strip("'") for value in expected.replace(" or ", ", ").split(",")]


def _path_in(data: Any, loc: FieldPath) -> FieldPath:
    """Leave out of pydantic's location what does not stand in the file, such as the tag of a union."""
    path: list[str | int] = []
    for position, part in enumerate(loc):
        if part in (data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()):
            data = data[part]
        elif position < len(loc) - 1 or not isinstance(data, dict) or part in methods():
            continue
        path.append(part)
    return tuple(path)


def _model_at(path: FieldPath, data: Any) -> type[BaseModel] | None:
    """Return the model that describes the mapping at `path`."""
    annotation: Any = Policy
    for part in path:
        data = data[part]
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            annotation = annotation.model_fields[str(part)].annotation
        else:
            annotation = get_args(annotation)[1]  # dict[str, X]
        annotation = _unwrap(annotation, data)
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _unwrap(annotation: Any, data: Any) -> Any:
    """Look through Annotated and Optional; which method it is, the data's `method` says."""
    if get_origin(annotation) in {Union, UnionType}:
        annotation = next(option for option in get_args(annotation) if option is not type(None))
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if annotation is Any and isinstance(data, dict) and data.get("method") in methods():
        return methods()[data["method"]]
    return annotation


def _fields(model: type[BaseModel] | None) -> list[str]:
    return list(written(model)) if model else []


def _meaning(path: FieldPath, data: Any) -> str:
    """Say what a field is for, from its own documentation."""
    model = _model_at(path[:-1], data)
    meaning = described(model).get(str(path[-1])) if model and path else None
    return f": {' '.join(meaning.split())}" if meaning else ""
