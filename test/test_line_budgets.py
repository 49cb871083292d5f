"""The lines that rooms may have: a number only falls, or is raised by hand with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from support.package import ROOT, source_files

LINES = {
    "": 233_094,
    "dialect": 12_759,
    "passes": 30_377,
    "backend": 77_659,
    "backend/cpu": 30_741,
    "backend/cpu/codegen": 12_848,
    "backend/cpu/codegen/contractions": 3_617,
    "backend/cpu/export": 4_371,
    "backend/functions": 3_795,
    "backend/gpu": 28_310,
    "backend/gpu/schedules": 8_506,
    "backend/planning": 7_046,
    "frontend": 108_211,
    "frontend/artifacts": 5_523,
    "frontend/autograph": 33_565,
    "frontend/autograph/operators": 27_902,
    "frontend/calls": 4_530,
    "frontend/distributed": 2_820,
    "frontend/gradients": 3_035,
    "frontend/numpy_api": 11_964,
    "frontend/onnx": 6_330,
    "frontend/stablehlo": 3_577,
    "frontend/tracing": 4_704,
    "passes/lowering": 5_690,
    "passes/raising": 3_098,
    "tools": 4_010,
}
"""The most lines that the package, a room or one of the larger rooms inside of one may have.

A number only falls. Where a room needs more, for what it could not do before, that is said in `RAISED`, whose
older rows are in these numbers, and in the history of this file.
"""

RAISED: tuple[tuple[str, int, str], ...] = (
    ("dialect", 54, "the state of a Mersenne Twister may be data of a program"),
    ("backend/cpu", 87, "native code draws of Mersenne Twisters whose state is data"),
    ("frontend", 215, "RandomState and random.Random may be made in compiled functions"),
    ("", 30, "RandomState and random.Random may be made in compiled functions"),
    ("frontend/autograph/operators", 24, "what the test of a loop says of values is known behind it"),
    (
        "frontend/autograph/operators",
        213,
        "numbers have the type behind a loop that as many iterations leave",
    ),
    ("frontend", 5, "a field of a dataclass among the arguments may get the value that it has"),
    ("frontend/autograph/operators", 30, "slices of known texts, and what their methods tell, go by data"),
    ("frontend", 10, "slices of known texts, and what their methods tell, go by data"),
    (
        "frontend/autograph/operators",
        24,
        "comparisons of numbers that may be None give the bools that Python has, and values of dicts keep"
        " their types",
    ),
    ("frontend", 24, "keys and members of dicts and sets from outside stay the objects that they are"),
    ("backend/gpu", 47, "bytes are multiplied that were made wider, and turned; two parts of long sums"),
    ("backend", 117, "products of bytes that were made wider, and turned, are those of bytes"),
    ("frontend/autograph/operators", 148, "dicts and sets become values of dicts of unknown keys"),
    ("frontend/autograph", 387, "what such dicts and sets do is written as programs are"),
    ("frontend", 40, "dicts and sets in dicts leave functions as those of Python"),
    ("backend/gpu/schedules", 383, "tensor cores multiply bytes, and convolve; tiles of several rows"),
    (
        "dialect",
        95,
        "ops are made by name here, where passes, backend, frontend and tools had a function each",
    ),
    ("frontend/autograph/operators", 131, "sorts by any `__lt__` and cmp_to_key; exceptions have attributes"),
    ("backend/cpu", 89, "native code makes lists of numbers that lie together"),
    ("frontend", 23, "lists in returned lists are made by native code"),
    ("frontend/autograph/operators", 110, "lists that grow on several paths are found at once"),
    ("frontend/autograph", 7, "the converter says which loops may be left"),
    ("frontend", 66, "handlers compute with the numbers and texts that caught exceptions hold"),
    (
        "frontend/autograph/operators",
        64,
        "what takes items of iterators leaves the others, and filters are iterators",
    ),
    ("frontend/autograph/operators", 160, "texts by % and format show objects, also those that are chosen"),
    ("frontend", 12, "chosen dataclasses are returned"),
    ("frontend/autograph/operators", 62, "replaced dataclasses, and the most common of counts"),
    ("frontend/autograph/operators", 20, "tuples with texts at computed places"),
    ("frontend", 12, "samples of lists whose length is data"),
    (
        "frontend/tracing",
        38,
        "operators of fractions and decimals with data are refused, and texts are not added up",
    ),
    ("dialect", 9, "ints of thousands of digits are said by their length"),
    ("frontend/tracing", 2, "arrays from outside that are arguments are written with themselves"),
    ("frontend", 14, "whether a list that is an argument is another one is refused, or told"),
    ("backend", 5, "items that slices may not have are read only where programs read them"),
    ("frontend/calls", 34, "lists under a name and among arguments are told apart before a call"),
    ("frontend/autograph/operators", 55, "deep copies of lists and dicts of objects, dicts and sets"),
    ("frontend/autograph", 46, "deep copies of lists and dicts of objects, dicts and sets"),
    ("frontend", 115, "handlers compute with what exceptions hold that print or a call of Python may raise"),
    ("frontend/autograph/operators", 185, "what picks items of an iterator asks for no more than are taken"),
    ("frontend/autograph", 11, "what picks items of an iterator asks for no more than are taken"),
    (
        "frontend/numpy_api",
        35,
        "np.shares_memory answers for parts of one argument, np.einsum gives views to write to",
    ),
    ("frontend", 17, "diagonals of np.einsum are written to, and pools refuse arrays of several lengths"),
    ("frontend/calls", 37, "lengths that change from call to call are data"),
    ("frontend/tracing", 19, "lengths that change from call to call are data"),
    ("frontend/autograph/operators", 1, "lengths that change from call to call are data"),
    ("frontend/numpy_api", 9, "the shape that a reshape is asked for is told with the extents of the run"),
    ("frontend/calls", 185, "native code builds chosen results, lists of lists, and texts"),
    ("backend/cpu", 90, "native code builds lists of numbers, and one of several results"),
    ("passes", 30, "lengths of repeated lists are simplified"),
    (
        "frontend/autograph/operators",
        15,
        "names that exits leave without a value are told where finally reads them",
    ),
    ("frontend", 2, "elements that a mask selects compute by type"),
    ("frontend/autograph/operators", 40, "lists of many tuples are sorted at once"),
    ("frontend/autograph/operators", 24, "floats of NumPy are refused beside lists, which they would repeat"),
    ("frontend", 20, "changed lists, and marked callbacks of programs on disk, are done natively"),
    ("frontend/autograph/operators", 6, "texts under names are formats where they are in front of %"),
    ("frontend", 2, "texts under names are formats where they are in front of %"),
    (
        "frontend/autograph/operators",
        16,
        "short loops that return parts of arrays which they write are recorded once",
    ),
    ("frontend", 12, "short loops that return parts of arrays which they write are recorded once"),
    ("frontend/tracing", 8, "short loops that return parts of arrays which they write are recorded once"),
    ("frontend/numpy_api", 6, "a partition names the first place that is out of bounds"),
    ("frontend", 36, "classes that a function makes have counters; names of attributes are chosen by data"),
    (
        "frontend/autograph",
        44,
        "classes that a function makes have counters; names of attributes are chosen by data",
    ),
    (
        "frontend/autograph/operators",
        38,
        "classes that a function makes have counters; names of attributes are chosen by data",
    ),
    ("", 24, "slices with steps of lists, and recursion whose constants and lengths differ in each call"),
    (
        "dialect",
        3,
        "slices with steps of lists, and recursion whose constants and lengths differ in each call",
    ),
    (
        "frontend",
        63,
        "slices with steps of lists, and recursion whose constants and lengths differ in each call",
    ),
    (
        "frontend/autograph",
        96,
        "slices with steps of lists, and recursion whose constants and lengths differ in each call",
    ),
    (
        "frontend/autograph/operators",
        134,
        "slices with steps of lists, and recursion whose constants and lengths differ in each call",
    ),
    ("frontend/autograph/operators", 19, "writes to one of two arrays reach the one that it is"),
    ("frontend/tracing", 155, "writes to one of two arrays reach the one that it is"),
    ("dialect", 11, "bfloat16 is rounded once, writes reach one of two arrays"),
    ("frontend/autograph/operators", 1, "bfloat16 is rounded once, writes reach one of two arrays"),
    ("frontend/tracing", 8, "bfloat16 is rounded once, writes reach one of two arrays"),
    (
        "frontend/autograph/operators",
        40,
        "writes to one of two arrays reach the one that it is, by branches inside of others, too",
    ),
    (
        "frontend/tracing",
        75,
        "writes to one of two arrays reach the one that it is, by branches inside of others, too",
    ),
    ("frontend", 14, "np.poly1d of coefficients that the program computes"),
    ("frontend/autograph", 97, "np.poly1d of coefficients that the program computes"),
    ("frontend/autograph", 13, "arrays at places that data say of lists are written and replaced"),
    ("frontend/autograph/operators", 2, "arrays at places that data say of lists are written and replaced"),
    ("frontend/tracing", 21, "arrays at places that data say of lists are written and replaced"),
    ("frontend/tracing", 22, "copies that a loop makes of what it writes are told"),
    ("frontend/tracing", 2, "copies that a loop makes of what it writes are told"),
)
"""Rooms with the lines that they and the rooms around them may have beyond `LINES`, and the reason: what weft can do
now that it could not."""


def is_inside(path: str, room: str) -> bool:
    """Whether a file or a room lies in a room, or is it.

    >>> is_inside("backend/gpu/device.py", "backend"), is_inside("backend", "backend"), is_inside("tools", "")
    (True, True, True)
    >>> is_inside("backend", "backend/gpu")
    False
    """
    return PurePosixPath(path).is_relative_to(room)


def over_and_under(lines: Mapping[str, int], budgets: Mapping[str, int]) -> list[str]:
    """What is to be done where rooms have more lines than they may have, or far less, in words."""
    found = []
    for room, budget in budgets.items():
        name, has = room or "weft", lines[room]
        if has > budget:
            found.append(
                f"{name} has {has} lines and may have {budget}: let what is replaced go, or say in RAISED what the"
                f" {has - budget} more are for"
            )
        elif has < budget - max(budget // 20, 500):
            found.append(
                f"{name} has shrunk to {has} lines: lower its {budget} in LINES to {-(-has // 100) * 100}"
            )
    return found


def raised(budgets: Mapping[str, int], raises: tuple[tuple[str, int, str], ...]) -> dict[str, int]:
    """The budgets of rooms with what the raises add to them and to the rooms around.

    >>> raised({"": 90, "low": 40, "low/a": 10}, (("low", 5, "a reason"), ("low/a", 1, "a reason")))
    {'': 96, 'low': 46, 'low/a': 11}
    """
    return {
        room: budget + sum(count for inner, count, _ in raises if is_inside(inner, room))
        for room, budget in budgets.items()
    }


def test_rooms_keep_to_their_lines() -> None:
    lines = dict.fromkeys(LINES, 0)
    for file in source_files():
        path, count = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8").count("\n")
        for room in LINES:
            lines[room] += count if is_inside(path, room) else 0
    assert over_and_under(lines, raised(LINES, RAISED)) == []


def test_raised_budgets_have_reasons() -> None:
    for room, count, reason in RAISED:
        assert room in LINES
        assert count > 0
        assert len(reason) > 20, f"{room}: what are the {count} lines for?"


def test_rooms_over_and_far_under_their_lines_are_told() -> None:
    budgets = {"": 1000, "low": 1000, "high": 20_000, "even": 1000}
    assert over_and_under({"": 1000, "low": 1020, "high": 18_990, "even": 500}, budgets) == [
        "low has 1020 lines and may have 1000: let what is replaced go, or say in RAISED what the 20 more are for",
        "high has shrunk to 18990 lines: lower its 20000 in LINES to 19000",
    ]


def test_raises_count_for_the_rooms_around() -> None:
    budgets = {"": 90, "low": 40, "low/a": 10, "lower": 40}
    raises = (("low", 5, "a reason"), ("low/a", 1, "a reason"))
    assert raised(budgets, raises) == {"": 96, "low": 46, "low/a": 11, "lower": 40}
