"""Run all units over processes, in any order, interruptible at any time."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice

from sdcdb.connection.interrupts import deferred
from sdcdb.evaluate.population import Population
from sdcdb.evaluate.release import Laboratory, Outcome, Prior, Unit
from sdcdb.evaluate.results import Results
from sdcdb.evaluate.settings import Setting

Progress = Callable[[int, int], None]
_laboratory: list[Laboratory] = []  # one per worker process


def units(settings: Sequence[Setting], runs: int, seed: int) -> list[Unit]:
    """List the runs, the first run of every setting before any second one: an early end leaves some of each."""
    return [Unit(setting, run, seed) for run in range(runs) for setting in settings]


def run(
    laboratory: Laboratory, todo: list[Unit], results: Results, jobs: int = 1, progress: Progress | None = None
) -> None:
    """Run what is missing in the results. When interrupted, finished runs are kept and those in progress are ended."""
    done = results.done()
    left = [unit for unit in todo if (unit.setting.technique, unit.setting.amount, unit.run) not in done]
    tell = progress or (lambda _done, _total: None)
    tell(len(todo) - len(left), len(todo))
    if min(jobs, len(left)) <= 1:
        for number, unit in enumerate(left, start=len(todo) - len(left) + 1):
            results.add(laboratory.run(unit))
            tell(number, len(todo))
        return
    # Spawned, not forked: DuckDB and numba have their own threads.
    pool = ProcessPoolExecutor(
        min(jobs, len(left)),
        multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(laboratory.population, laboratory.prior),
    )
    # The library keeps its locks when Ctrl-C interrupts a wait, and checks all futures whenever one is ready.
    coming, ended = iter(left), len(todo) - len(left)
    waiting: set[Future[Outcome]] = set()
    with deferred() as interrupted:
        try:
            while not interrupted():
                with _shielding():
                    waiting |= {pool.submit(_work, unit) for unit in islice(coming, 2 * jobs - len(waiting))}
                if not waiting:
                    break
                finished, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
                for each in finished:
                    results.add(each.result())
                ended += len(finished)
                tell(ended, len(todo))
        finally:
            for each in waiting:
                if each.done() and not each.cancelled() and each.exception() is None:
                    results.add(each.result())
            _end(pool)


@contextmanager
def _shielding() -> Iterator[None]:
    """Let processes that start here begin deaf to Ctrl-C, which a terminal sends to all of them.

    Python's process that removes what a killed pool leaves behind does so without a warning.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    warnings = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [warnings, "ignore:resource_tracker:UserWarning"]))
    try:
        yield
    finally:
        if warnings is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = warnings
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(pool: ProcessPoolExecutor) -> None:
    """End a pool now. A run may take minutes: who presses Ctrl-C does not wait for it."""
    workers = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.kill()  # it holds nothing: results are written by this process
    for worker in workers:
        worker.join(timeout=5)


def _start(population: Population, prior: Prior) -> None:
    """Prepare a worker. Ctrl-C reaches every process of a terminal: only the first one handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _laboratory.append(Laboratory(population, prior))


def _work(unit: Unit) -> Outcome:
    return _laboratory[0].run(unit)
