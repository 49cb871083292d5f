"""Where the package's own source is, for tests that read it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("dialect", "passes", "backend", "frontend", "tools")


def source_files() -> list[Path]:
    """Every Python file of the package: the root's __init__ and __main__, and all below the rooms."""
    below = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    return [ROOT / "__init__.py", ROOT / "__main__.py", *below]


def extras() -> list[str]:
    """The names of the optional dependencies."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = project.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    return re.findall(r"^([\w-]+) = ", section, re.MULTILINE)


def module_name(path: Path) -> str:
    """The dotted name under which a file of the package is imported.

    >>> module_name(ROOT / "dialect" / "types.py")
    'weft.dialect.types'
    """
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("weft", *(part for part in parts if part != "__init__")))
