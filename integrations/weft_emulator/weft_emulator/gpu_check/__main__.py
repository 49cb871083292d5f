"""Runs the check with the sources around this file as the package `weft`, which need not be installed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]


def load_weft() -> None:
    """Make the sources around this file the package `weft`, if it lies among them."""
    if "weft" in sys.modules or not (ROOT / "integrations").is_dir():
        return
    own = importlib.util.spec_from_file_location(
        "weft", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    assert own is not None
    assert own.loader is not None
    module = importlib.util.module_from_spec(own)
    sys.modules["weft"] = module
    own.loader.exec_module(module)


if __name__ == "__main__":
    load_weft()
    sys.exit(importlib.import_module("weft_emulator.gpu_check.command").main())
