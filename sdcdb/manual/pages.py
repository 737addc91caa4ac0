"""All pages that have generated sections."""

from sdcdb.manual import (
    architecture,
    cli,
    datasets,
    decisions,
    exit_codes,
    ledger,
    measures,
    policy,
    python,
    rules,
    sql_functions,
    techniques,
)

PAGES = (
    architecture.PAGE,
    cli.PAGE,
    datasets.PAGE,
    decisions.PAGE,
    exit_codes.PAGE,
    ledger.PAGE,
    measures.PAGE,
    policy.PAGE,
    python.PAGE,
    rules.PAGE,
    sql_functions.PAGE,
    techniques.PAGE,
)
