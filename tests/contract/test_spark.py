"""The same plan gives the same values in Spark as in DuckDB, over every case of every technique."""

import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SECRET, TABLE, Case, cases, make, published

from sdcdb.database import Database
from sdcdb.plan import Plan
from sdcdb.secret import Secret
from sdcdb.spark import lists_sql, spark_sql
from sdcdb.sql import identifier, quoted

pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'sdcdb[spark]'")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java 17 or newer on the PATH", allow_module_level=True)

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
}
