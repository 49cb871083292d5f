"""The scripts of bench/gpu, which are in no package, and have names that tests have, too."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from support.package import ROOT

_NAMES = ("programs", "static")


@contextmanager
def script_of_bench(name: str) -> Iterator[Any]:
    """A script of bench/gpu as a module."""
    kept = {known: module for known, module in sys.modules.items() if known.split(".")[0] in _NAMES}
    for known in kept:
        del sys.modules[known]
    sys.path.insert(0, str(ROOT / "bench" / "gpu"))
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.pop(0)
        for known in [known for known in sys.modules if known.split(".")[0] in _NAMES]:
            del sys.modules[known]
        sys.modules.update(kept)


__all__ = ["script_of_bench"]
