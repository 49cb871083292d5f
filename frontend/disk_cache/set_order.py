"""The order of sets: that of strings is another one in each process, as Python hashes them with a secret number.

So a program that may have walked such a set while it was traced is not stored. Sets of numbers are walked in an order
that what was put into them decides; it is compared.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterable, Iterator
from functools import cache

from ..guards.set_order import has_order
from ..source.code_parts import all_codes

_TESTS = frozenset({"CONTAINS_OP"})
_IGNORED = frozenset({"EXTENDED_ARG", "CACHE", "NOP", "RESUME"})
_CALLED = frozenset({"GET_ITER", "PRECALL", "CALL", "CALL_FUNCTION", "RETURN_VALUE", "CALL_FUNCTION_EX"})
_VIEWS = frozenset({"keys", "items"})


class Tests:
    """What functions do with names: whether nothing but `in` asks for what they hold."""

    def __init__(self, functions: Iterable[types.FunctionType]) -> None:
        self._others: set[str] = set()
        for function in functions:
            self._others |= _used_otherwise(function.__code__)

    def only_test(self, name: str | None) -> bool:
        """Whether a name, a variable or an attribute, stands in front of nothing but `in`."""
        return name is not None and name not in self._others


@cache
def _used_otherwise(code: types.CodeType) -> frozenset[str]:
    """The names that a function reads for something else than to ask what is in them."""
    found: set[str] = set()
    for inner in all_codes(code):
        for instruction, following in _pairs(inner):
            if instruction.opname.startswith("LOAD_") and isinstance(instruction.argval, (str, tuple)):
                names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
                if following is None or following.opname not in _TESTS or len(names) > 1:
                    found.update(names)
    return frozenset(found)


@cache
def makes_sets(code: types.CodeType) -> bool:
    """Whether a function may make a set of something else than numbers, or walk one that is a constant of it."""
    return any(map(_makes_sets, all_codes(code)))


def _makes_sets(code: types.CodeType) -> bool:
    views, operators = False, set()
    for instruction, following in _pairs(code):
        name, value = instruction.opname, instruction.argval
        after = "" if following is None else following.opname
        if name == "SET_ADD" or (name == "BUILD_SET" and instruction.arg):
            return True
        is_walked = isinstance(value, frozenset) and after not in _TESTS and not has_order(value)
        if name in ("LOAD_CONST", "RETURN_CONST") and is_walked:
            return True
        if name.startswith("BINARY_") or name.startswith("INPLACE_"):
            operators.add(instruction.argrepr.rstrip("=") or name.partition("_")[2])
        views = views or (name.startswith("LOAD_") and value in _VIEWS)
    if not views:
        return False
    return bool(operators & _JOINING) or (bool(operators & _TAKING) and _keeps_views(code))


_JOINING = frozenset({"&", "|", "^", "AND", "OR", "XOR"})
_TAKING = frozenset({"-", "SUBTRACT"})


def _keeps_views(code: types.CodeType) -> bool:
    """Whether the keys or items of a dict are used in another way than to walk them at once."""
    instructions = [*_instructions(code)]
    for position, instruction in enumerate(instructions):
        if not (instruction.opname.startswith("LOAD_") and instruction.argval in _VIEWS):
            continue
        following = [i.opname for i in instructions[position + 1 :]]
        behind = next((name for name in following if name not in _CALLS), "")
        if behind not in _CALLED or not following or following[0] not in _CALLS:
            return True
    return False


_CALLS = frozenset({"PUSH_NULL", "PRECALL", "CALL", "CALL_METHOD", "CALL_FUNCTION"})


def _pairs(code: types.CodeType) -> Iterator[tuple[dis.Instruction, dis.Instruction | None]]:
    instructions = [*_instructions(code)]
    return zip(instructions, [*instructions[1:], None], strict=True)


def _instructions(code: types.CodeType) -> Iterator[dis.Instruction]:
    return (i for i in dis.get_instructions(code) if i.opname not in _IGNORED)
