"""No request makes the worker load native code, whichever client it names."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.fixtures.connectors import connector
from tools.stack import KafkaBroker, MillraceWorker, MySql97

CODE = """
#include <stdio.h>
__attribute__((constructor)) static void loaded(void) { fclose(fopen("MARK", "w")); }
"""
CLIENTS = (
    "producer.override",
    "consumer.override",
    "admin.override",
    "schema.history.internal.producer",
    "schema.history.internal.consumer",
    "signal.consumer",
)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_library_that_a_request_names_is_never_loaded(
    millrace: MillraceWorker, mysql: MySql97, broker: KafkaBroker, tmp_path: Path
) -> None:
    library, mark = tmp_path / "evil.so", tmp_path / "loaded"
    (tmp_path / "evil.c").write_text(CODE.replace("MARK", str(mark)))
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "evil.c")], check=True
    )
    plain = connector(mysql, broker, "evil", "evil")
    with httpx.Client(base_url=millrace.url, timeout=60) as http:
        for client in CLIENTS:
            config = {"name": "evil", **plain, f"{client}.plugin.library.paths": str(library)}
            plugin = config["connector.class"].rpartition(".")[2]
            path = f"/connector-plugins/{plugin}/config/validate"
            answer = http.put(path, json=config).raise_for_status().json()
            assert answer["error_count"] > 0, client
            created = http.post("/connectors", json={"name": "evil", "config": config})
            assert created.status_code == 400, client
            assert "plugin.library.paths" in created.text
    assert not mark.exists()
    subprocess.run(
        [sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(library)!r})"], check=True
    )
    assert mark.exists(), "the library leaves no mark: the test shows nothing"
