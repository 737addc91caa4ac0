"""Keeping a script's result: as small JSON under benchmarks/results, and as a table in the page that names it."""

import json
import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = (ROOT / "docs" / "results" / "benchmarks.md", ROOT / "docs" / "results" / "reproductions.md")


def record(name: str, columns: list[str], rows: list[list[Any]], notes: list[str]) -> None:
    """Write the result, put its table into the documentation, and print it."""
    result = {
        "benchmark": name,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}, DuckDB {duckdb.__version__}",
        "columns": columns,
        "rows": rows,
        "notes": notes,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for page in PAGES:
        if f"<!-- {name} -->" in (text := page.read_text(encoding="utf-8")):
            page.write_text(with_tables(text), encoding="utf-8")
    print(markdown(result))


def markdown(result: dict[str, Any]) -> str:
    """Render a result as a Markdown table with its notes."""
    lines = [f"| {' | '.join(result['columns'])} |", f"|{'---|' * len(result['columns'])}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in result["rows"]]
    lines += ["", *(f"- {note}" for note in result["notes"]), f"- Measured {result['date']} on {result['machine']}."]
    return "\n".join(lines)


def with_tables(page: str) -> str:
    """Return the page with the latest table between each pair of `<!-- name -->` and `<!-- /name -->`."""

    def latest(match: re.Match[str]) -> str:
        file = RESULTS / f"{match[1]}.json"
        if not file.exists():
            return match[0]
        return f"<!-- {match[1]} -->\n{markdown(json.loads(file.read_text(encoding='utf-8')))}\n<!-- /{match[1]} -->"

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", latest, page, flags=re.DOTALL)
