"""Pass managers of MLIR, made once per pipeline and thread.

To parse a pipeline and to collect the patterns of its passes takes a millisecond for each `canonicalize`, which is
longer than it then runs on a small module. A pass manager keeps them from run to run.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from ..dialect.mlir import Module, PassManager
from ..dialect.register import context


class _Kept(threading.local):
    """The pass managers of a thread for the process-wide context: they must not run twice at the same time."""

    def __init__(self) -> None:
        self.managers: dict[str, Any] = {}


_kept = _Kept()


def module_pipeline(passes: Iterable[str]) -> str:
    """The pipeline of some passes on a module, as text.

    >>> module_pipeline(["cse", "func.func(canonicalize)"])
    'builtin.module(cse,func.func(canonicalize))'
    """
    return f"builtin.module({','.join(passes)})"


def run_passes(module: Module, pipeline: str) -> None:
    """Run the passes of upstream that `builtin.module(...)` names, without the verifier.

    Raises `ValueError` for a pipeline that cannot be read, and `MLIRError` where a pass fails.
    """
    manager = pass_manager(pipeline) if module.context is context() else PassManager.parse(pipeline)
    manager.enable_verifier(False)  # between the passes it takes as long as they, and finds what they hand on
    manager.run(module.operation)


def pass_manager(pipeline: str) -> Any:
    """The pass manager of this thread for a pipeline, in the process-wide context."""
    found = _kept.managers.get(pipeline)
    if found is None:
        found = _kept.managers[pipeline] = PassManager.parse(pipeline, context())
    return found
