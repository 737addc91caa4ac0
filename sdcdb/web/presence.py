"""Work for a client that is there: when it leaves, the work stops, and whoever waits behind it need not."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from sdcdb.gateway.cancellation import Cancellation

T = TypeVar("T")


async def while_there(request: Request, begin: Callable[[Cancellation], Future[T]]) -> T:
    """Return what `begin` begins, or stop it when the client leaves. The request's body was read before."""
    cancellation = Cancellation()
    work = asyncio.wrap_future(begin(cancellation))
    leaving = asyncio.create_task(_leave(request))
    try:
        first: set[asyncio.Future[Any]] = {work, leaving}
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise ClientDisconnect
        return work.result()
    finally:
        leaving.cancel()
        if not work.done():
            cancellation.cancel()
            work.cancel()


async def _leave(request: Request) -> None:
    """Wait until the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
