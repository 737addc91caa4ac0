"""Local suppression: blank as few cells as needed of the records that a global recoding leaves too rare."""

from collections.abc import Sequence

import numpy as np

from sdcdb.techniques.families.crowds import Bools, Crowd, Floats, Ints, Targets, satisfied
from sdcdb.techniques.families.lattice import numbered


def blank(classes: Sequence[Ints], losses: Sequence[Floats], crowd: Crowd, targets: Targets, whole: Crowd) -> Bools:
    """Return which cells (attributes x records) to blank so that all classes reach the targets.

    In each round, of all sets of attributes, the one is blanked that saves most of what the remaining records still
    say, and the records that are then in a good class are done. Records that are left at the end are blank in all.
    """
    many, size = len(classes), len(crowd.weights)
    blanked = np.zeros((many, size), np.bool_)
    kept = 1 - np.column_stack(losses) if many else np.zeros((size, 0))
    left = np.arange(size)
    while len(left):
        mask, done = _round([each[left] for each in classes], kept[left], crowd.part(left), targets, whole)
        if mask is None:
            break
        blanked[np.ix_(np.flatnonzero(mask), left[done])] = True
        left = left[~done]
    blanked[:, left] = True
    return blanked


def _round(
    classes: list[Ints], kept: Floats, crowd: Crowd, targets: Targets, whole: Crowd
) -> tuple[Bools | None, Bools]:
    many = len(classes)
    masks = np.array([[bool(number >> bit & 1) for bit in range(many)] for number in range(1, 2**many - 1)], np.bool_)
    worth = crowd.weights @ kept  # what each attribute still says, over all records
    best: tuple[float, Bools | None, Bools] = (0.0, None, np.zeros(len(crowd.weights), np.bool_))
    if not len(masks):
        return None, best[2]
    most = (~masks) @ worth
    for number in np.argsort(-most, kind="stable"):
        if most[number] <= best[0]:
            break
        mask = masks[number]
        shown = [codes for codes, hidden in zip(classes, mask, strict=True) if not hidden]
        place = numbered(shown)
        done = satisfied(place, crowd, targets, whole)[place]
        saved = float((crowd.weights[done, None] * kept[done][:, ~mask]).sum())
        if saved > best[0]:
            best = (saved, mask, done)
    return best[1], best[2]
