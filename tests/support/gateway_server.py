"""A process that answers questions and is killed. Started by support.killing.

    python -m support.gateway_server DATABASE POLICY THREADS

For every line on its standard input it forks a gateway, says `started PID`, and `ended` when that is gone. A gateway
answers random questions from several threads until it is killed; for each answer it says `answered SQL = VALUE`, the
very moment at which a client would have it. Forking from a process that has loaded everything makes many kills cheap.
"""

import os
import random
import sys
import threading
from pathlib import Path
from typing import NoReturn

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway
from support.warm_server import compiled


def say(text: str) -> None:
    """Write a line in one piece: a pipe takes up to 4,096 bytes whole or not at all."""
    os.write(1, f"{text}\n".encode())


def question(rng: random.Random) -> str:
    """Ask about a range of ages."""
    low, sex = rng.randrange(25, 60), rng.choice("FM")
    return f"SELECT SUM(salary) FROM staff WHERE age BETWEEN {low} AND {low + rng.randrange(4, 35)} AND sex = '{sex}'"


def ask_for_ever(gateway: Gateway, name: str, seed: int) -> NoReturn:
    """Ask, and pass on what was answered."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    while True:
        sql = question(rng)
        try:
            say(f"answered {sql} = {gateway.ask(sql, user=name).rows[0][0]}")
        except Denied:
            say("denied")


def serve(database: Path, policy: Path, threads: int) -> NoReturn:
    """Be the gateway that gets killed."""
    gateway = sdcdb.open(database, policy=policy).gateway()
    say("opened")
    for number in range(threads):
        seed = random.SystemRandom().randrange(1 << 30)
        threading.Thread(target=ask_for_ever, args=(gateway, f"user{number}", seed), daemon=True).start()
    threading.Event().wait()
    raise AssertionError


def main() -> None:
    """Fork a gateway for every line of input."""
    compiled()
    database, policy, threads = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            serve(database, policy, threads)
        say(f"started {child}")
        os.waitpid(child, 0)
        say("ended")


if __name__ == "__main__":
    main()
