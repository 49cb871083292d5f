"""How lit runs the FileCheck tests: every .mlir file, and every .py file that begins with `# RUN:`.

The tools (`weft-opt`, `filecheck`, `python`) are those of the environment that lit itself runs in.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))

from support.warm_tools import WarmTools  # noqa: E402


def is_lit_test(path: Path) -> bool:
    with path.open(encoding="utf-8") as file:
        return file.readline().startswith("# RUN:")


config.name = "weft"
config.test_format = WarmTools()
config.suffixes = [".mlir", ".py"]
config.excludes = sorted({path.name for path in here.rglob("*.py") if not is_lit_test(path)})
config.test_source_root = str(here)
config.test_exec_root = str(here.parent / "build" / "lit")

scripts = sysconfig.get_path("scripts")
config.environment["PATH"] = os.pathsep.join([scripts, config.environment["PATH"]])
config.environment["WEFT_CACHE"] = "0"
config.environment["PYTHONPATH"] = str(here)  # for `support`
config.maxIndividualTestTime = 60
