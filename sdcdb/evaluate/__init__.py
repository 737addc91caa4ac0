"""Compare techniques by CAE, as in section 5 of the CAE paper (2014): how safe records are, at what utility."""

from typing import TYPE_CHECKING

from sdcdb.lazy import lazily

if TYPE_CHECKING:
    from sdcdb.evaluate.experiment import Experiment, evaluate, settings_of
    from sdcdb.evaluate.population import Population
    from sdcdb.evaluate.settings import Setting
    from sdcdb.evaluate.source import Wanted, read
    from sdcdb.evaluate.summary import summarise

__all__ = [
    "Experiment",
    "Population",
    "Setting",
    "Wanted",
    "evaluate",
    "read",
    "settings_of",
    "summarise",
]

_HOMES = {
    "Experiment": "sdcdb.evaluate.experiment",
    "evaluate": "sdcdb.evaluate.experiment",
    "settings_of": "sdcdb.evaluate.experiment",
    "Population": "sdcdb.evaluate.population",
    "Setting": "sdcdb.evaluate.settings",
    "Wanted": "sdcdb.evaluate.source",
    "read": "sdcdb.evaluate.source",
    "summarise": "sdcdb.evaluate.summary",
}
__getattr__ = lazily(__name__, _HOMES)
