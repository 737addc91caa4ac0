"""What a session can SET and SHOW. Nothing of it changes what is answered."""

import re
from collections.abc import Iterator

from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.version import __version__

SERVER_VERSION = "15.4"
REPORTED = (
    "server_version",
    "server_encoding",
    "client_encoding",
    "application_name",
    "is_superuser",
    "session_authorization",
    "DateStyle",
    "IntervalStyle",
    "TimeZone",
    "integer_datetimes",
    "standard_conforming_strings",
    "default_transaction_read_only",
    "in_hot_standby",
)
_FIXED = {
    "server_version": f"{SERVER_VERSION} (sdcdb {__version__})",
    "server_version_num": "150004",
    "server_encoding": "UTF8",
    "is_superuser": "off",
    "integer_datetimes": "on",
    "default_transaction_read_only": "on",
    "transaction_read_only": "on",
    "in_hot_standby": "off",
    "max_identifier_length": "63",
    "max_index_keys": "32",
    "block_size": "8192",
    "lc_collate": "C",
    "lc_ctype": "C",
    "timezone": "UTC",
    "intervalstyle": "postgres",
    "datestyle": "ISO, MDY",
    "client_encoding": "UTF8",
    "standard_conforming_strings": "on",
    "transaction_isolation": "read committed",
    "default_transaction_isolation": "read committed",
    "search_path": "main",
    "wal_level": "minimal",
    "password_encryption": "scram-sha-256",
    "default_tablespace": "",
    "default_table_access_method": "heap",
    "lc_messages": "C",
    "lc_monetary": "C",
    "lc_numeric": "C",
    "lc_time": "C",
    "data_directory_mode": "0700",
    "default_transaction_deferrable": "off",
    "transaction_deferrable": "off",
    "row_security": "on",
    "ssl": "on",
}
_START = {
    "application_name": "",
    "extra_float_digits": "1",
    "statement_timeout": "0",
    "bytea_output": "hex",
    "client_min_messages": "notice",
}
_SET = re.compile(r"SET\s+(?:SESSION\s+|LOCAL\s+)?([A-Za-z_][\w.]*)\s*(?:=|\bTO\b)\s*(.*)", re.IGNORECASE | re.DOTALL)
_SHOW = re.compile(r"SHOW\s+(.+)", re.IGNORECASE | re.DOTALL)
_SPELT = {"transaction isolation level": "transaction_isolation", "time zone": "timezone", "all": "all"}
_MOST = 200
_LONGEST = 1_000


class Settings:
    """The settings of one session."""

    def __init__(self, user: str) -> None:
        self._values = dict(_START) | {"session_authorization": user}

    def reported(self) -> Iterator[tuple[str, str]]:
        """Yield what a client is told at its start."""
        for name in REPORTED:
            yield name, self.get(name)

    def get(self, name: str) -> str:
        """Return a setting."""
        key = name.strip().strip('"').lower()
        if key in _FIXED:
            return _FIXED[key]
        if key in self._values:
            return self._values[key]
        raise Refusal("42704", "unrecognized configuration parameter")

    def all(self) -> list[tuple[str, str]]:
        """Return all settings by name."""
        return sorted((_FIXED | self._values).items())

    def put(self, name: str, value: str) -> str | None:
        """Set something; return its name if the client is to be told. What cannot change stays as it is."""
        key = name.strip().strip('"').lower()
        plain = value.strip().strip("'")
        if key == "client_encoding" and plain.replace("-", "").upper() not in {
            "UTF8",
            "UNICODE",
            "SQL_ASCII",
            "DEFAULT",
        }:
            raise Refusal("22023", "the client encoding is UTF8", hint="set client_encoding to UTF8")
        if key in {"default_transaction_read_only", "transaction_read_only"} and plain.lower() in {"off", "false"}:
            raise Refusal("25006", "every transaction is read-only here")
        if key not in _FIXED:
            if len(self._values) >= _MOST and key not in self._values:
                raise Refusal("53000", "too many settings")
            self._values[key] = plain[:_LONGEST]
        return "application_name" if key == "application_name" else None

    def run_set(self, statement: str) -> str | None:
        """Run SET; other forms of it, such as SET TRANSACTION or SET TIME ZONE, change nothing."""
        found = _SET.match(statement)
        return None if found is None else self.put(found.group(1), found.group(2))

    def run_show(self, statement: str) -> tuple[str, str | None]:
        """Run SHOW: return a name and its value, or `all` and None."""
        found = _SHOW.match(statement)
        asked = " ".join(found.group(1).split()).rstrip(";").strip() if found else ""
        name = _SPELT.get(asked.lower(), asked)
        return (name, None) if name.lower() == "all" else (name, self.get(name))
