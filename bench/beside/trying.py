"""What the programs of this folder share: cells of a table are tried one by one, in processes without the source."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path


def tried(cell: str, call: Callable[[], object]) -> None:
    """Print what a cell of the table says: what a call gives, or what it raises."""
    try:
        found = str(call())
    except Exception as error:
        found = (
            f"no: {type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
        )
    print(f"{cell:28} {found[:160]}", flush=True)


def elsewhere(program: str, folder: Path) -> str:
    """The last line that a program prints in a process of its own, in another folder; raises if it fails."""
    with tempfile.TemporaryDirectory() as empty:
        command = [sys.executable, "-c", program, str(folder)]
        done = subprocess.run(command, cwd=empty, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"exit status {done.returncode}")
    return done.stdout.strip().splitlines()[-1]
