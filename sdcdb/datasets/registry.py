"""All data sets by name. A new data set is a module with a `DATASET`, and a line here."""

from collections.abc import Mapping
from types import MappingProxyType

from sdcdb.datasets import bank, credit_risk, customer_status, staff
from sdcdb.datasets.dataset import Dataset

DATASETS: Mapping[str, Dataset] = MappingProxyType(
    {dataset.name: dataset for dataset in (bank.DATASET, credit_risk.DATASET, customer_status.DATASET, staff.DATASET)}
)
