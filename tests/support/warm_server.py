"""A process that has sdcdb loaded and forks a command for every request. Started by support.command as a script.

    python warm_server.py SOCKET

Loading sdcdb with DuckDB, pandas, SciPy and numba takes a process longer than most commands take. What is forked here
is a real process, with its own exit code, files, locks and signals; only the loading is shared. A request is a JSON
object behind its length, with the three standard streams beside it; the reply is the number of the process and, when
that has ended, its exit code. The server ends when its own standard input does.
"""

import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from functools import cache
from io import TextIOWrapper
from typing import Any

LAZY = ("pandas", "pyarrow.compute", "scipy.optimize", "scipy.stats", "sklearn.tree", "numba", "altair", "pygments")


def load() -> None:
    """Import whatever a command could import."""
    import sdcdb

    found = [module.name for module in pkgutil.walk_packages(sdcdb.__path__, "sdcdb.")]
    for name in (*found, *LAZY):
        if not name.endswith("__main__"):
            with suppress(ImportError):  # an extra that is not installed; the command will say so
                importlib.import_module(name)
    first_use()
    compiled()
    gc.collect()
    gc.freeze()


def first_use() -> None:
    """Do once what is only prepared on first use: the commands, reading a policy, and SQL in both dialects."""
    import sqlglot
    import typer.main

    from sdcdb.cli.main import app
    from sdcdb.policy.load import parse_document

    typer.main.get_command = cache(typer.main.get_command)
    typer.main.get_command(app)

    columns = "{id: identifier, age: quasi, pay: {role: confidential, domain: [0, 9]}}"
    parse_document(f"version: 1\ntables:\n  t: {{key: id, columns: {columns}}}\n")
    for dialect in ("duckdb", "spark"):
        sqlglot.parse_one("SELECT a FROM t WHERE b = 1", dialect=dialect).sql(dialect=dialect)


def compiled() -> None:
    """Fetch machine code from numba's cache. No DuckDB here: its threads would not come along when forking."""
    from sdcdb.gateway.inference.rehearsal import rehearse
    from sdcdb.measures import cae

    rehearse()
    cae([1.0, 2.0], [0.5, 0.5])


def read(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Read a request and its streams."""
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    size, text = int.from_bytes(head, "big"), b""
    while len(text) < size:
        text += connection.recv(size - len(text))
    request: dict[str, Any] = json.loads(text)
    return request, list(streams)


def become(request: dict[str, Any], streams: list[int]) -> None:
    """Be the command, up to its end."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.stdin, sys.stdout, sys.stderr = (
        TextIOWrapper(open(number, mode, closefd=False), encoding="utf-8", write_through=number == 2)  # noqa: SIM115
        for number, mode in ((0, "rb"), (1, "wb"), (2, "wb"))
    )
    sys.argv = ["sdcdb", *request["arguments"]]
    if request["code"] is None:
        runpy.run_module("sdcdb", run_name="__main__", alter_sys=True)
    else:
        sys.argv = ["-c", *request["arguments"]]
        exec(compile(request["code"], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - a page's example


def ended(request: dict[str, Any], streams: list[int]) -> int:
    """Run the command and return its exit code, as Python itself would."""
    try:
        become(request, streams)
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - as at the end of any program
        traceback.print_exc()
        code = 1
    else:
        code = 0
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def begin(connection: socket.socket, *others: socket.socket) -> int:
    """Fork the command that a client asks for; return the number of its process. It gets none of the sockets."""
    request, streams = read(connection)
    child = os.fork()
    if child == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (connection, *others):
            each.close()
        os._exit(ended(request, streams))  # taking down what is shared would take longer than most commands
    for stream in streams:
        os.close(stream)
    connection.sendall(child.to_bytes(8, "big"))
    return child


def reap(running: dict[int, socket.socket]) -> None:
    """Tell the clients of commands that have ended how they ended."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            child, status = found
            with running.pop(child) as connection, suppress(BrokenPipeError):
                connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, "big", signed=True))


def main() -> None:
    """Serve until standard input ends."""
    load()
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    running: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen()
        os.write(1, b"ready\n")
        while True:
            ready, _, _ = select.select([listening.fileno(), woken, 0], [], [])
            if woken in ready:
                os.read(woken, 4096)
                reap(running)
            if 0 in ready:
                return
            if listening.fileno() in ready:
                connection, _ = listening.accept()
                running[begin(connection, listening, *running.values())] = connection


if __name__ == "__main__":
    main()
    os._exit(0)
