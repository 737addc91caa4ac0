"""The methods that a policy may name: the parameters of every technique that there is.

Techniques are loaded when a policy first has one: a policy that only restricts does without.
"""

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

if TYPE_CHECKING:
    from sdcdb.techniques.technique import Params


@cache
def methods() -> dict[str, "type[Params]"]:
    """Return the parameters of every technique."""
    from sdcdb.techniques.registry import TECHNIQUES

    return {name: technique.params for name, technique in TECHNIQUES.items()}


@cache
def row_methods() -> dict[str, "type[Params]"]:
    """Return the parameters of the techniques that choose or change whole records."""
    from sdcdb.techniques.registry import TECHNIQUES
    from sdcdb.techniques.technique import Kind

    return {name: params for name, params in methods().items() if TECHNIQUES[name].kind is Kind.RECORD}


@cache
def column_methods() -> dict[str, "type[Params]"]:
    """Return the parameters of the techniques that change columns."""
    return {name: params for name, params in methods().items() if name not in row_methods()}


class _OneOf:
    """One of some methods, told apart by `method`."""

    def __init__(self, *, rows: bool) -> None:
        self._rows = rows

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._validated)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(self._adapter().core_schema)

    def _validated(self, given: Any) -> Any:
        return self._adapter().validate_python(given)

    def _adapter(self) -> TypeAdapter[Any]:
        return _adapter(rows=self._rows)


@cache
def _adapter(*, rows: bool) -> TypeAdapter[Any]:
    models: Any = tuple((row_methods() if rows else column_methods()).values())
    kind: Any = Annotated[Union[models], Field(discriminator="method")] if len(models) > 1 else models[0]  # noqa: UP007 - made at run time
    return TypeAdapter(kind)


if TYPE_CHECKING:
    Method = Params
    RowMethod = Params
else:
    Method = Annotated[Any, _OneOf(rows=False)]
    RowMethod = Annotated[Any, _OneOf(rows=True)]
