"""The command line as somebody runs it: a real process with its own output and exit code, but loaded beforehand."""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from support.paths import SUPPORT
from support.warm_client import PATIENCE, served, wanted

COLD = [sys.executable, "-m", "sdcdb"]  # where starting is the point
PLAIN = {"NO_COLOR": "1", "COLUMNS": "200"}


@cache
def warm_folder() -> Path:
    """Start the server that forks commands, once for each process that tests.

    The folder holds its socket, and `bin/sdcdb`: first on the PATH of a shell, it is served there too.
    """
    held = tempfile.TemporaryDirectory(prefix="sdcdb-warm-")
    folder = Path(held.name)
    command = [sys.executable, str(SUPPORT / "warm_server.py"), str(folder / "socket")]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    program = folder / "bin" / "sdcdb"
    program.parent.mkdir()
    client = f"{sys.executable} -IS {SUPPORT / 'warm_client.py'} {folder / 'socket'}"
    program.write_text(f'#!/bin/sh\nexec {client} "$@"\n', encoding="utf-8")
    program.chmod(0o700)

    def stop() -> None:
        server.communicate(timeout=PATIENCE)
        held.cleanup()

    atexit.register(stop)
    return folder


def run(
    *arguments: str | Path,
    cwd: Path,
    code: int | None = 0,
    environment: Mapping[str, str] | None = None,
    stdin: str = "",
    python: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `sdcdb` with these arguments, or a piece of Python; it must end with this exit code, if one is named.

    `environment` takes the place of this process's.
    """
    given = {**(os.environ if environment is None else environment), **PLAIN}
    words = [str(each) for each in arguments]
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as noted, tempfile.TemporaryFile() as told:
        told.write(stdin.encode())
        told.seek(0)
        streams = [stream.fileno() for stream in (told, said, noted)]
        ended = served(str(warm_folder() / "socket"), wanted(words, str(cwd), given, python), streams)
        said.seek(0)
        noted.seek(0)
        done = subprocess.CompletedProcess(words, ended, said.read().decode(), noted.read().decode())
    assert code is None or ended == code, f"{words}\n{done.stdout}\n{done.stderr}"
    return done


def run_script(
    script: Path, *arguments: str | Path, cwd: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a script with its folder on the path, as `python SCRIPT` does; it may end as it likes."""
    python = f"import runpy, sys; sys.path.insert(0, {str(script.parent)!r}); "
    python += f"runpy.run_path({str(script)!r}, None, '__main__')"
    return run(*arguments, cwd=cwd, code=None, environment=environment, python=python)


def run_json(*arguments: str | Path, cwd: Path, code: int = 0, environment: Mapping[str, str] | None = None) -> Any:
    """As `run`, with --json; return what it says."""
    return json.loads(run(*arguments, "--json", cwd=cwd, code=code, environment=environment).stdout)
