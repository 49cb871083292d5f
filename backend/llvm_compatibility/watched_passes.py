"""What each pass of LLVM changes, its optimiser's and its code generator's.

llvmlite shows no code between passes. LLVM prints it itself where options of the whole process ask for that, so the
same calls are made once more in a process of their own, and what that prints is read.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import IO, Any

from ...dialect.errors import InternalError, WeftValueError
from ...passes.pipeline import Observer
from ..target import compiling_for, current

MOST = 40 << 20
"""How many characters are read of what LLVM prints: the passes behind them are not told of."""

_CHILD = "from weft.backend.llvm_compatibility.watched_passes import show; show()"
_BANNER = re.compile(r"\*\*\* IR (?:Dump|Deleted) After (?P<name>.+?) on (?P<subject>.+?) \*\*\*$")
_FUNCTION_OF = re.compile(r"in function (.+)$|^\((.+)\)$")
_MACHINE_PASS = re.compile(r"(.+) \([^()]*\)")
"""A pass of the code generator is printed with its short name."""
_TIME = re.compile(r"([\d.]+) \( *[\d.]+%\)")
"""A column of LLVM's report on times. The last one is what went by, and that before it what processors took."""
_REPEATED = re.compile(r" #\d+$")
_DEFINED = re.compile(r'^define [^@\n]*@"?([\w.$-]+)"?\(', re.MULTILINE)
_AROUND = re.compile(r"_?weft_|numpy_|.*_sizes_entry$")
"""Functions around those of a program, which look the same in all programs."""


def watch_passes(text: str, make: str, options: Any, stage: str, observers: Sequence[Observer]) -> None:
    """Tell observers of each pass that makes code of LLVM assembly for the current target, and what passes take.

    `make`, a function as `module:name`, does that, given the text and some options, which JSON can say. LLVM's
    optimiser leads to "optimized-llvm", and its code generator to the stage. Passes on weft's own functions around the
    program are not told of. Raises `InternalError` where the other process fails.
    """
    wanted = {"text": text, "make": make, "options": options, "target": current().name}
    with _process() as child:
        assert child.stdin is not None
        assert child.stderr is not None
        with child.stdin:
            json.dump(wanted, child.stdin)
        first = child.stderr.readline()
        seconds: dict[str, float] = json.loads(first) if first.startswith("{") else {}
        told = list(_lines(child.stderr)) if seconds else [first, *_lines(child.stderr)]
        is_cut = bool(child.stderr.readline())
        child.kill()  # where more is printed than is read
    found = [*passes_in(told)]
    for observer in observers:
        observer.timed_llvm(seconds)
    if is_cut:
        found = found[:-1]  # half of the last one is there
        for observer in observers:
            observer.unwatched(
                f"LLVM printed more than {MOST:,} characters: what its later passes changed is not here"
            )
    for kind, name, function, code in found:
        for observer in observers:
            observer.after_llvm(kind or stage, name, function, code)
    if child.returncode > 0:
        raise InternalError(f"LLVM's passes could not be watched: {''.join(told[-20:])[-2000:]}")


def _process() -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
    except OSError as error:
        raise WeftValueError(
            f"LLVM's passes are watched in another process, which cannot be started: {error}; passes=False leaves them "
            "out"
        ) from error


def _lines(stream: IO[str]) -> Iterator[str]:
    read = 0
    for line in stream:
        yield line
        read += len(line)
        if read > MOST:
            return


def times_in(lines: Iterable[str]) -> dict[str, float]:
    """What passes took by LLVM's report, in seconds of processors."""
    found: dict[str, float] = {}
    for line in lines:
        times, name = _TIME.findall(line), _REPEATED.sub("", line.rpartition("%)")[2].strip())
        if times and name != "Total":
            found[name] = found.get(name, 0.0) + float(times[-2:][0])
    return found


def passes_in(lines: Iterable[str]) -> Iterator[tuple[str, str, str, str]]:
    """What `-print-changed=quiet` prints, pass by pass: as `Observer.after_llvm` takes it.

    The stage is empty where the code generator runs.
    """
    banner: re.Match[str] | None = None
    text: list[str] = []
    for line in lines:
        found = _BANNER.search(line) if "*** IR " in line else None
        if found is None:
            text.append(line)
            continue
        if banner is not None:
            yield _pass_of(banner, text)
        banner, text = found, []
    if banner is not None:
        yield _pass_of(banner, text)


def _pass_of(banner: re.Match[str], lines: Sequence[str]) -> tuple[str, str, str, str]:
    name, subject, code = banner["name"], banner["subject"], "".join(lines).lstrip("\n")
    inner = _FUNCTION_OF.search(subject)
    function = "" if subject == "[module]" else subject if inner is None else inner[1] or inner[2]
    machine = _MACHINE_PASS.fullmatch(name)
    return ("", machine[1], function, code) if machine else ("optimized-llvm", name, function, code)


def show() -> None:
    """In the other process: read what is compiled, and compile it, once for times and once while LLVM prints.

    Prints take ten times as long as passes, and would count as theirs: the first run is a tenth of the second.
    """
    from llvmlite import binding

    wanted = json.load(sys.stdin)
    module, _, name = wanted["make"].partition(":")
    make = partial(getattr(importlib.import_module(module), name), wanted["text"], wanted["options"])
    shown = [name for name in _DEFINED.findall(wanted["text"]) if not _AROUND.match(name)]
    for option in ("-print-loop-func-scope", f"-filter-print-funcs={','.join(shown)}"):
        binding.set_option("", option)  # which LLVM reads once
    with compiling_for(wanted["target"]):
        binding.set_time_passes(True)
        make()
        seconds = times_in(binding.report_and_reset_timings().splitlines())
        print(json.dumps(seconds), file=sys.stderr, flush=True)
        binding.set_time_passes(False)
        binding.set_option("", "-print-changed=quiet")
        make()
