"""Scripts that judge IR, as people write them for `weft-reduce` and `weft-opt --bisect`."""

from __future__ import annotations

import sys
from pathlib import Path


def script(folder: Path, condition: str) -> str:
    """The command of a script that fails where a condition on the `text` of its file holds."""
    file = folder / "fails.py"
    file.write_text(
        f"import re, sys, time\ntext = open(sys.argv[1]).read()\nsys.exit(1 if {condition} else 0)\n"
    )
    return f"{sys.executable} -S -E {file}"


__all__ = ["script"]
