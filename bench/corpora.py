"""Functions of public repositories that nobody tuned for: as Python runs them, by Numba where it can, and by weft.

    python bench/corpora.py CHECKOUTS [--only TEXT] [--print]

CHECKOUTS is a folder with a clone of each repository of bench/corpora_programs.py, named owner+name; what is not
there is left out, and said. Each function runs in a process of its own, pinned to one core: the best of calls that
take turns, and the processor time of weft's first call with nothing on disk. Arguments that a call changes are copied
before each call, outside of the time. A result that differs from Python's is named and not counted as a speed.
"""

from __future__ import annotations

import argparse
import collections
import collections.abc
import copy
import importlib.util
import io
import json
import math
import os
import pathlib
import random
import resource
import sys
import time
import types
import unittest.mock
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from typing import Any

from harness import keep_freed_memory, machine, pin_to_one_core

pin_to_one_core()
keep_freed_memory()
os.environ["WEFT_CACHE"] = "0"  # what is on disk is not compiled
os.environ["MPLBACKEND"] = "Agg"
sys.dont_write_bytecode = False  # as an installation has it, from the second program on

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)
from corpora_programs import PROGRAMS, Program  # noqa: E402

import weft  # noqa: E402

numba: Any = importlib.import_module("numba") if importlib.util.find_spec("numba") else None

RESULTS = pathlib.Path(__file__).parent / "results" / "corpora.md"
SECONDS, LEAST_ROUNDS, MOST_ROUNDS = 0.3, 3, 400
"""How long the candidates of a program take turns."""

LIMIT = 90
"""Seconds of processor time after which a program is stopped."""

NUMBA_LIMIT = 15
"""Seconds after which it is said that Numba does not compile a program."""

Run = Callable[..., Any]


@dataclass
class Measured:
    """What was seen of a program; seconds, or why there are none."""

    eager: float = math.nan
    numba: float = math.nan
    weft: float = math.nan
    first: float = math.nan
    note: str = ""


def in_numba(function: Any) -> Run | None:
    """The function and the Python functions of its module that it may call, compiled by Numba, if Numba is there."""
    if numba is None:
        return None
    known = dict(vars(sys.modules[function.__module__]))
    made: dict[str, Any] = dict(known)
    for name, value in known.items():
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            again = types.FunctionType(value.__code__, made, name, value.__defaults__, value.__closure__)
            made[name] = numba.njit(again)
    compiled: Run = made[function.__name__]
    return compiled


def same(left: Any, right: Any) -> bool:
    """Whether two results are equal, floats up to rounding."""
    if isinstance(left, (list, tuple)):
        kinds = isinstance(right, (list, tuple)) and len(left) == len(right)
        return kinds and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, (np.ndarray, np.generic, float, complex)):
        a, b = np.asarray(left), np.asarray(right)
        if a.shape != b.shape:
            return False
        if a.dtype.kind in "fc":
            return np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
        return np.array_equal(a, b)
    return bool(left == right)


NOT_CALLED: tuple[str, ...] = (
    "matplotlib",
    "matplotlib.pyplot",
    "matplotlib.patches",
    "matplotlib.animation",
    "matplotlib.cm",
    "matplotlib.colors",
    "mpl_toolkits",
)
NOT_CALLED += ("mpl_toolkits.mplot3d", "progressbar", "cvxopt", "terminaltables", "sklearn", "cv2", "PIL")
"""What the modules import to draw; it is not measured, and need not be installed."""


def surroundings() -> None:
    """Stand-ins for what is not called, and what Python and NumPy called things when the programs were written."""
    for name in NOT_CALLED:
        sys.modules.setdefault(name, unittest.mock.MagicMock())
    collections.Hashable = collections.abc.Hashable  # type: ignore[attr-defined]
    for name, value in (("float", float), ("int", int), ("bool", bool), ("object", object)):
        vars(np).setdefault(name, value)


def seed() -> None:
    random.seed(7)
    np.random.seed(7)


def changes(run: Run, program: Program) -> tuple[Any, bool]:
    """What the function returns, and whether it writes to its arguments."""
    arguments = program.arguments()
    before = copy.deepcopy(arguments)
    seed()
    result = copy.deepcopy(run(*arguments))
    return result, not same(list(before), list(arguments))


def calls(run: Run, program: Program, copied: bool) -> Callable[[int], float]:
    """What times a number of calls, and returns the seconds of one."""
    arguments = program.arguments()

    def timed(count: int) -> float:
        if not copied:
            start = time.perf_counter()
            for _ in range(count):
                run(*arguments)
            return (time.perf_counter() - start) / count
        best = math.inf
        for _ in range(count):
            given = copy.deepcopy(arguments)
            start = time.perf_counter()
            run(*given)
            best = min(best, time.perf_counter() - start)
        return best

    return timed


def best_times(candidates: Sequence[Callable[[int], float]]) -> list[float]:
    """The least seconds of a call of each candidate, which take turns until the time is over."""
    for one in candidates:
        one(2)  # a second call may compile again, for other numbers than those of the first
    counts = [max(1, min(1000, int(0.002 / max(one(1), 1e-7)))) for one in candidates]
    best = [math.inf] * len(candidates)
    start, rounds = time.perf_counter(), 0
    while rounds < LEAST_ROUNDS or (rounds < MOST_ROUNDS and time.perf_counter() - start < SECONDS):
        for index, (one, count) in enumerate(zip(candidates, counts, strict=True)):
            best[index] = min(best[index], one(count))
        rounds += 1
    return best


def numba_runs(run: Run | None, program: Program, expected: Any) -> bool:
    """Whether Numba compiles it to what Python returns; where numbers are drawn, to anything.

    A process of its own finds out, since nothing else ends a compilation that takes too long.
    """
    if run is None:
        return False
    child = os.fork()
    if not child:
        used = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used + NUMBA_LIMIT, used + NUMBA_LIMIT))
        try:
            seed()
            result = run(*program.arguments())
            works = draws(program) or same(expected, result)
        except BaseException:  # whatever it refuses
            works = False
        os._exit(not works)
    _, status = os.waitpid(child, 0)
    return status == 0


def draws(program: Program) -> bool:
    """Whether a function draws random numbers, by what it returns under two seeds."""
    found = []
    run = function_of(program)
    for start in (1, 2):
        random.seed(start)
        np.random.seed(start)
        found.append(copy.deepcopy(run(*program.arguments())))
    return not same(found[0], found[1])


def function_of(program: Program) -> Run:
    found: Run = getattr(importlib.import_module(program.module), program.function)
    return found


def measure(program: Program) -> Measured:
    """A program in all ways that can run it."""
    warnings.simplefilter("ignore")
    surroundings()
    function = function_of(program)
    expected, copied = changes(function, program)
    compiled, seen = weft.function(function), Measured()
    arguments = program.arguments()
    seed()
    start = time.process_time()
    try:
        result = compiled(*arguments)
    except Exception as error:  # what weft refuses is told
        seen.note = f"refused: {type(error).__name__}"
        seen.eager = best_times([calls(function, program, copied)])[0]
        return seen
    seen.first = time.process_time() - start
    if not same(expected, result):
        seen.note = "differs"
    candidates = [calls(function, program, copied), calls(compiled, program, copied)]
    jitted = in_numba(function)
    if numba_runs(jitted, program, expected):
        assert jitted is not None
        candidates.append(calls(jitted, program, copied))
    seen.eager, seen.weft, *rest = best_times(candidates)
    seen.numba = rest[0] if rest else math.nan
    return seen


def apart(program: Program, path: pathlib.Path) -> Measured:
    """A program measured in a process of its own, which may be stopped."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        sys.path[:0] = [str(path), str(path / program.folder)]
        try:
            with redirect_stdout(io.StringIO()):
                seen = measure(program)
        except BaseException as error:  # a program that cannot run here, with its reason
            seen = Measured(note=f"not run: {type(error).__name__}: {str(error)[:80]}")
        os.write(writing, json.dumps(asdict(seen)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return Measured(**json.loads(text)) if text else Measured(note=f"stopped after {LIMIT} s")


def microseconds(seconds: float) -> str:
    return "-" if math.isnan(seconds) else f"{seconds * 1e6:,.2f}"


def ratio(above: float, below: float) -> str:
    return "-" if math.isnan(above) or math.isnan(below) else f"{above / below:.2f}"


def row(program: Program, seen: Measured) -> str:
    name = f"{program.repository}: `{program.name}`, {program.size}"
    times = [microseconds(seconds) for seconds in (seen.eager, seen.weft, seen.numba)]
    first = "-" if math.isnan(seen.first) else f"{seen.first:.2f} s"
    cells = [name, *times, ratio(seen.eager, seen.weft), ratio(seen.numba, seen.weft), first, seen.note]
    return "| " + " | ".join(cells) + " |"


def geomean(ratios: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def summary(seen: Sequence[Measured]) -> str:
    """What the table says in a few sentences."""
    timed = [one for one in seen if not math.isnan(one.weft) and one.note != "differs"]
    over = [one.eager / one.weft for one in timed]
    over_numba = [one.numba / one.weft for one in timed if not math.isnan(one.numba)]
    firsts = sorted(one.first for one in timed)
    slower = sum(value < 1 for value in over)
    refused = sum(one.note.startswith("refused") for one in seen)
    if not timed:
        return "No program was measured."
    by_numba = f"{geomean(over_numba):.2f} times Numba's speed on the {len(over_numba)} programs that it runs"
    return (
        f"{len(timed)} programs: {geomean(over):.2f} times as fast as Python and NumPy in the geometric mean, "
        f"{slower} ({slower / len(timed):.0%}) slower; {by_numba} ({sum(value < 1 for value in over_numba)} slower). "
        f"A first call takes {firsts[len(firsts) // 2]:.2f} s of processor time in the median and {firsts[-1]:.2f} s "
        f"at most. {refused} refused."
    )


def main() -> None:
    """Measure the programs whose repositories are there, print a row each, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", type=pathlib.Path)
    parser.add_argument(
        "--only", default="", help="programs with this text in repository, module or function"
    )
    parser.add_argument("--print", action="store_true", help="write no page")
    options = parser.parse_args()
    rows, found = [], []
    for program in PROGRAMS:
        path = options.checkouts / program.repository.replace("/", "+")
        if options.only not in f"{program.repository} {program.module}.{program.function}":
            continue
        if not path.is_dir():
            print(f"no clone of {program.repository}", file=sys.stderr)
            continue
        found.append(apart(program, path))
        rows.append(row(program, found[-1]))
        print(rows[-1], flush=True)
    print(summary(found))
    if not options.print and not options.only:
        write_page(rows, found)


COLUMNS = (
    "program",
    "Python, us",
    "weft, us",
    "Numba, us",
    "Python / weft",
    "Numba / weft",
    "first call",
    "",
)


def write_page(rows: Sequence[str], found: Sequence[Measured]) -> None:
    """The table, with what it says in front."""
    head = "| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|"
    title = "# Programs of public repositories"
    RESULTS.write_text("\n".join([title, "", machine(), "", summary(found), "", head, *rows, ""]))


if __name__ == "__main__":
    main()
