"""serve.yaml: the settings of the server in a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from sdcdb.errors import SdcdbError
from sdcdb.fields.strict import Strict

if TYPE_CHECKING:
    from sdcdb.gateway.server.service import Capacity


class ServeConfig(Strict):
    """What `sdcdb serve` takes. Paths are relative to the folder of the file."""

    database: Path | None = None
    """The DuckDB file."""
    policy: Path | None = None
    """The policy file. Default: beside the database."""
    pg: str = "127.0.0.1:5433"
    """Where PostgreSQL clients connect; `off` for nowhere."""
    http: str = "127.0.0.1:8480"
    """Where the API and the console are; `off` for nowhere."""
    tls_cert: Path | None = None
    """The certificate chain, in PEM."""
    tls_key: Path | None = None
    """Its key, in PEM."""
    without_tls: bool = False
    """Listen beyond this machine without encryption."""
    threads: int = Field(default=8, ge=1, le=256)
    """Statements that run at once."""
    per_user: int = Field(default=4, ge=1, le=256)
    """Statements of one user that run at once."""
    seconds: float = Field(default=60.0, gt=0)
    """How long one statement may run."""
    memory: str = "2GB"
    """What one statement may use."""
    refresh_seconds: float = Field(default=300.0, gt=0)
    """How often tables with `refresh: auto` are looked at."""

    def capacity(self) -> "Capacity":
        """Return what runs at once."""
        from sdcdb.gateway.server.service import Capacity

        return Capacity(
            self.threads,
            self.per_user,
            seconds=self.seconds,
            memory=self.memory,
            refresh_seconds=self.refresh_seconds,
        )


def read_config(file: Path | None, given: dict[str, Any]) -> ServeConfig:
    """Read the file, if one is named, under what was given on the command line."""
    found: dict[str, Any] = {}
    if file is not None:
        found = _read(file)
        for name in ("database", "policy", "tls_cert", "tls_key"):
            if isinstance(found.get(name), str):
                found[name] = file.parent / found[name]
    try:
        return ServeConfig.model_validate(found | {name: value for name, value in given.items() if value is not None})
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SdcdbError(f"{file or 'the options'}: {where}: {first['msg']}") from None


def _read(file: Path) -> dict[str, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        found = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
    except OSError as problem:
        raise SdcdbError(f"cannot read {file}: {problem.strerror}") from None
    except (YAMLError, UnicodeDecodeError):
        raise SdcdbError(f"{file} is not YAML") from None
    if found is not None and not isinstance(found, dict):
        raise SdcdbError(f"{file}: write one setting per line, for example `pg: 127.0.0.1:5433`")
    return dict(found or {})
