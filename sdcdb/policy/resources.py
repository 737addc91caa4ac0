"""What one statement, and one user, may take of the machine."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from sdcdb.fields.strict import Strict
from sdcdb.policy.defaults import DEFAULTS

_GIVEN = DEFAULTS["resources"]
_SIZE = r"^[0-9]+(\.[0-9]+)? ?[KMGT]?B$"


def _size(given: Any) -> Any:
    if not isinstance(given, str) or not re.fullmatch(_SIZE, given):
        raise PydanticCustomError("size", "must be a size such as 512MB or 2GB, not {given}", {"given": repr(given)})
    return given


Size = Annotated[str, BeforeValidator(_size), Field(json_schema_extra={"pattern": _SIZE})]


class Resources(Strict):
    """Limits on analysts' statements, so that nobody has to wait for somebody else's. Defaults: `defaults.yaml`."""

    seconds: float = Field(default=_GIVEN["seconds"], gt=0)
    """How long a statement may run before it is stopped."""
    memory: Size = Field(default=_GIVEN["memory"])
    """The memory that DuckDB may take for one statement, such as `512MB`. Nothing is written to disk."""
    result: Size = Field(default=_GIVEN["result"])
    """The largest result that is sent."""
    workers: int = Field(default=_GIVEN["workers"], ge=1, strict=True)
    """The most worker processes. They are started when they are needed."""
    per_user: int = Field(default=_GIVEN["per_user"], ge=1, strict=True)
    """Statements of one user that are at work at the same time."""
    queue: int = Field(default=_GIVEN["queue"], ge=0, strict=True)
    """Statements of one user that wait; more are denied."""
