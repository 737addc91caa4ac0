"""The policy that the gateway is measured with."""

from collections.abc import Sequence

from sdcdb.policy.models import Policy

QUASI = ("sex", "age", "dept", "education")


def policy(quasi: Sequence[str] = QUASI) -> Policy:
    """Restrict `staff`, with these quasi-identifiers."""
    columns = {"id": "identifier", "name": "identifier"} | dict.fromkeys(quasi, "quasi")
    salary = {"role": "confidential", "domain": [10_000, 250_000], "step": 1}
    staff = {"key": "id", "columns": {**columns, "salary": salary}, "restrict": {"min_set": 10}}
    return Policy.model_validate({"version": 1, "tables": {"staff": staff, "dept_dim": "public"}})
