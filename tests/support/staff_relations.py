"""What a gateway knows about a table of staff and a public one."""

from sdcdb.gateway.relations import Confidential, Relation, Relations, Restricted
from sdcdb.policy.models import Restrict

SALARY = Confidential("salary", "INTEGER", 10_000, 250_000, 1)
STAFF = Restricted(
    "staff",
    "restricted",
    {"sex": "VARCHAR", "salary": "INTEGER", "Job title": "VARCHAR"},
    "id",
    ("sex", "Job title"),
    {"salary": SALARY},
    Restrict(),
)
RELATIONS = Relations((STAFF, Relation("dept_dim", "public", {"dept": "VARCHAR", "campus": "VARCHAR"})))
