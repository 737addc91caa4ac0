"""Tables are refreshed from time to time, whatever happens in between."""

import threading

from sdcdb.gateway.server.refresher import Refresher


def test_it_goes_on_after_a_failure_and_ends_when_closed() -> None:
    turns: list[int] = []
    third = threading.Event()

    def refresh() -> list[str]:
        turns.append(len(turns))
        if len(turns) == 1:
            raise OSError("the disk is away for a moment")
        if len(turns) == 3:
            third.set()
        return ["people"]

    refresher = Refresher(refresh, 0.01)
    assert third.wait(20)
    refresher.close()
    assert "sdcdb-refresh" not in [thread.name for thread in threading.enumerate()]
    assert len(turns) >= 3
