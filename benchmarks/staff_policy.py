"""The policy that the gateway is measured with."""

from sdcdb.policy.models import Policy

POLICY = Policy.model_validate(
    {
        "version": 1,
        "tables": {
            "staff": {
                "key": "id",
                "columns": {
                    "id": "identifier",
                    "name": "identifier",
                    "sex": "quasi",
                    "age": "quasi",
                    "dept": "quasi",
                    "education": "quasi",
                    "salary": {"role": "confidential", "domain": [10_000, 250_000], "step": 1},
                },
                "restrict": {"min_set": 10},
            },
            "dept_dim": "public",
        },
    }
)
