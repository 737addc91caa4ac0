"""`sdcdb serve`."""

import ipaddress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sdcdb.cli.arguments import PolicyOption
from sdcdb.errors import MissingExtraError, SdcdbError
from sdcdb.terminal.output import Output, QuietOption

if TYPE_CHECKING:
    from sdcdb.cli.serving import Address, Doors, Listening
    from sdcdb.gateway.server.service import Service

PG = "127.0.0.1:5433"
HTTP = "127.0.0.1:8480"


def serve(
    db: Annotated[Path | None, typer.Argument(metavar="[DB]", help="A DuckDB database file.")] = None,
    policy: PolicyOption = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Settings in YAML; options given here come first.")
    ] = None,
    pg: Annotated[
        str | None, typer.Option("--pg", metavar="HOST:PORT", help=f"For PostgreSQL clients. Default: {PG}; or `off`.")
    ] = None,
    http: Annotated[
        str | None, typer.Option("--http", metavar="HOST:PORT", help=f"API and console. Default: {HTTP}; or `off`.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="The certificate chain, in PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key, in PEM.")] = None,
    without_tls: Annotated[
        bool, typer.Option("--without-tls", help="Listen beyond this machine without encryption.")
    ] = False,
    demo: Annotated[bool, typer.Option("--demo", help="Create the demo company in a new folder, with users.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Serve a database to analysts, auditors and owners, through PostgreSQL clients and a web console."""
    import asyncio

    from sdcdb.cli.hangups import Hangups
    from sdcdb.cli.serve_config import read_config

    hangups = Hangups()  # before the slow imports, and before anything is opened
    try:
        from sdcdb.cli.serving import serve as run
        from sdcdb.connection.connect import must_be_a_database
        from sdcdb.gateway.auth.users import UserStore
        from sdcdb.gateway.auth.users_file import users_path
        from sdcdb.gateway.inference.rehearsal import rehearse
        from sdcdb.gateway.server.json_log import log_to
        from sdcdb.gateway.server.service import Service
    except ModuleNotFoundError:
        raise MissingExtraError("server", "the server") from None
    out = Output(quiet=quiet)
    given = {"pg": pg, "http": http, "tls_cert": tls_cert, "tls_key": tls_key, "policy": policy, "database": db}
    settings = read_config(config, {**given, "without_tls": without_tls or None})
    people: dict[str, str] = {}
    if demo:
        from sdcdb.cli.serve_demo import create_demo

        settings, people = create_demo(settings)
    if settings.database is None:
        raise SdcdbError("name a database: `sdcdb serve DB`, or try `sdcdb serve --demo`")
    must_be_a_database(settings.database)  # before its policy is missed
    doors = _doors(settings)
    log_to()
    users = UserStore(users_path(settings.database))
    with out.progress("loading the audit"):
        rehearse()  # or the first analyst would wait for it
    with Service(settings.database, settings.policy, users, settings.capacity()) as service:

        def opened(listening: "Listening") -> None:
            _say(out, service, doors, listening, people)

        asyncio.run(run(service, doors, opened, hangups))


def _doors(settings: Any) -> "Doors":
    """Read where to listen. Beyond this machine, that takes TLS, or the words that it does not."""
    from sdcdb.cli.serving import Doors

    tls = None
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise SdcdbError("--tls-cert and --tls-key belong together: give both")
    if settings.tls_cert is not None:
        tls = (settings.tls_cert, settings.tls_key)
    found = Doors(_address("--pg", settings.pg), _address("--http", settings.http), tls)
    if found.pg is None and found.http is None:
        raise SdcdbError("both doors are off: leave one on")
    for option, address in (("--pg", found.pg), ("--http", found.http)):
        if address is not None and tls is None and not settings.without_tls and not _loopback(address[0]):
            raise SdcdbError(
                f"{option} {address[0]}:{address[1]} can be reached from other machines: give --tls-cert and "
                "--tls-key, or say --without-tls if something in front of it encrypts"
            )
    return found


def _address(option: str, text: str) -> "Address | None":
    """Read HOST:PORT or [HOST]:PORT; None for `off`."""
    if text.strip().lower() == "off":
        return None
    host, colon, port = text.strip().rpartition(":")
    if not colon or not host or not port.isdigit() or int(port) > 65_535:
        raise SdcdbError(f"{option} {text!r}: write HOST:PORT, for example 127.0.0.1:5433, or off")
    return host.strip("[]"), int(port)


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _say(out: Output, service: "Service", doors: "Doors", listening: "Listening", people: dict[str, str]) -> None:
    """Say what listens where, which tables are behind it, and how to connect."""
    from sdcdb.gateway.server.shown import show_tables

    said = [f"Serving {service.path}: "]
    said[0] += ", ".join(f"{table.name} ({table.kind})" for table in show_tables(service.relations)) or "no tables"
    users = service.users.users()
    somebody = next((user.name for user in users), "NAME")
    if listening.postgres is not None:
        host, port = listening.postgres.address
        mode = "verify-full" if doors.tls else "disable"
        line = f"psql 'host={host} port={port} dbname={service.path.stem} user={somebody} sslmode={mode}'"
        said += [f"PostgreSQL  {host}:{port}{' with TLS' if doors.tls else ''}", f"            {line}"]
    if listening.http is not None:
        said.append(f"Console     {listening.http.url}")
    if not users:
        said.append(f"There are no users yet: sdcdb user add {service.path} NAME --access analyst")
    if people:
        said.append("Log in as   " + ", ".join(f"{name} (password {password})" for name, password in people.items()))
    for line in said:
        out.console.print(line, markup=False, highlight=False, soft_wrap=True)
