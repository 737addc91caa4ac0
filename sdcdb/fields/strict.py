"""The base of every policy model: frozen, and closed to fields that it does not know.

What a field is for stands below it, as a text, in its class. It is read from the source when somebody asks: pydantic
would read all classes at every start.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError


class Strict(BaseModel):
    """A frozen model that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)  # built when first used

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add what each field is for."""
        made = handler(core)
        said = described(cls)
        for name, schema in handler.resolve_ref_schema(made).get("properties", {}).items():
            if name in said:
                schema.setdefault("description", said[name])
        return made


@cache
def described(model: type[BaseModel]) -> dict[str, str]:
    """Return what the fields of a model are for, by the names that a policy writes."""
    said: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, Strict):
            (own,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
            said |= dict(_texts_below(own))
    return {name: said[field] for field, name in _names(model).items() if field in said}


def _texts_below(own: ast.stmt) -> Iterable[tuple[str, str]]:
    """Yield each field of a class with the text below it."""
    for field, text in pairwise(own.body if isinstance(own, ast.ClassDef) else []):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(said))):
                yield name, inspect.cleandoc(said)


def _names(model: type[BaseModel]) -> dict[str, str]:
    return {name: field.alias or name for name, field in model.model_fields.items()}


def written(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by the names that a policy writes: `class`, where Python needs `class_`."""
    return {name: model.model_fields[field] for field, name in _names(model).items()}


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
