"""The bank clients of the VICUS paper: small enough to follow every step by hand."""

from collections.abc import Mapping

from sdcdb.datasets.dataset import Dataset
from sdcdb.datasets.draws import literal

RECORDS = (
    ("Dr T. Green", "Hong Kong", "Income Protection Insurance", "Mr D. Smith"),
    ("Mr D. Blue", "Hong Kong", "Home Mortgage", "Mr D. Smith"),
    ("Mr M. Brown", "Newcastle", "Managed Investment", "Mr R. Jones"),
    ("Mrs H. Pink", "Newcastle", "Share Portfolio", "Ms W. Wong"),
    ("Mr K. White", "Sydney", "Share Portfolio", "Ms W. Wong"),
    ("Mr J. Black", "Sydney", "Managed Investment", "Ms W. Wong"),
    ("Mr J. Black", "Sydney", "Home Mortgage", "Mr M. James"),
)


def queries(_rows: int, _seed: int) -> Mapping[str, str]:
    """Return the seven records of VICUS (2012), Table 1.

    The numbers that the table prints after the values number the vertices of the paper's graph and are left
    out. `id` is added here: Mr J. Black has two products and hence two records, so that a client is not a key.
    """
    rows = ", ".join(f"({number}, {', '.join(map(literal, record))})" for number, record in enumerate(RECORDS, start=1))
    return {
        "bank": f"SELECT id::BIGINT AS id, client, branch, product, advisor"
        f" FROM (VALUES {rows}) AS records(id, client, branch, product, advisor)"
    }


DATASET = Dataset(
    name="bank",
    title="Seven records of bank clients, their branch, financial product and advisor.",
    source="VICUS (2012), Table 1",
    rows=None,
    tables=("bank",),
    queries=queries,
)
