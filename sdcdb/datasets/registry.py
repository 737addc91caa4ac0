"""All data sets by name. A new data set is a module with a `DATASET`, and a line here."""

from collections.abc import Mapping
from types import MappingProxyType

from sdcdb.datasets import bank, credit_risk, customer_status, hospital, staff
from sdcdb.datasets.dataset import Dataset

DATASETS: Mapping[str, Dataset] = MappingProxyType(
    {module.DATASET.name: module.DATASET for module in (bank, credit_risk, customer_status, hospital, staff)}
)
