"""Generated requests against the API: schemathesis holds the server against its own OpenAPI document.

Run by `.ci/clients`, which installs schemathesis; skipped where it is absent.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from support import serving
from support.paths import ROOT

from sdcdb.web.serving import start_http

PROGRAM = shutil.which("schemathesis", path=ROOT / ".venv-schemathesis" / "bin")
pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(PROGRAM is None, reason="schemathesis is not installed: run .ci/clients"),
]
# Whatever is text is a valid `sql` to the document, but not to the gateway: 422 is its answer to what is no SELECT.
CONFIG = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 401, 403, 422, 503]
"""


@pytest.mark.parametrize("name", ["ann", "olga"])
def test_the_server_does_what_its_document_says(name: str, tmp_path: Path) -> None:
    path = serving.create(tmp_path, rows=240)
    token = serving.store(path).create_token(name, 1)
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG, encoding="utf-8")
    with serving.service(path) as service:
        door = start_http(service, "127.0.0.1", 0)
        try:
            command = [str(PROGRAM), "--config-file", str(config), "run", f"{door.url}api/v1/openapi.json"]
            command += ["--header", f"Authorization: Bearer {token.text}", "--seed", "1", "--max-time", "25"]
            done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        finally:
            door.stop()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Tested: 6" in done.stdout
