"""What nobody expected: a denial for the analyst, and for the owner a line in the log that holds no data.

The words of an exception can repeat a value, so only its type and the places in the code are written.
"""

import logging
from pathlib import Path
from traceback import extract_tb

from sdcdb.errors import Denied
from sdcdb.gateway.rules.table import denied

LOG = logging.getLogger("sdcdb.gateway")
_PLACES = 4


def deny_unexpected(problem: BaseException) -> Denied:
    """Log where something went wrong, and return the denial that stands for it."""
    frames = extract_tb(problem.__traceback__)[-_PLACES:]
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
    LOG.error("a statement was denied because of an unexpected %s at %s", type(problem).__name__, places)
    return denied("error")
