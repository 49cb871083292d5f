"""A processor that no table knows, timed: in units of its own cycle, by small loops of LLVM assembly.

A chain of additions and exclusive ors, each of which waits for the one before, runs at one a cycle; that is the clock.
The least of several runs counts, as others may use the machine meanwhile. Everything takes about half a second.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ...dialect.records import replace
from .description import KIB, MIB, Processor

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHAIN = 64
"""Operations of the clock in an iteration."""

_SUMS = 12
"""Independent sums: enough to keep four units with a latency of three to five cycles busy."""

_FEW_SUMS = 3
"""So few sums wait for themselves."""

_RUNS = 7

_DISTANCES = (0, 256, 512, 1024, 2048)
"""Bytes that loops may read ahead."""

_GAIN = 0.97
"""A distance has to take less than this part of the time without any."""

_STREAM = 8 * MIB
"""What is read to see what reading ahead pays: more than a second level holds."""

_FAR = 64 * MIB
"""What is read to see how fast memory is."""

_FIRST_LEVEL = [size * KIB for size in (16, 24, 32, 48, 64, 96, 128)]
_SECOND_LEVEL = [size * KIB for size in (256, 512, 1024, 1280, 2048, 3072, 4096)]
_LAST_LEVEL = [size * MIB for size in (4, 8, 16, 32)]
_CYCLES = (8.0, 45.0, 160.0)
"""Loads from the first, second and last level take less than so many cycles."""


def measured(vector_bytes: int) -> Processor:
    """What this machine's processor does, found out by timing it.

    `vector_bytes` is the size of its vector registers. Takes about half a second.
    """
    with _compiled(_program(vector_bytes // 8)) as function:
        clock = _Clock(function)
        first, second, last = (clock.largest(sizes, cycles) for sizes, cycles in _levels())
        return replace(
            Processor("a processor that was measured"),
            first_level_cache=first,
            second_level_cache=max(second, 2 * first),
            last_level_cache=max(last, 2 * second),
            last_level_cores=1,
            multiplications=clock.multiplications(),
            memory_bytes=clock.memory_bytes(),
            addition_wait=clock.addition_wait(),
            reduction_read_ahead=clock.read_ahead("sum"),
            read_ahead=clock.read_ahead("polynomial"),
        )


def _levels() -> list[tuple[list[int], float]]:
    return list(zip((_FIRST_LEVEL, _SECOND_LEVEL, _LAST_LEVEL), _CYCLES, strict=True))


class _Clock:
    """Times the functions of the program in cycles."""

    def __init__(self, function: Callable[[str], Any]) -> None:
        self._function = function
        count = 20_000
        self._cycle = _least(lambda: function("chain")(None, count, 12345)) / (count * _CHAIN)

    def multiplications(self) -> int:
        """Multiply-adds of whole vectors in a cycle: 1, 2 or 4."""
        rate = _SUMS / self._cycles("many_sums")
        return min((1, 2, 4), key=lambda choice: abs(choice - rate))

    def addition_wait(self) -> float:
        """The cycles from one addition to a sum to the next, at least."""
        return round(self._cycles("few_sums"), 1)

    def _cycles(self, name: str) -> float:
        """Those of an iteration."""
        count = 200_000
        return _least(lambda: self._function(name)(None, count, 3)) / count / self._cycle

    def memory_bytes(self) -> float:
        """The bytes that come from memory in a cycle, which a sum of them leaves time for."""
        import numpy as np

        data = np.ones(_FAR // 8)
        seconds = _least(lambda: self._function("sum")(data.ctypes.data, _FAR, 512))
        return round(_FAR * self._cycle / seconds, 1)

    def largest(self, sizes: Sequence[int], most_cycles: float) -> int:
        """The largest of some sizes in which loads at random take less than so many cycles; at least the first."""
        return max((size for size in sizes if self._load(size) < most_cycles), default=sizes[0])

    def _load(self, size: int) -> float:
        """The cycles of a load that depends on the one before, from memory of a size."""
        import numpy as np

        lines = size // 64
        order = np.random.default_rng(lines).permutation(lines)
        places = np.zeros(lines * 8, np.int64)
        places[order * 8] = np.roll(order, -1) * 8
        count = 20_000
        address = places.ctypes.data
        self._function("chase")(address, lines, 0)
        return _least(lambda: self._function("chase")(address, count, 0)) / count / self._cycle

    def read_ahead(self, name: str) -> int:
        """The shortest distance that is as good as any for a loop; 0 where none pays."""
        import numpy as np

        data = np.ones(_STREAM // 8)
        address, seconds = data.ctypes.data, dict.fromkeys(_DISTANCES, float("inf"))
        for _ in range(_RUNS):
            for distance in _DISTANCES:
                took = _timed(partial(self._function(name), address, _STREAM, distance))
                seconds[distance] = min(seconds[distance], took)
        best = min(seconds.values())
        if best > _GAIN * seconds[0]:
            return 0
        return next(distance for distance in _DISTANCES if seconds[distance] <= best / _GAIN)


def _least(run: Callable[[], object]) -> float:
    return min(_timed(run) for _ in range(_RUNS))


def _timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


# The program: every function takes an address, a count and a number, and returns a number


def _program(lanes: int) -> str:
    return "\n".join((_chain(), _chase(), *_multiply_adds(lanes), *_streams(lanes)))


def _chain() -> str:
    lines = [
        f"  %x{i + 1} = {'add' if i % 2 else 'xor'} i64 %x{i}, {'%k' if i % 2 else '%n'}"
        for i in range(_CHAIN)
    ]
    return _loop("chain", "i64", "%k", ["%x"], "\n".join(lines), [f"%x{_CHAIN}"])


def _chase() -> str:
    body = "  %p = getelementptr i64, ptr %a, i64 %x0\n  %x1 = load i64, ptr %p"
    return _loop("chase", "i64", "%k", ["%x"], body, ["%x1"])


def _multiply_adds(lanes: int) -> list[str]:
    """Many sums, and few, of products of whole vectors."""
    vector = f"<{lanes} x double>"
    texts = [f"declare {vector} @llvm.fma.v{lanes}f64({vector}, {vector}, {vector})"]
    for name, count in (("many_sums", _SUMS), ("few_sums", _FEW_SUMS)):
        body = [
            f"  %y{i} = call {vector} @llvm.fma.v{lanes}f64({vector} %s{i}0, {vector} %one, {vector} %one)"
            for i in range(count)
        ]
        names, ends = [f"%s{i}" for i in range(count)], [f"%y{i}" for i in range(count)]
        texts.append(_loop(name, vector, "%one", names, "\n".join(body), ends, lanes))
    return texts


def _streams(lanes: int) -> list[str]:
    """The sum of an array, and that of a polynomial of its elements, with lines asked for at a distance."""
    vector, width = f"<{lanes} x double>", 8 * lanes
    read = [
        f"  %byte = mul i64 %i, {4 * width}",
        "  %ahead = add i64 %byte, %k",
        *(f"  %at{i} = add i64 %byte, {i * width}" for i in range(4)),
        *(f"  %p{i} = getelementptr i8, ptr %a, i64 %at{i}" for i in range(4)),
        *(f"  %v{i} = load {vector}, ptr %p{i}, align 8" for i in range(4)),
    ]
    for line in range(max(1, 4 * width // 64)):
        read += [
            f"  %f{line} = add i64 %ahead, {64 * line}",
            f"  %g{line} = getelementptr i8, ptr %a, i64 %f{line}",
            f"  call void @llvm.prefetch.p0(ptr %g{line}, i32 0, i32 3, i32 1)",
        ]
    plain = [f"  %y{i} = fadd {vector} %s{i}0, %v{i}" for i in range(4)]
    steps = []
    for i in range(4):
        steps += [f"  %q{i}0 = fadd {vector} %v{i}, %one"]
        steps += [
            f"  %q{i}{n + 1} = call {vector} @llvm.fma.v{lanes}f64({vector} %q{i}{n}, {vector} %v{i}, {vector} %one)"
            for n in range(12)
        ]
        steps += [f"  %y{i} = fadd {vector} %s{i}0, %q{i}12"]
    names, ends = [f"%s{i}" for i in range(4)], [f"%y{i}" for i in range(4)]
    prefetch = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
    return [prefetch] + [
        _loop(name, vector, "%one", names, "\n".join(read + work), ends, lanes, 4 * width)
        for name, work in (("sum", plain), ("polynomial", steps))
    ]


def _loop(
    name: str,
    type: str,
    start: str,
    names: Sequence[str],
    body: str,
    ends: Sequence[str],
    lanes: int = 0,
    step: int = 1,
) -> str:
    """A function that runs a body `n / step` times; `names` are carried, and become `ends`."""
    ones = ", ".join(["double 1.0"] * lanes)
    one = f"  %one = fadd {type} <{ones}>, <{ones}>\n" if lanes else ""
    carried = "\n".join(
        f"  {carry}0 = phi {type} [{start}, %entry], [{end}, %loop]"
        for carry, end in zip(names, ends, strict=True)
    )
    total = [ends[0]]
    sums = ""
    if lanes:
        for number, end in enumerate(ends[1:]):
            sums += f"  %t{number} = fadd {type} {total[-1]}, {end}\n"
            total.append(f"%t{number}")
        sums += f"  %e = extractelement {type} {total[-1]}, i64 0\n  %r = bitcast double %e to i64\n"
    return f"""
define i64 @{name}(ptr %a, i64 %n, i64 %k) {{
entry:
{one}  %count = udiv i64 %n, {step}
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
{carried}
{body}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %exit
exit:
{sums}  ret i64 {"%r" if lanes else total[-1]}
}}
"""


@contextmanager
def _compiled(text: str) -> Iterator[Callable[[str], Any]]:
    """The functions of a program by name."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=2,
        codemodel="jitdefault",
    )
    type = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    with llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine) as engine:
        engine.finalize_object()
        yield lambda name: type(engine.get_function_address(name))
