"""Object code in memory: put there without LLVM where its format is known, and by LLVM's linker elsewhere."""

from __future__ import annotations

import ctypes
import gc
import platform
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from weft.backend.cpu.machine import code
from weft.backend.cpu.machine.code import Code
from weft.backend.cpu.machine.images import Image, NotLoadable
from weft.backend.cpu.machine.linking import LinkedLibrary
from weft.backend.cpu.machine.native_code import compile_assembly
from weft.backend.cpu.machine.native_target import binding
from weft.backend.cpu.machine.object_files import ObjectFile
from weft.dialect.errors import InternalError

pytestmark = [
    pytest.mark.processor,
    pytest.mark.skipif(
        sys.platform != "linux" or platform.machine() != "x86_64",
        reason="LLVM links the code of this machine",
    ),
]

ASSEMBLY = """
@count = internal global i64 40
@zeros = global [3 x i64] zeroinitializer, align 64
@names = internal constant [4 x i8] c"abc\\00"
@functions = internal constant [2 x ptr] [ptr @twice, ptr @called]

declare i64 @called(i64)

define internal i64 @twice(i64 %n) noinline {
  %m = mul i64 %n, 2
  ret i64 %m
}

define i64 @next() {
  %old = load i64, ptr @count
  %new = add i64 %old, 1
  store i64 %new, ptr @count
  %first = load i64, ptr @zeros
  %sum = add i64 %new, %first
  ret i64 %sum
}

define i64 @by_table(i64 %which, i64 %n) {
  %place = getelementptr [2 x ptr], ptr @functions, i64 0, i64 %which
  %function = load ptr, ptr %place
  %result = call i64 %function(i64 %n)
  ret i64 %result
}

define i64 @directly(i64 %n) {
  %once = call i64 @called(i64 %n)
  %again = call i64 @twice(i64 %once)
  ret i64 %again
}

define i64 @letter(i64 %n) {
  %place = getelementptr i8, ptr @names, i64 %n
  %letter = load i8, ptr %place
  %wide = zext i8 %letter to i64
  ret i64 %wide
}

define double @constant(i64 %n) {
  %float = sitofp i64 %n to double
  %sum = fadd double %float, 0.7
  ret double %sum
}

define i64 @chosen(i64 %n) {
  switch i64 %n, label %other [i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %d i64 4, label %e]
a:
  ret i64 31
b:
  ret i64 17
c:
  ret i64 5
d:
  ret i64 99
e:
  %called = call i64 @called(i64 7)
  ret i64 %called
other:
  ret i64 -1
}
"""
EXPORTS = ["next", "by_table", "directly", "letter", "constant", "chosen", "zeros"]
Called = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
called = Called(lambda n: n + 100)
ADDRESSES = {"called": ctypes.cast(called, ctypes.c_void_p).value or 0}


def answers(address: Callable[[str], int]) -> list[float]:
    """What the functions return."""

    def call(name: str, *words: int) -> float:
        result = ctypes.c_double if name == "constant" else ctypes.c_int64
        return ctypes.CFUNCTYPE(result, *[ctypes.c_int64] * len(words))(address(name))(*words)

    found = [call("next"), call("by_table", 0, 5), call("by_table", 1, 5), call("directly", 5)]
    found += [call("letter", n) for n in range(4)] + [call("constant", 2)]
    found += [call("chosen", n) for n in range(6)]
    ctypes.c_int64.from_address(address("zeros")).value = 1000
    assert address("zeros") % 64 == 0
    return [*found, call("next")]


EXPECTED = [41, 10, 105, 210, 97, 98, 99, 0, 2.7, 31, 17, 5, 99, 107, -1, 1042]


@pytest.mark.parametrize("kind", [Image, LinkedLibrary, Code])
@pytest.mark.parametrize("is_optimised", [False, True])
def test_code_calls_and_reads_what_it_should(kind: type, is_optimised: bool) -> None:
    object_file = compile_assembly(ASSEMBLY, is_optimised=is_optimised)
    made = Image(object_file, ADDRESSES) if kind is Image else kind(object_file, EXPORTS, ADDRESSES)
    assert answers(made.address) == EXPECTED


def test_two_images_have_variables_of_their_own() -> None:
    object_file = compile_assembly(ASSEMBLY)
    first, second = Image(object_file, ADDRESSES), Image(object_file, ADDRESSES)
    assert answers(first.address) == answers(second.address) == EXPECTED


def test_all_kinds_of_addresses_were_met() -> None:
    file = ObjectFile(compile_assembly(ASSEMBLY))
    loaded = [section for section in file.sections if section.flags & 2 and section.name != ".eh_frame"]
    assert {found.kind for section in loaded for found in file.relocations(section).values()} == {
        1, 24, 25, 27, 29
    }  # fmt: skip


def small_code() -> bytes:
    """Code for a linker, with addresses of 32 bits."""
    machine = binding().Target.from_default_triple().create_target_machine(reloc="pic", codemodel="small")
    content: bytes = machine.emit_object(binding().parse_assembly(ASSEMBLY))
    return content


def test_other_formats_are_left_to_llvm() -> None:
    whole = compile_assembly(ASSEMBLY)
    machine = bytearray(whole)
    struct.pack_into("<H", machine, 0x12, 183)
    for other in (b"\xcf\xfa\xed\xfe" + whole[4:], bytes(machine), small_code()):
        with pytest.raises(NotLoadable):
            Image(other, ADDRESSES)
    with patch("sys.platform", "darwin"), pytest.raises(NotLoadable):
        Image(whole, ADDRESSES)
    with patch.object(code, "Image", Mock(side_effect=NotLoadable)):
        assert answers(Code(whole, EXPORTS, ADDRESSES).address) == EXPECTED


def test_what_is_missing_is_an_error_before_anything_is_called() -> None:
    object_file = compile_assembly(ASSEMBLY)
    with pytest.raises(InternalError, match="called"):
        Code(object_file, EXPORTS, {})
    with pytest.raises(InternalError, match="nowhere"):
        Code(object_file, [*EXPORTS, "nowhere"], ADDRESSES)


FILLING = """
define void @fill(ptr %p, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 %n, i1 false)
  ret void
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""


@pytest.mark.parametrize("kind", [Code, LinkedLibrary])
def test_functions_that_llvm_calls_are_those_of_the_system(kind: type) -> None:
    content = (ctypes.c_uint8 * 50)()
    made = kind(compile_assembly(FILLING), ["fill"], {})
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(made.address("fill"))(
        ctypes.addressof(content), 49
    )
    assert list(content) == [7] * 49 + [0]


def mapped(address: int) -> str:
    """What the system allows at an address; empty where there is no memory."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        first, last = (int(number, 16) for number in line.split()[0].split("-"))
        if first <= address < last:
            return line.split()[1]
    return ""


def test_code_is_not_written_and_variables_are_not_run() -> None:
    image = Image(compile_assembly(ASSEMBLY), ADDRESSES)
    assert (mapped(image.address("next")), mapped(image.address("zeros"))) == ("r-xp", "rw-p")
    address = image.address("next")
    del image
    gc.collect()
    assert "x" not in mapped(address), "its pages are given back"
