"""Have the warm server run a command with these streams. Python alone: it starts in a moment, as it must.

python -IS warm_client.py SOCKET ARGUMENTS...
"""

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Any

PATIENCE = 120  # seconds


def served(place: str, request: Mapping[str, Any], streams: Sequence[int] = (0, 1, 2)) -> int:
    """Return the exit code of the command."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(place)
        text = json.dumps(request).encode()
        socket.send_fds(connection, [len(text).to_bytes(8, "big")], streams)
        connection.sendall(text)
        connection.recv(8)  # the number of the process
        return int.from_bytes(connection.recv(8), "big", signed=True)


def wanted(
    arguments: Sequence[str], folder: str, environment: Mapping[str, str], code: str | None = None
) -> dict[str, Any]:
    """Return the request for a command, or for a piece of Python."""
    return {"arguments": list(arguments), "folder": folder, "environment": dict(environment), "code": code}


if __name__ == "__main__":
    sys.exit(served(sys.argv[1], wanted(sys.argv[2:], os.getcwd(), os.environ)))  # noqa: PTH109 - pathlib takes long
