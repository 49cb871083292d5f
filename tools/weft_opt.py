"""weft-opt: run passes on MLIR text and print the result, as mlir-opt does, with the passes of weft too.

Diagnostics go to stderr as `file:line:col: error: text`, the IR to stdout; the exit status is 1 on errors.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..dialect.errors import WeftError
from .options import help_text, parse_arguments

if TYPE_CHECKING:
    from .guard import CrashNote


def main(arguments: Sequence[str] | None = None) -> int:
    """Run weft-opt; returns the exit status.

    >>> main(["--help"])
    usage: weft-opt [file | - | package.module:function] ...
    0
    """
    if arguments is not None:
        return _main(arguments)
    gc.set_threshold(100_000)  # the process is for this alone, and what it loads stays
    ended: list[int] = []
    atexit.register(_leave, ended)
    ended.append(_main(sys.argv[1:]))
    return ended[0]


def _leave(ended: Sequence[int]) -> None:
    """End the process once it has said all: to take apart what it holds would be a tenth of its time."""
    if ended:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended[0])


def _main(given: Sequence[str]) -> int:
    if not {"-help", "--help"}.isdisjoint(given):
        sys.stdout.write(help_text())
        return 0
    if not {"-version", "--version"}.isdisjoint(given):
        sys.stdout.write(version_text())
        return 0
    from .guard import run_guarded  # loads the bindings, which the help need not wait for

    return run_guarded(lambda note: run(given, note))


def version_text() -> str:
    """What --version prints: weft, and where MLIR and LLVM come from."""
    from importlib.metadata import version

    from .. import __version__

    used = ", ".join(f"{name} {version(name)}" for name in ("torch-mlir", "llvmlite"))
    return f"weft {__version__} (MLIR and LLVM of {used})\n"


def run(arguments: Sequence[str], note: CrashNote) -> int:
    """Run weft-opt in this process; complaints about the command line and the files go to stderr."""
    from .session import Session

    try:
        return Session(parse_arguments(arguments), note).run()
    except (WeftError, OSError) as error:
        sys.stderr.write(f"weft-opt: error: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
