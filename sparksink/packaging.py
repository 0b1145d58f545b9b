"""The files for a cluster: the file to submit, and the package for the executors."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).parent
_SHARED: Final = ("connector/__init__.py", "connector/names.py")
"""What the sink imports of the daemon."""


def job_path() -> Path:
    """Return the file for spark-submit."""
    return _PACKAGE / "job.py"


def write_zip(path: Path) -> Path:
    """Write the package for ``spark-submit --py-files``; return its path."""
    root = _PACKAGE.parent
    shared = [root / name for name in _SHARED]
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted([*_PACKAGE.rglob("*.py"), _PACKAGE / "pom.xml", *shared]):
            archive.write(file, file.relative_to(root))
    return path
