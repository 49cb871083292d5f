"""Functions in the part of Python that is translated to native code, run as Python and as machine code."""

from __future__ import annotations

import ctypes
import re
import types
from typing import Any

import pytest

from weft.backend.cpu.native_python.layout import TABLE
from weft.backend.cpu.native_python.translator import translate
from weft.dialect.errors import InternalError

binding = pytest.importorskip("llvmlite.binding")


def module_of(source: str, monkeypatch: pytest.MonkeyPatch, **names: Any) -> types.ModuleType:
    """A module whose source is a text."""
    module = types.ModuleType("native")
    vars(module).update(names)
    monkeypatch.setattr("inspect.getsource", lambda module: source)
    return module


def compiled(
    source: str, name: str, parameters: int, monkeypatch: pytest.MonkeyPatch, **names: Any
) -> tuple[Any, Any]:
    """A function of a source text as machine code, and its table of eight words."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    text = translate([module_of(source, monkeypatch, **names)], [name], 8)
    machine = binding.Target.from_default_triple().create_target_machine(opt=0, codemodel="jitdefault")
    code = machine.emit_object(binding.parse_assembly(text))
    jit = binding.create_lljit_compiler(machine)
    builder = binding.JITLibraryBuilder().add_object_img(code)
    for exported in (name, TABLE):
        builder.export_symbol(exported)
    linked = builder.link(jit, f"native.{name}")
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * parameters)(linked[name])
    function.owner = (jit, linked)
    return function, (ctypes.c_int64 * 8).from_address(linked[TABLE])


CONTROL_FLOW = '''
def f(a, b):
    """Every statement."""
    total = 0
    for i in range(a):
        if i == 3:
            continue
        total += i * b
        if total > 100 and not i == 0 or total == 77:
            break
    while total % 1 == 0:
        total -= 1
        if total < 5:
            return -total if a < b else helper(total, b)
        elif total == 20:
            total = total - 3
        else:
            total = total
    return total

def helper(x, y):
    return (x << 2 | y & 7) ^ (x > y) + (x >= y) * 2 + (x != y)
'''.replace("while total % 1 == 0", "while True")


def test_control_flow_is_that_of_python(monkeypatch: pytest.MonkeyPatch):
    namespace: dict[str, Any] = {}
    exec(CONTROL_FLOW, namespace)
    function, _ = compiled(CONTROL_FLOW, "f", 2, monkeypatch)
    for a in range(12):
        for b in range(-3, 40, 3):
            assert function(a, b) == namespace["f"](a, b)


def test_memory(monkeypatch: pytest.MonkeyPatch):
    source = """
def f(address, value):
    room = stack(2)
    set_word(room + 8, value)
    set_word(address + 8, word(address) + word(room + 8))
    return half(address + 16) + byte(address + 20) * 1000 + api(3)
"""
    function, table = compiled(source, "f", 2, monkeypatch)
    memory = (ctypes.c_int64 * 3)(5, 0, 0)
    ctypes.c_int32.from_address(ctypes.addressof(memory) + 16).value = -7
    ctypes.c_uint8.from_address(ctypes.addressof(memory) + 20).value = 200
    table[3] = 10**7
    assert function(ctypes.addressof(memory), 37) == 10**7 + 200_000 - 7
    assert memory[1] == 42


def test_calls_of_c(monkeypatch: pytest.MonkeyPatch):
    source = """
def f(wide, narrow, nothing):
    call_void(nothing, 1)
    return call(wide, 5) * 10 + call_int(narrow, 2)
"""
    function, _ = compiled(source, "f", 3, monkeypatch)
    called: list[int] = []
    wide = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(lambda x: x + 1)
    narrow = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64)(lambda x: -x)
    nothing = ctypes.CFUNCTYPE(None, ctypes.c_int64)(called.append)
    addresses = [ctypes.cast(c, ctypes.c_void_p).value for c in (wide, narrow, nothing)]
    assert function(*addresses) == 58
    assert called == [1]


def test_constants_of_the_module(monkeypatch: pytest.MonkeyPatch):
    class Layout:
        FIRST = 40

    function, _ = compiled(
        "def f(x):\n    return x + Layout.FIRST + SIZE", "f", 1, monkeypatch, Layout=Layout, SIZE=2
    )
    assert function(100) == 142


@pytest.mark.parametrize(
    "statement",
    [
        "a, b = 1, 2", "a[0] = 1", "x.y = 1", "for i in x: pass", "with x: pass", "return 'text'", "return unknown",
        "return x // 2", "return print(x)", "return x < 1 < 2", "return [x]", "x: int = 1", "return f(a=1)",
        "for i in range(1, 2): x = 1", "return NAME", "return x.attribute", "a[0] += 1", "return 1.5",
    ],
)  # fmt: skip
def test_what_is_not_translated_is_refused(statement: str, monkeypatch: pytest.MonkeyPatch):
    module = module_of(f"def f(x):\n    {statement}", monkeypatch, NAME="text")
    with pytest.raises(InternalError, match=r"native code of f, line 2: \w+ is not translated"):
        translate([module], ["f"], 1)


def test_statements_that_are_never_reached_are_refused(monkeypatch: pytest.MonkeyPatch):
    module = module_of("def f(x):\n    return x\n    x = 1", monkeypatch)
    with pytest.raises(InternalError, match="line 3: Assign is not translated"):
        translate([module], ["f"], 1)


def test_only_what_is_exported_is_visible(monkeypatch: pytest.MonkeyPatch):
    module = module_of("def f(x):\n    return g(x)\n\ndef g(x):\n    return x", monkeypatch)
    text = translate([module], ["f"], 3)
    assert re.findall(r"define (internal )?i64 @(\w+)", text) == [("", "f"), ("internal ", "g")]
    assert f"@{TABLE} = global [3 x i64] zeroinitializer" in text


def test_functions_that_are_given_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_of("def f(a):\n    return twice(a) + 1\n", monkeypatch)
    given = "define i64 @twice(i64 %a) {\n  %b = shl i64 %a, 1\n  ret i64 %b\n}\n"
    text = translate([module], ["f"], 0, ["twice"])
    assert TABLE not in text
    binding.parse_assembly(given + text).verify()
    with pytest.raises(InternalError, match="Call is not translated"):
        translate([module], ["f"], 0)
