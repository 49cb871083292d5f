"""LLVM assembly is cut into parts that together are the module again."""

from __future__ import annotations

import pytest

from weft.backend.cpu.machine import llvm
from weft.backend.cpu.machine.partition import partition

TEXT = """\
@table = internal constant [2 x double] [double 0x3FF0000000000000, double 0x4000000000000000]

declare double @sin(double)

define internal double @first(double %0) #0 {
  %2 = call double @sin(double %0)
  ret double %2
}

define internal double @second(double %0) #0 {
  %2 = load double, ptr @table, align 8
  %3 = call double @first(double %2)
  ret double %3
}

define double @"f_entry"(double %x) {
  %1 = call double @"second"(double %x)
  ret double %1
}

attributes #0 = { noinline }
"""


def test_each_part_declares_what_it_calls_of_the_other() -> None:
    named, others = partition(TEXT, {"second", "elsewhere"})
    assert "define hidden double @second(double %0) #0 {" in named
    assert "declare hidden double @first(double %0) #0\n" in named
    assert "f_entry" not in named
    assert "define hidden double @first(double %0) #0 {" in others
    assert "declare hidden double @second(double %0) #0\n" in others
    assert 'define double @"f_entry"(double %x) {' in others
    for part in (named, others):
        assert "@table = internal constant" in part
        assert "declare double @sin(double)" in part


def test_what_one_part_alone_calls_stays_its_own() -> None:
    """What is inlined there is not compiled once more."""
    named, others = partition(TEXT, {"first", "second"})
    assert "define internal double @first(double %0) #0 {" in named
    assert "define hidden double @second(double %0) #0 {" in named
    assert "@first" not in others


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ({"first", "second", "f_entry"}, TEXT),
        ({"second"}, TEXT.replace("internal constant", "internal global")),
    ],
    ids=["all", "state"],
)
def test_some_modules_stay_whole(names: set[str], text: str) -> None:
    assert partition(text, names) == (text, "")


def test_no_function_of_such_a_name() -> None:
    assert partition(TEXT, {"third"}) == ("", TEXT)


def test_optimised_parts_are_one_module() -> None:
    module = llvm.optimise(TEXT, llvm.ScalarLoops(counted={"second"}))
    assert {f.name for f in module.functions if not f.is_declaration} == {"first", "second", "f_entry"}
    assert llvm.external_symbols(module) == ["sin"]
    assert llvm.object_code(module)
