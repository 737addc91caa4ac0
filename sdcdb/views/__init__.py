"""From a policy to protected views: check, fit, plan, SQL, catalogue, and the copy that is released."""

from typing import TYPE_CHECKING

from sdcdb.lazy import lazily

if TYPE_CHECKING:
    from sdcdb.views.secret import read_secret
    from sdcdb.views.spark import lists_sql, spark_sql

__all__ = ["lists_sql", "read_secret", "spark_sql"]

__getattr__ = lazily(
    __name__,
    {"lists_sql": "sdcdb.views.spark", "read_secret": "sdcdb.views.secret", "spark_sql": "sdcdb.views.spark"},
)
