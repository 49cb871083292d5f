"""The lines that rooms may have: a number only falls, or is raised by hand with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from support.package import ROOT, source_files

LINES = {
    "": 217_040,
    "dialect": 12_480,
    "passes": 29_044,
    "backend": 71_836,
    "backend/cpu": 30_417,
    "backend/cpu/codegen": 12_841,
    "backend/cpu/codegen/contractions": 3_617,
    "backend/cpu/export": 4_371,
    "backend/functions": 3_795,
    "backend/gpu": 23_957,
    "backend/gpu/schedules": 7_177,
    "backend/planning": 6_824,
    "frontend": 99_652,
    "frontend/artifacts": 5_498,
    "frontend/autograph": 27_380,
    "frontend/autograph/operators": 21_900,
    "frontend/calls": 4_450,
    "frontend/distributed": 2_730,
    "frontend/gradients": 3_035,
    "frontend/numpy_api": 11_680,
    "frontend/onnx": 6_330,
    "frontend/stablehlo": 3_577,
    "frontend/tracing": 4_428,
    "passes/lowering": 5_690,
    "passes/raising": 3_098,
    "tools": 3_950,
}
"""The most lines that the package, a room or one of the larger rooms inside of one may have.

A number only falls. Where a room needs more, for what it could not do before, that is said in `RAISED`.
"""

RAISED: tuple[tuple[str, int, str], ...] = (
    ("frontend/tracing", 10, "nothing is recorded in a trace that has ended"),
    ("frontend", 74, "deques that were there before a call are followed and changed"),
    ("frontend/autograph/operators", 3, "the last item of a list may be taken as a list of at most one"),
    ("frontend/autograph/operators", 72, "lists in dicts and objects of growing lists are themselves"),
    ("frontend", 1, "dicts and objects that are changed are told from lists that are"),
    ("frontend/autograph/operators", 330, "objects may be of several classes behind a branch or loop"),
    ("dialect", 50, "texts and pages show arguments whose names are not ASCII, each by a name of its own"),
    (
        "frontend/autograph/operators",
        90,
        "loops in the tests of loops, as pipelines of data sets have: deep ones were refused, or took"
        " minutes to trace",
    ),
    (
        "frontend",
        170,
        "what is put into several places stays one object; calls that need longer ints than of 64 bits are"
        " made again",
    ),
    ("tools", 60, "weft-opt shows what passes decide as remarks at the lines of the input, as mlir-opt does"),
    (
        "passes",
        250,
        "split arrays: edges along two axes in one exchange each, several updates overlap, argsort in blocks",
    ),
    ("frontend/distributed", 90, "arrays in blocks go into others from rank to rank"),
    (
        "frontend/tracing",
        6,
        "the trace that must be there is asked for here, where five rooms above had a function each",
    ),
    (
        "backend/gpu/schedules",
        60,
        "tensor cores multiply float32 that is rounded to tf32, where that is wanted",
    ),
    (
        "backend/gpu/schedules",
        190,
        "tiles of attention that a mask hides are passed over: half of causal attention",
    ),
    ("backend/gpu", 130, "products of float32, and attention, may be those of bfloat16"),
    ("frontend", 10, "a setting for what GPUs multiply in products of float32"),
    (
        "passes",
        410,
        "split arrays: places that are split, too, are asked for; rolls and while loops fetch edges once;"
        " what a condition chooses of arrays of Dask is reduced",
    ),
    (
        "frontend/autograph/operators",
        72,
        "small arrays of integers stay known behind writes; own buffers in operators",
    ),
    (
        "frontend/tracing",
        112,
        "what is known of arrays behind writes, and which numbers an order of axes is made of",
    ),
    ("frontend/numpy_api", 45, "an extent of reshape that turns out to be -1 when the program runs"),
    ("frontend/autograph/operators", 10, "copies and dataclasses.replace of one of several objects"),
    (
        "frontend/artifacts",
        25,
        "weft-opt, weft explain and weft build take structures and constants as arguments",
    ),
    ("frontend", 60, "pages are three fifths as large, and bounded: each line of code is in their data once"),
    (
        "dialect",
        40,
        "ops that tell whether sums and products of Python's ints have 64 bits, which were computed wrong",
    ),
    (
        "passes",
        395,
        "ranges of integers, so that checks of Python's ints cost nothing where these are counters and the"
        " like",
    ),
    ("frontend/numpy_api", 95, "Python's ints of more than 64 bits are announced, or computed by Python"),
    ("frontend", 60, "native code leaves calls to Python that are made again with longer ints"),
    (
        "passes",
        75,
        "rows of arrays in lists are read where they lie: interleave copied a whole array for each row",
    ),
    (
        "frontend/numpy_api",
        70,
        "functions of SciPy that give dicts and records, or take no read-only arrays; setflags",
    ),
    ("frontend", 62, "attributes of objects of classes that are derived from named tuples"),
    ("frontend/autograph/operators", 42, "dataclasses are compared by fields that only the program knows"),
    (
        "frontend/autograph",
        22,
        "functions of SciPy on constants are called while tracing: butter took 10 s to compile",
    ),
    ("frontend", 12, "wrappers are called as their callers do"),
    ("frontend/numpy_api", 12, "functions of SciPy that get copies are refused where they write to them"),
    (
        "passes",
        329,
        "Python's ints are checked for 64 bits behind loops, which stay reductions and run in lanes",
    ),
    ("frontend/autograph/operators", 270, "each number in a list that grows keeps its type, also in a dict"),
    (
        "frontend/autograph/operators",
        90,
        "one of several objects: its containers, and methods that return it",
    ),
    ("frontend/tracing", 5, "recordings begin again for containers of one of several objects"),
    ("frontend/autograph/operators", 90, "tuples in lists that grow hold lists of any length"),
    ("frontend/autograph/operators", 60, "what decides which of several containers one is"),
    ("frontend", 190, "containers are returned as one that are one on the path taken"),
    ("frontend", 30, "data sets are traced once whose functions are made anew, a lambda at each epoch"),
    ("passes", 3, "observers are told how long passes of LLVM take"),
    ("frontend", 13, "pages and `weft explain` tell how long passes of LLVM take"),
    ("frontend/tracing", 10, "what is captured bears its name in printed code"),
    (
        "frontend/autograph/operators",
        365,
        "a number on one path, and a text, list, tuple or an array of another rank on the other are carried",
    ),
    (
        "frontend/autograph/operators",
        128,
        "arrays that are the same on all paths stay those; dicts keep the order of a path, objects what"
        " classes have",
    ),
    (
        "frontend",
        56,
        "attributes are the object's own on some paths, and results are the caller's objects on some",
    ),
    (
        "frontend/autograph/operators",
        110,
        "copies of what only the program knows are others; texts and copies of containers see what lists"
        " became",
    ),
    ("dialect", 161, "formulas of what slices leave of axes are told in their shortest form"),
    ("passes", 1, "steps through memory are a kind of note"),
    ("backend/gpu", 230, "which sums multiply again, instead of reading a matrix"),
    ("dialect", 25, "the interpreter divides, and writes nothing out of bounds, as machine code does"),
    ("frontend", 20, "sentences name expressions by their lines where Python knows no columns"),
    ("frontend", 26, "sentences name what reads elements, and exceptions that Python makes are checks"),
    (
        "frontend/autograph/operators",
        30,
        "functions in functions read variables that may have no value, and functions made anew are told",
    ),
    ("frontend/autograph", 30, "conversion tells which variables of outer functions may have no value"),
    ("frontend", 25, "comprehensions, classes and generators read variables that may have no value"),
    ("frontend/autograph/operators", 12, "classes that the function makes are told"),
    ("frontend", 28, "what classes hold that the function makes is made at each call"),
    (
        "frontend/autograph/operators",
        60,
        "objects that lead to themselves behind a branch; lists are seen at once",
    ),
    (
        "frontend",
        90,
        "long lists of numbers are seen at once where each item was asked: they took minutes to compile",
    ),
    (
        "frontend/autograph/operators",
        40,
        "attributes that classes have are state where the program changes them",
    ),
    ("frontend/tracing", 10, "a recording begins again where it finds that a class is changed"),
    ("frontend", 60, "the changed attributes of classes are found, guarded and written back at each call"),
    (
        "backend/gpu",
        150,
        "products of few tiles are split along what they sum, so that all multiprocessors have some",
    ),
    ("backend/gpu", 45, "integers of which there are a power of two are drawn in kernels"),
    ("backend/gpu", 309, "integers of which some are drawn again are drawn in kernels, and those of bytes"),
    ("backend/gpu", 314, "normal and exponential numbers of float64 are drawn in kernels, to the last bit"),
    (
        "frontend",
        8,
        "profiles tell the reasons that are explained, and bytes where branches leave counts open",
    ),
    ("backend", 4, "costs tell for each kernel whether they are known"),
    ("passes", 4, "loops at one expression are not told as readers of one another"),
    (
        "passes",
        36,
        "elements at places that are known to be evenly spaced are a slice, and not looked up one by one",
    ),
    ("frontend", 12, "buffers are made at each call, and what was there before is returned as itself"),
    (
        "frontend",
        60,
        "what looks at objects of the user's runs none of their descriptors, properties and __getattr__",
    ),
    ("backend/cpu/codegen", 7, "flags of checked integers count among what lanes cost"),
    (
        "frontend/autograph/operators",
        80,
        "loops that fill lists or leave early are recorded once for those around, where each doubled the"
        " work",
    ),
    ("frontend", 30, "places in long lists are found, and get their names, when they are asked for"),
    ("frontend", 90, "lists at computed places are the lists themselves, in what is returned and stored"),
    (
        "backend/planning",
        110,
        "functions that call themselves change arrays in place, where each call copied them",
    ),
    (
        "frontend/autograph",
        105,
        "stacks of managers run what they call at each call, and take what the program raises",
    ),
    (
        "frontend/autograph/operators",
        56,
        "what may be a container or something unlike is itself if it was there before",
    ),
    ("frontend/autograph/operators", 10, "long lists of numbers stay data however much is recorded of them"),
    ("frontend/autograph/operators", 6, "walks that compute nothing do not count as recursion"),
    (
        "frontend/autograph/operators",
        32,
        "what many objects hold is read out of a table, where conditions took minutes",
    ),
    ("backend/gpu/schedules", 30, "blocks share loops in which no thread waits for others"),
    (
        "backend/gpu",
        118,
        "columns of recurrences of rows are threads of one launch, where each row took several",
    ),
    ("backend/gpu/schedules", 320, "loops that hand numbers on are scans of what iterations make of them"),
    (
        "backend",
        545,
        "which loops hand numbers on that many iterations at once are known for, as filters: the host did"
        " them",
    ),
    ("frontend/autograph/operators", 30, "whether arrays are one is refused where a condition decides on it"),
    ("passes", 95, "tests of loops bound what these count, so that counts stored as int32 need no checks"),
    (
        "frontend/autograph/operators",
        36,
        "objects whose comparisons do more than compute are not all compared",
    ),
    (
        "frontend/autograph/operators",
        121,
        "numbers that loops without iterations leave have their own types where they leave the function",
    ),
    ("frontend/tracing", 15, "numbers have the types of their paths where they leave the function"),
    (
        "frontend/autograph/operators",
        61,
        "formulas of SciPy's distributions are compiled, where each value was a call of Python",
    ),
    (
        "frontend/autograph/operators",
        15,
        "lists that grew are shuffled and chosen from, where they were refused",
    ),
    ("frontend/calls", 60, "arguments are bound here, where a function did it itself and was asked back"),
    ("passes", 34, "places that are read and written at are checked in loops: no pass over them before"),
    ("frontend", 1, "a list of results has a type"),
    (
        "frontend/autograph/operators",
        6,
        "numbers that may be float or int bound ranges and are asked for attributes by their type",
    ),
    (
        "frontend/autograph/operators",
        380,
        "what one recording of a loop finds, the next ones begin with: trained networks compile in half the"
        " time",
    ),
    (
        "frontend/autograph/operators",
        14,
        "programs may raise what is no Exception; changed objects in lists are told",
    ),
    (
        "frontend/autograph/operators",
        77,
        "a new list on one path lies with the lists that the other one leaves",
    ),
    ("frontend/autograph/operators", 54, "hashes of ints that the program knows, and of tuples of them"),
    ("frontend/autograph/operators", 30, "loops over deques that change in them raise, and do not go on"),
    (
        "backend/cpu",
        190,
        "checks in loops add extents to negative indices behind a branch: two instructions for five",
    ),
    (
        "passes",
        23,
        "ranges of integers are asked once for what loops carry: searches compile in two thirds of the time",
    ),
    ("backend", 27, "nests of branches are looked through once, not once for each level"),
    ("frontend/autograph/operators", 21, "loops over a few pairs of numbers that do much are recorded once"),
    (
        "backend/gpu/schedules",
        660,
        "sums of elements that products become, as gradients of attention, keep no matrix in memory",
    ),
    (
        "backend/gpu",
        660,
        "float32 normals, integers of bounds that the run tells, and short permutations are drawn in kernels",
    ),
    (
        "passes",
        60,
        "indices that loops keep in bounds are proved so, by what their tests and short circuits tell",
    ),
    ("backend/cpu", 22, "indices beside others are in bounds by one comparison, too"),
    (
        "frontend/autograph/operators",
        443,
        "tuples of as many items as only the program knows, and calls f(*items)",
    ),
    ("frontend/autograph/operators", 152, "lists that grow hold arrays of several lengths"),
    ("frontend/autograph/operators", 61, "one path of a branch may make lists of lists of unknown lengths"),
    ("frontend", 24, "results of lists that hold tuples and arrays of several lengths"),
    ("frontend/autograph", 14, "converted functions gather as many arguments as only the program knows"),
    ("frontend/autograph/operators", 546, "objects in lists that grow are changed, and lead to each other"),
    ("frontend", 117, "objects in lists that grow are changed, and lead to each other"),
    ("backend", 235, "sums that loops keep within bounds are maps, and what recurrences write over is kept"),
    ("backend/gpu/schedules", 55, "sums within bounds and recurrences in place are scans"),
    ("frontend/autograph/operators", 22, "prints of generators that Python runs while tracing are refused"),
    ("frontend/numpy_api", 33, "shapes of arrays are set in place behind loops and branches"),
    ("frontend", 16, "ints of texts beyond 64 bits are computed where numbers may be constants"),
    ("backend/gpu", 140, "numbers that loops hand on, as sums of losses, stay in the memory of the device"),
    (
        "frontend/autograph/operators",
        236,
        "dicts in lists that grow are changed, and objects of several classes lie in one list, set or dict",
    ),
    ("passes", 60, "arguments are read where branches need them, where loops copied them in each iteration"),
    (
        "backend/gpu",
        90,
        "stores of both ways of a branch are one, by which recurrences of Python's max are known",
    ),
    ("frontend/autograph/operators", 20, "generic aliases are called, as list[int](items) and Stack[int]()"),
    ("frontend/autograph/operators", 3, "long lists are shuffled by one permutation of their items"),
    ("dialect", 3, "functions say that they stay"),
    ("passes", 3, "functions that are called as often as to stay are called"),
    (
        "frontend/autograph/operators",
        120,
        "helpers that call helpers in two places are recorded once each: a program of 16 levels took no end",
    ),
    ("backend/planning", 12, "arrays that loops write to and nobody reads behind them lie where they began"),
    ("backend", 3, "ranges of integers are looked at in each loop of the program"),
    ("frontend", 94, "what is stored where it is already is compared at later calls, and stored again"),
    (
        "frontend/autograph/operators",
        218,
        "arrays in lists that grow are changed in place only where nothing else is the same array; dicts"
        " take |=",
    ),
    (
        "frontend/tracing",
        30,
        "recordings note which arrays in lists have other names, and say so where these are read",
    ),
    (
        "frontend/autograph/operators",
        20,
        "objects of weft's own library, and of classes made in the call, are no rows",
    ),
    ("frontend", 4, "a call of a program from disk loads no ops"),
    ("frontend/autograph/operators", 80, "objects are looked for by what they are behind loops and branches"),
    ("backend/cpu", 34, "negative indices of arrays whose extents are known at run time"),
    ("backend/planning", 100, "loops in loops that change arrays at other places are one kernel"),
    ("frontend/tracing", 33, "keys of extents take no longer for slices of slices"),
    ("backend/gpu", 660, "permutations and samples of any number of places are drawn in kernels"),
    (
        "frontend/autograph/operators",
        470,
        "objects that hold data are keys of dicts and members of sets by the attributes that their class"
        " compares; dicts of data are compared",
    ),
    ("frontend", 150, "by which attributes a class compares its objects is read in its methods"),
    ("frontend/autograph/operators", 78, "what functions without a source would do once is refused"),
    ("frontend/numpy_api", 12, "what NumPy makes anew is an array of its own, also where ours is a view"),
    ("frontend/tracing", 25, "arrays are written in several places at once"),
    ("frontend", 4, "arrays that functions from files write are written where objects have them"),
    ("frontend/autograph/operators", 68, "id and hash tell objects apart that the program moves about"),
    ("frontend/numpy_api", 5, "unwrap of integers with a whole period gives integers"),
    ("frontend/autograph/operators", 190, "arrays of objects in lists that grow are changed in place"),
    ("frontend/autograph", 11, "lists for functions that keep no item hold copies of the arrays of objects"),
    ("backend/gpu", 118, "numbers that branches give, and that loops hand on as others, stay on the device"),
    ("backend/gpu", 14, "numbers behind recurrences of unknown length are found by many threads"),
    ("backend/cpu", 71, "indices that need no check are branched at behind those that do"),
    (
        "frontend/autograph/operators",
        50,
        "loops on known values that a call may not run are recorded, where they were followed without end",
    ),
    ("frontend/autograph/operators", 34, "objects whose __new__ makes others, and chain.from_iterable"),
    ("frontend", 22, "what containers of derived classes hold, without running their methods"),
    ("frontend/calls", 20, "rows of numbers that are needed one after another stay constants together"),
    ("backend", 110, "sums of integers within bounds are known for many iterations at once"),
    (
        "frontend/autograph/operators",
        20,
        "objects are put into lists of empty places, where the program says which",
    ),
    ("frontend/autograph", 1, "callable objects are told by what their classes say"),
    (
        "frontend/autograph/operators",
        46,
        "objects that the function makes have attributes on some paths only",
    ),
    ("frontend/numpy_api", 12, "arrays joined of parts before and behind a place keep their extents"),
    ("frontend/tracing", 20, "arrays joined of parts before and behind a place keep their extents"),
    (
        "frontend/autograph/operators",
        46,
        "calls with items of lists that grow leave parameters their defaults, and format texts",
    ),
    ("frontend/autograph/operators", 24, "properties that are read behind super() are converted"),
    ("backend/gpu", 46, "pairs of a permutation are sorted by the digits of which the order is not known"),
    ("backend/gpu/schedules", 14, "sorts by digits leave out those that are in order"),
    (
        "frontend/autograph/operators",
        99,
        "members of enumerations are looked up by values that only the program knows, and are numbers and"
        " texts",
    ),
    (
        "frontend/autograph/operators",
        15,
        "arrays are written in place with values that may be None, and objects have such arrays",
    ),
    ("frontend/autograph/operators", 8, "next() of one of several iterators is refused in words"),
    ("frontend/autograph/operators", 30, "objects of classes that a function defines itself are rows, too"),
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
