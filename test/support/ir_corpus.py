"""Every pass on every file of IR that the tests have: each ends with IR or a diagnostic, never otherwise.

`python -m support.ir_corpus [file ...]` runs every pass and pipeline on the files, by default on all under test/, in a
forked process for each file, and prints what went wrong: signals, internal errors, and what took too long.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from weft.tools.catalogue import all_passes, all_pipelines
from weft.tools.guard import CrashNote
from weft.tools.weft_opt import run

SECONDS = 120
"""How much time of a processor all passes may take on one file."""

ROOT = Path(__file__).resolve().parents[1]


def corpus() -> list[Path]:
    """The files of IR."""
    return sorted(ROOT.rglob("*.mlir"))


def flags() -> list[str]:
    """A flag for each pass and pipeline, and for what the compiler makes of the IR."""
    return [*(f"--{name}" for name in (*sorted(all_passes()), *all_pipelines())), "--emit=llvm"]


def complaint(arguments: Sequence[str], note: CrashNote) -> str | None:
    """What is wrong with how weft-opt ended; None where it printed IR or a diagnostic."""
    shown, printed = io.StringIO(), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stderr(shown), contextlib.redirect_stdout(printed):
        try:
            status = run(arguments, note)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    text = shown.getvalue()
    line = next((line for line in text.splitlines() if "internal error" in line), None)
    if line is None and (status not in (0, 1) or (status == 1 and "error" not in text)):
        return f"status {status} without an error: {text[:200]}"
    return line


@cache
def warm() -> None:
    """Import here, once, what passes import when they run first, as every process that is forked did."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "nothing.mlir")
        path.write_text("func.func @nothing() {\n  return\n}\n")
        for flag in flags():
            complaint([str(path), "--target=x86-64-v3", flag], _Deaf())


def failures_of(path: Path, tried: Iterable[str]) -> Iterator[str]:
    """What goes wrong with one file, tried with some flags."""
    warm()
    reading, writing = os.pipe()
    note = CrashNote()
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        with os.fdopen(writing, "w") as lines:
            for flag in tried:
                note.write(flag)
                options = ["--split-input-file", "--allow-unregistered-dialect"]
                wrong = complaint([str(path), *options, "--target=x86-64-v3", flag], _Deaf())
                if wrong is not None:
                    lines.write(f"{flag}: {wrong}\n")
                    lines.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as lines:
        yield from (line.rstrip() for line in lines)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        yield f"{note.read()}: {signal.Signals(os.WTERMSIG(status)).name}"


class _Deaf(CrashNote):
    """The note of weft-opt, which is not read."""


def main(files: Sequence[str]) -> int:
    """Try all; the exit status is 1 where something was wrong."""
    wrong = 0
    tried = flags()
    for path in map(Path, files) if files else corpus():
        for line in failures_of(path, tried):
            print(f"{path}: {line}", flush=True)
            wrong += 1
    print(f"{wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
