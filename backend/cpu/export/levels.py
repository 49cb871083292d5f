"""Libraries with code for several levels of processors: what chooses among them where they are called.

A function of C asks for the number of the level, which is found out at the first call and kept, and goes on to that
level's function with its own arguments. Threads that ask at once find the same.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from ....dialect.errors import WeftValueError
from ...target import Target, named
from .instructions import escaped, of_instructions

VARIABLE = "WEFT_LEVEL"
"""The variable of the environment that names the highest level which a process chooses."""

_BITS = {
    "ssse3": (1, 2, 9),
    "fma": (1, 2, 12),
    "cx16": (1, 2, 13),
    "sse4.1": (1, 2, 19),
    "sse4.2": (1, 2, 20),
    "movbe": (1, 2, 22),
    "popcnt": (1, 2, 23),
    "avx": (1, 2, 28),
    "f16c": (1, 2, 29),
    "bmi": (7, 1, 3),
    "avx2": (7, 1, 5),
    "bmi2": (7, 1, 8),
    "avx512f": (7, 1, 16),
    "avx512dq": (7, 1, 17),
    "avx512cd": (7, 1, 28),
    "avx512bw": (7, 1, 30),
    "avx512vl": (7, 1, 31),
    "lzcnt": (0x80000001, 2, 5),
}
"""Where CPUID tells of a feature: the leaf, the register of EAX, EBX, ECX and EDX, and the bit."""

_SAVES = 27
"""The bit of ECX in leaf 1 that tells whether the system says which registers it keeps (XGETBV)."""
_VECTORS, _WIDE_VECTORS = 0b110, 0b11100110
"""What the system keeps of AVX, and of AVX-512."""


def levels_of(names: Sequence[str]) -> list[Target]:
    """The targets of some names, the lowest first; raises `WeftValueError` where none builds on the one before."""
    targets = sorted(
        (named(name) for name in dict.fromkeys(names)), key=lambda target: len(target.needs or ())
    )
    if len(targets) < 2:
        raise WeftValueError(f"several levels are two or more, and not {', '.join(names) or 'none'}")
    for target in targets:
        if target.needs is None or not target.cpu.startswith("x86-64") or target.needs - _BITS.keys():
            raise WeftValueError(
                f"{target.name!r} is no level that a library can choose at run time; those are x86-64, x86-64-v2, "
                "x86-64-v3 and x86-64-v4, with features"
            )
    for below, above in itertools.pairwise(targets):
        if below.triple != above.triple:
            raise WeftValueError(f"{below.name!r} and {above.name!r} are levels of different systems")
        if not (below.needs or frozenset()) < (above.needs or frozenset()):
            raise WeftValueError(
                f"{above.name!r} has not all that {below.name!r} has: name levels of which each adds some"
            )
    return targets


def level_text(target: Target) -> str:
    """What a level is called, without its system.

    >>> level_text(named("x86-64-v3-windows")), level_text(named("x86-64-v2+avx+fma"))
    ('x86-64-v3', 'x86-64-v2+avx+fma')
    """
    return target.cpu + target.features.replace(",", "")


def level_name(function: str, target: Target) -> str:
    """The name of the function of a level."""
    return f"{level_text(target)}.{function}"


def for_level(text: str, target: Target) -> str:
    """Assembly of an optimised module whose functions are for a processor of their own, wherever they are linked in."""
    features = f' "target-features"="{target.features}"' if target.features else ""
    own = f' "target-cpu"="{target.cpu}"{features}'
    header = r"^define [^\n]*\)(?: (?:local_)?unnamed_addr)?"
    return re.sub(header, lambda head: f"{head[0]}{own}", text, flags=re.MULTILINE)


def dispatch_assembly(library: str, functions: Sequence[tuple[str, str]], targets: Sequence[Target]) -> str:
    """What chooses, and functions of names and types, as `("f", "i32 (ptr, i64)")`, that go on to those of levels."""
    return "".join([_chooser(library, targets), *(_forward(name, type, targets) for name, type in functions)])


def _forward(name: str, type: str, targets: Sequence[Target]) -> str:
    result, _, rest = type.partition(" ")
    types = [part for part in rest.strip("()").split(", ") if part]
    parameters = ", ".join(f"{part} %{number}" for number, part in enumerate(types))
    returned = "ret void" if result == "void" else f"ret {result} %r"
    kept = "" if result == "void" else "%r = "
    text = f'\ndefine {result} @"{name}"({parameters}) {{\nbegin:\n  %level = call i64 @weft_level()\n'
    cases = " ".join(f"i64 {number}, label %level.{number}" for number in range(1, len(targets)))
    text += f"  switch i64 %level, label %level.0 [{cases}]\n"
    declared = ""
    for number, target in enumerate(targets):
        own = level_name(name, target)
        text += (
            f'level.{number}:\n  {kept}musttail call {result} @"{own}"({parameters})\n  {returned}\n'.replace(
                "%r", f"%r.{number}"
            )
        )
        declared += f'declare {result} @"{own}"({", ".join(types)})\n'
    return f"{declared}{text}}}\n"


def _chooser(library: str, targets: Sequence[Target]) -> str:
    """`weft_level`, the number of the level, and `LIBRARY_level`, its name."""
    names = [level_text(target).encode() + b"\0" for target in targets]
    width = max(map(len, names))
    texts = b"".join(name.ljust(width, b"\0") for name in names)
    variable = VARIABLE.encode() + b"\0"
    return f"""
@weft.levels = internal constant [{len(texts)} x i8] c"{escaped(texts)}"
@weft.variable = internal constant [{len(variable)} x i8] c"{escaped(variable)}"
@weft.level = internal global i64 -1
declare ptr @getenv(ptr)

define internal i64 @weft_level() alwaysinline {{
  %kept = load atomic i64, ptr @weft.level monotonic, align 8
  %is_known = icmp sge i64 %kept, 0
  br i1 %is_known, label %known, label %find
known:
  ret i64 %kept
find:
  %found = call i64 @weft_find_level()
  store atomic i64 %found, ptr @weft.level monotonic, align 8
  ret i64 %found
}}

define ptr @"{library}_level"() {{
  %level = call i64 @weft_level()
  %offset = mul i64 %level, {width}
  %name = getelementptr i8, ptr @weft.levels, i64 %offset
  ret ptr %name
}}

; The highest level that the processor and the system have, and that the variable, if it names one, lets be.
define internal i64 @weft_find_level() noinline cold {{
  %wanted = call ptr @getenv(ptr @weft.variable)
  %most = call i64 @weft_named_level(ptr %wanted)
  %has = call i64 @weft_has_level()
  %level = call i64 @llvm.umin.i64(i64 %most, i64 %has)
  ret i64 %level
}}

define internal i64 @weft_named_level(ptr %wanted) {{
begin:
  %is_none = icmp eq ptr %wanted, null
  br i1 %is_none, label %all, label %next
next:
  %number = phi i64 [ 0, %begin ], [ %following, %other ]
  %is_over = icmp eq i64 %number, {len(targets)}
  br i1 %is_over, label %all, label %compare
compare:
  %first = mul i64 %number, {width}
  br label %letter
letter:
  %at = phi i64 [ 0, %compare ], [ %behind, %same ]
  %place = add i64 %first, %at
  %here = getelementptr i8, ptr @weft.levels, i64 %place
  %there = getelementptr i8, ptr %wanted, i64 %at
  %a = load i8, ptr %here
  %b = load i8, ptr %there
  %behind = add i64 %at, 1
  %is_same = icmp eq i8 %a, %b
  br i1 %is_same, label %same, label %other
same:
  %is_end = icmp eq i8 %a, 0
  br i1 %is_end, label %found, label %letter
other:
  %following = add i64 %number, 1
  br label %next
found:
  ret i64 %number
all:
  ret i64 {len(targets) - 1}
}}
declare i64 @llvm.umin.i64(i64, i64)
{_has_level(targets)}"""


_CPUID = bytes.fromhex("4989d9 4989d0 89f8 89f1 0fa2 418900 41895804 41894808 4189500c 4c89cb c3")
"""mov r9, rbx; mov r8, rdx; mov eax, edi; mov ecx, esi; cpuid; mov [r8], eax; mov [r8+4], ebx; mov [r8+8], ecx;
mov [r8+12], edx; mov rbx, r9; ret"""
_XGETBV = bytes.fromhex("31c9 0f01d0 c3")
"""xor ecx, ecx; xgetbv; ret"""


def _has_level(targets: Sequence[Target]) -> str:
    """`weft_has_level`: the highest level of the processor, by CPUID."""
    lines = [
        of_instructions(
            "internal x86_64_sysvcc void @weft_cpuid(i32 %leaf, i32 %part, ptr %words)", _CPUID, "ret void"
        ),
        of_instructions("internal x86_64_sysvcc i32 @weft_xgetbv()", _XGETBV, "ret i32 0"),
        "define internal i64 @weft_has_level() {",
        "  %words = alloca [4 x i32]",
    ]

    def ask(leaf: int, register: int, name: str) -> None:
        lines.append(f"  call x86_64_sysvcc void @weft_cpuid(i32 {_signed(leaf)}, i32 0, ptr %words)")
        lines.append(f"  %at.{name} = getelementptr i32, ptr %words, i64 {register}")
        lines.append(f"  %{name} = load i32, ptr %at.{name}")

    for group in (0, 0x80000000):
        ask(group, 0, f"last{group:x}")
    for leaf, register in sorted({(leaf, register) for leaf, register, _ in _BITS.values()}):
        name = _word(leaf, register)
        ask(leaf, register, f"{name}.told")
        lines.append(f"  %{name}.is = icmp uge i32 %last{leaf & 0x80000000:x}, {_signed(leaf)}")
        lines.append(f"  %{name} = select i1 %{name}.is, i32 %{name}.told, i32 0")
    lines.append(f"  %saved = and i32 %{_word(1, 2)}, {1 << _SAVES}")
    lines.append("  %saves = icmp ne i32 %saved, 0")
    lines.append("  br i1 %saves, label %ask, label %choose")
    lines.append("ask:")
    lines.append("  %keeps = call x86_64_sysvcc i32 @weft_xgetbv()")
    lines.append("  br label %choose")
    lines.append("choose:")
    lines.append("  %kept = phi i32 [ 0, %0 ], [ %keeps, %ask ]")
    level = "0"
    below = "true"
    for number, target in enumerate(targets[1:], start=1):
        needs = target.needs or frozenset()
        states = _WIDE_VECTORS if "avx512f" in needs else _VECTORS if "avx" in needs else 0
        wanted = {"kept": states}
        for leaf, register, bit in (_BITS[feature] for feature in needs):
            wanted[_word(leaf, register)] = wanted.get(_word(leaf, register), 0) | 1 << bit
        for place, (word, mask) in enumerate(sorted(wanted.items())):
            lines.append(f"  %m{number}.{place} = and i32 %{word}, {_signed(mask)}")
            lines.append(f"  %h{number}.{place} = icmp eq i32 %m{number}.{place}, {_signed(mask)}")
            lines.append(f"  %b{number}.{place} = and i1 {below}, %h{number}.{place}")
            below = f"%b{number}.{place}"
        lines.append(f"  %l{number} = select i1 {below}, i64 {number}, i64 {level}")
        level = f"%l{number}"
    return "\n".join([*lines, f"  ret i64 {level}", "}", ""])


def _word(leaf: int, register: int) -> str:
    """The name of what CPUID tells in a register."""
    return f"told{leaf:x}.{register}"


def _signed(word: int) -> int:
    """A word of 32 bits as LLVM writes it."""
    return word - (1 << 32) if word >> 31 else word
