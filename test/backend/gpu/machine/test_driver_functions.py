"""What assembly of the host declares to talk to the driver is defined, with what that calls, and nothing else."""

from __future__ import annotations

import re
from collections import Counter

import llvmlite.binding as llvm
import pytest

from weft.backend.gpu.machine import driver_code, graph_code
from weft.backend.gpu.machine.call_context import CALL_LIBRARY, DRIVER_SYMBOLS
from weft.backend.gpu.machine.driver_functions import LinkDriverFunctions


def calling(*declarations: str) -> str:
    """Assembly with declarations of functions."""
    return "\n".join(
        [*(f"declare i64 @{text}" for text in declarations), "define void @f() {\n  ret void\n}\n"]
    )


def linked(text: str) -> tuple[str, list[str], list[str]]:
    """The assembly behind the pass, what it defines, and what it declares; it is valid."""
    statistics = Counter[str]()
    found = LinkDriverFunctions().run(text, statistics)
    llvm.parse_assembly(found).verify()
    defined = re.findall(r"^define .*?@(\w+)\(", found, re.MULTILINE)
    declared = re.findall(r"^declare .*?@(\w+)\(", found, re.MULTILINE)
    assert statistics["driver functions"] == len(defined) + len(declared) - 1 - text.count("elsewhere")
    return found, defined, declared


def test_what_is_called_is_defined_with_what_that_calls() -> None:
    text, defined, declared = linked(calling("weft_device_read(i64, i64, i64, i64) #0"))
    assert defined == ["f", "weft_device_read", "weft_device_fail", "weft_device_count"]
    assert sorted(declared) == ["cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"]
    assert re.findall(r"@(\w+)\(.*\) noinline", text) == ["weft_device_read"]


def test_what_counts_asks_nothing_of_the_driver() -> None:
    _, defined, declared = linked(calling("weft_device_trip(i64, i64, i64)"))
    assert defined == ["f", "weft_device_trip", "weft_device_count"]
    assert declared == []


def test_where_nothing_is_called_nothing_changes() -> None:
    text = calling("elsewhere(i64)")
    assert LinkDriverFunctions().run(text, Counter()) == text


def test_other_declarations_stay() -> None:
    _, defined, declared = linked(calling("elsewhere(i64)", "weft_device_errors(i64)"))
    assert defined == ["f", "weft_device_errors"]
    assert declared == ["elsewhere"]


def test_a_block_for_which_there_is_no_room_is_asked_for_again() -> None:
    text, _, _ = linked(calling("weft_device_reserve(i64, i64, i64, i64)"))
    (body,) = re.findall(r"^define [^\n]*@weft_device_allocate\(.*?^}", text, re.MULTILINE | re.DOTALL)
    called = re.findall(r"@(cu\w+)\(", body)
    first, *again = called
    assert first == "cuMemAllocFromPoolAsync"
    assert again == ["cuStreamSynchronize", "cuMemPoolTrimTo", "cuMemAllocFromPoolAsync"]


@pytest.mark.parametrize("module", [driver_code, graph_code])
def test_functions_of_the_driver_are_those_that_are_looked_up(module: object) -> None:
    assert {name for name in vars(module) if re.match("cu[A-Z]", name)} <= {*DRIVER_SYMBOLS}


def test_all_functions_are_valid_together() -> None:
    names = [
        name for module in (driver_code, graph_code) for name in vars(module) if name.startswith("weft_")
    ]
    _, defined, declared = linked(calling(*(f"{name}()" for name in dict.fromkeys(names))))
    assert sorted(defined) == sorted({"f", *names})
    assert sorted(declared) == sorted([*DRIVER_SYMBOLS, CALL_LIBRARY])
