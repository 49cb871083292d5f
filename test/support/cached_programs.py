"""Runs programs in processes of their own, with a disk cache that they share."""

from __future__ import annotations

import ast
import os
import platform
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

_IS_EMULATED = bool(os.environ.get("WEFT_DEVICE")) and os.environ.get("WEFT_CUDA") == "emulator"
LINKS_WITH_LLVM = sys.platform != "linux" or platform.machine() != "x86_64" or _IS_EMULATED
"""Whether LLVM is needed to put code into memory, or to emulate kernels."""

_BEGINNING = """
import numpy as np
import weft
"""

_END = """
import sys as _sys
from weft.frontend.disk_cache.code_settings import statistics as _statistics
print("@@", {**_statistics, "mlir": "torch_mlir" in _sys.modules, "llvm": "llvmlite.binding" in _sys.modules})
"""


class Run(NamedTuple):
    """What one process did."""

    output: str
    errors: str
    found: int
    missed: int
    stored: int
    refused: int
    mlir: bool
    """Whether MLIR was imported."""
    llvm: bool
    """Whether LLVM was loaded; False where it is needed to put code into memory."""


class Project:
    """A directory of modules, and one for the cache."""

    def __init__(self, path: Path) -> None:
        self.path = path / "project"
        self.path.mkdir()
        self.cache = path / "cache"

    def write(self, name: str, text: str) -> None:
        """Write a module, which Python must not take for what it was."""
        (self.path / name).parent.mkdir(exist_ok=True, parents=True)
        (self.path / name).write_text(textwrap.dedent(text))

    def write_program(self, text: str) -> None:
        """Write what is run."""
        self.write("program.py", _BEGINNING + textwrap.dedent(text) + _END)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start the program."""
        variables = {
            **os.environ,
            "WEFT_CACHE": "1",
            "WEFT_CACHE_DIR": str(self.cache),
            "WEFT_LOG": "cache",
            "WEFT_VERIFY": "0",  # what is compiled here is compiled, and verified, elsewhere
            "PYTHONDONTWRITEBYTECODE": "1",
            **environment,
        }
        command = [sys.executable, str(self.path / "program.py"), *arguments]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables, cwd=self.path
        )

    def run(self, *arguments: str, **environment: str) -> Run:
        """Run the program to its end."""
        return finished(self.start(*arguments, **environment))


def finished(process: subprocess.Popen[str]) -> Run:
    """What a program did that has been started."""
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    output, _, numbers = output.rpartition("@@")
    told: Mapping[str, Any] = ast.literal_eval(numbers.strip())
    counts = [told.get(name, 0) for name in ("found", "missed", "stored", "not stored")]
    return Run(output, errors, *counts, told["mlir"], told["llvm"] and not LINKS_WITH_LLVM)
