"""reference/datasets.md: the data sets that come with sdcdb."""

from sdcdb.datasets import DATASETS
from sdcdb.manual.page import Page, table


def _datasets() -> str:
    rows = [
        (
            f"`{name}`",
            ", ".join(f"`{each}`" for each in dataset.tables),
            "fixed" if dataset.rows is None else f"any number, {dataset.rows:,} by default",
            dataset.title,
            dataset.source,
        )
        for name, dataset in DATASETS.items()
    ]
    return table(("name", "tables", "records", "what it is", "source"), rows)


PAGE = Page("reference/datasets.md", {"datasets": _datasets})
