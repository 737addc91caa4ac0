"""The methods that a policy may name: the parameters of every technique that there is."""

from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Field

from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import Kind, Params


def _union(methods: dict[str, type[Params]]) -> Any:
    """Return the type of "one of these, told apart by `method`"."""
    models = tuple(methods.values())
    return Annotated[Union[models], Field(discriminator="method")] if len(models) > 1 else models[0]  # noqa: UP007 - made at run time


METHODS = {name: technique.params for name, technique in TECHNIQUES.items()}
ROW_METHODS = {name: METHODS[name] for name, technique in TECHNIQUES.items() if technique.kind is Kind.RECORD}
COLUMN_METHODS = {name: METHODS[name] for name in METHODS if name not in ROW_METHODS}

if TYPE_CHECKING:
    Method = Params
    RowMethod = Params
else:
    Method = _union(COLUMN_METHODS)
    RowMethod = _union(ROW_METHODS)
