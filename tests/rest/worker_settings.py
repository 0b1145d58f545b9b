"""Settings of a worker that a test starts for itself."""

from __future__ import annotations

from pathlib import Path


def settings(tmp_path: Path, **more: str) -> dict[str, str]:
    given = {key.replace("_", "."): text for key, text in more.items()}
    return {"offset.storage.file.filename": str(tmp_path / "offsets"), **given}
