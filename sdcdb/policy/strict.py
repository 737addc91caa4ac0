"""The base of every policy model: frozen, and closed to fields that it does not know."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails, PydanticCustomError


class Strict(BaseModel):
    """A frozen model that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def written(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by the names that a policy writes: `class`, where Python needs `class_`."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def incoherent(model: Strict, problems: Iterable[tuple[tuple[str | int, ...], str]]) -> None:
    """Raise one error per (field path, message): for rules that look at more than one field."""
    details = [
        InitErrorDetails(
            type=PydanticCustomError("incoherent", "{why}", {"why": message}), loc=path, input=_at(model, path)
        )
        for path, message in problems
    ]
    if details:
        raise ValidationError.from_exception_data(type(model).__name__, details)


def _at(model: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        model = getattr(model, str(part), None) if isinstance(model, BaseModel) else model[part]
    return model
