"""What `make test-fast` runs: of each folder of tests, which is a room of the package, one of each kind.

It is the first by name, so that nobody keeps a list; what costs more than a second is marked as slow, a test or with
`pytestmark` a file, and then the next one stands for the room.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


@cache
def first_file(folder: Path) -> Path | None:
    """The file of a folder that pytest reads: the first that is not marked as a whole."""
    files = sorted(folder.glob("test_*.py"))
    return next((file for file in files if not _MARKED.search(file.read_text(encoding="utf-8"))), None)


_MARKED = re.compile(r"^pytestmark = .*\b(slow|soak)\b", re.MULTILINE)


def lit_tests() -> list[str]:
    """The FileCheck tests, one of each folder."""
    first: dict[Path, Path] = {}
    for file in sorted(TESTS.rglob("*.mlir")):
        first.setdefault(file.parent, file)
    return [str(file) for file in first.values()]


def folders(roots: Iterable[Path] = (TESTS,)) -> list[Path]:
    """The folders that have tests."""
    return sorted({file.parent for root in roots for file in root.rglob("test_*.py")})
