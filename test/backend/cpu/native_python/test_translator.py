"""Functions in the part of Python that is translated to native code, run as Python and as machine code."""

from __future__ import annotations

import ctypes
import re
import threading
import types
from typing import Any

import pytest

from weft.backend.cpu.machine.libraries import library_function
from weft.backend.cpu.machine.native_code import compile_assembly, link_forever
from weft.backend.cpu.native_python.intrinsics import CFunction, FloatFunction, Order, Static
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


def linked(
    source: str, names: list[str], monkeypatch: pytest.MonkeyPatch, **constants: Any
) -> dict[str, Any]:
    """Functions of a source text as machine code; they take and return words."""
    text = translate([module_of(source, monkeypatch, **constants)], names, 0)
    of_system = {
        name: library_function(name) for name, value in constants.items() if isinstance(value, CFunction)
    }
    addresses = link_forever(compile_assembly(text), names, of_system, of_system)
    return {name: ctypes.CFUNCTYPE(ctypes.c_int64)(address) for name, address in addresses.items()}


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
    if LARGE:
        return nothing.like.this
    else:
        pass
    quotient = max(x, 3) // 2 + max(min(x, y), 0) % 7
    return quotient + (x << 2 | y & 7) ^ (x > y) + (x >= y) * 2 + (x != y)
'''.replace("while total % 1 == 0", "while True")


def test_control_flow_is_that_of_python(monkeypatch: pytest.MonkeyPatch):
    namespace: dict[str, Any] = {"LARGE": False}
    exec(CONTROL_FLOW, namespace)
    function, _ = compiled(CONTROL_FLOW, "f", 2, monkeypatch, LARGE=False)
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


def test_calls_of_c_that_take_a_number(monkeypatch: pytest.MonkeyPatch):
    source = """
def f(function, bits):
    return call_double(function, bits) + 1
"""
    function, _ = compiled(source, "f", 2, monkeypatch)
    called: list[float] = []
    taking = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double)(lambda x: called.append(x) or 41)
    bits = ctypes.c_int64.from_buffer_copy(ctypes.c_double(-1.5)).value
    assert function(ctypes.cast(taking, ctypes.c_void_p).value, bits) == 42
    assert called == [-1.5]


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
        "return x / 2", "return print(x)", "return x < 1 < 2", "return [x]", "x: int = 1", "return f(a=1)",
        "for i in range(1, 2): x = 1", "return NAME", "return x.attribute", "a[0] += 1",
    ],
)  # fmt: skip
def test_what_is_not_translated_is_refused(statement: str, monkeypatch: pytest.MonkeyPatch):
    module = module_of(f"def f(x):\n    {statement}", monkeypatch, NAME="text")
    with pytest.raises(InternalError, match=r"native code of f, line 2: \w+ is not translated"):
        translate([module], ["f"], 1)


def test_floats(monkeypatch: pytest.MonkeyPatch):
    source = """
def f(word):
    x = from_bits(word)
    while not x < LIMIT:
        x = root(x)
    x += 1.5
    return bits(scaled(-x, 3)) if x != 0.0 else int(x)

def scaled(value: float, count: int) -> float:
    return value * float(count) / 0.5 - hypot(3.0, 4.0)
"""
    given = {"LIMIT": 2.0, "hypot": FloatFunction("hypot", 2)}
    function, _ = compiled(source, "f", 1, monkeypatch, **given)
    found = function(ctypes.c_int64.from_buffer_copy(ctypes.c_double(9.0)).value)
    expected = -(3.0**0.5 + 1.5) * 3.0 / 0.5 - 5.0
    assert ctypes.c_double.from_buffer_copy(ctypes.c_int64(found)).value == expected


@pytest.mark.parametrize(
    "statement", ["return 1.5", "return x + 1.5", "return from_bits(x) < x", "return f(1.5)"]
)
def test_floats_are_no_integers(statement: str, monkeypatch: pytest.MonkeyPatch):
    module = module_of(f"def f(x):\n    {statement}", monkeypatch)
    with pytest.raises(InternalError, match=r"native code of f: .* is a (double|i64), no (double|i64)"):
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


def test_static_memory_is_that_of_all_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
def count():
    set_word(COUNTERS + 16, word(COUNTERS + 16) + 1)
    set_half(COUNTERS + 4, -2 + (1 << 40))
    return word(COUNTERS + 16) * 10 + half(COUNTERS) + half(COUNTERS + 4)

def address():
    return COUNTERS
"""
    functions = linked(source, ["count", "address"], monkeypatch, COUNTERS=Static(3))
    assert [functions["count"](), functions["count"]()] == [8, 18]
    assert functions["address"]() % 64 == 0


@pytest.mark.parametrize("value", [0, 1, 2, 63, 64, 65, (1 << 47) - 1, 1 << 47, (1 << 63) - 1])
def test_bit_length(value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    function, _ = compiled("def f(x):\n    return bit_length(x)", "f", 1, monkeypatch)
    assert function(value) == value.bit_length()


def test_functions_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions of C are called by name, an `int` is extended, and they call back."""
    source = """
def f():
    numbers = stack(3)
    set_word(numbers, 30)
    set_word(numbers + 8, 10)
    set_word(numbers + 16, 20)
    qsort(numbers, 3, 8, address_of(compare))
    return word(numbers) * 10000 + word(numbers + 8) * 100 + word(numbers + 16) + memcmp(numbers, numbers, 24)

def compare(left, right):
    return word(left) - word(right)
"""
    of_system = {"qsort": CFunction(4, "void"), "memcmp": CFunction(3, "i32")}
    assert linked(source, ["f"], monkeypatch, **of_system)["f"]() == 102030
    module = module_of("def f(x):\n    return memcmp(x, x)", monkeypatch, **of_system)
    with pytest.raises(InternalError, match="Call is not translated"):  # one argument is missing
        translate([module], ["f"], 0)


def test_atomic_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
def f():
    atomic_store(MEMORY, 5, Order.RELEASE)
    total = atomic_load(MEMORY, Order.ACQUIRE)
    total = total * 100 + atomic_add(MEMORY, -2, Order.RELAXED)
    total = total * 100 + atomic_exchange(MEMORY, 30, Order.SEQUENTIAL)
    total = total * 100 + atomic_and(MEMORY, 7, Order.ACQUIRE_RELEASE)
    total = total * 100 + compare_exchange(MEMORY, 5, 50, Order.ACQUIRE, Order.RELAXED)
    total = total * 100 + compare_exchange(MEMORY, 6, 60, Order.ACQUIRE, Order.RELAXED)
    while not compare_exchange_weak(MEMORY, 60, 61, Order.RELAXED, Order.RELAXED):
        pause()
    return total * 100 + atomic_load(MEMORY, Order.RELAXED)
"""
    names = {"MEMORY": Static(1), "Order": Order}
    assert linked(source, ["f"], monkeypatch, **names)["f"]() == 5_05_03_30_00_01_61
    text = translate([module_of(source, monkeypatch, **names)], [], 0)
    orders = [
        r"store atomic i64 5, ptr %\w+ release", r"load atomic i64, ptr %\w+ acquire", "add ptr .* monotonic",
        "xchg ptr .* seq_cst", "and ptr .* acq_rel", "cmpxchg ptr .* acquire monotonic",
        "cmpxchg weak ptr .* monotonic monotonic",
    ]  # fmt: skip
    for order in orders:
        assert re.search(order, text)


def test_atomic_operations_are_atomic(monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
def count():
    for i in range(300000):
        atomic_add(COUNTERS, 1, Order.RELAXED)
        old = atomic_load(COUNTERS + 8, Order.RELAXED)
        while not compare_exchange_weak(COUNTERS + 8, old, old + 1, Order.RELAXED, Order.RELAXED):
            old = atomic_load(COUNTERS + 8, Order.RELAXED)
        while not compare_exchange(COUNTERS + 16, 0, 1, Order.ACQUIRE, Order.RELAXED):
            pause()
        set_word(COUNTERS + 24, word(COUNTERS + 24) + 1)
        atomic_store(COUNTERS + 16, 0, Order.RELEASE)

def differences():
    total = word(COUNTERS)
    return (total - word(COUNTERS + 8)) | (total - word(COUNTERS + 24)) | (total - 1200000)
"""
    functions = linked(source, ["count", "differences"], monkeypatch, COUNTERS=Static(4), Order=Order)
    threads = [threading.Thread(target=functions["count"]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert functions["differences"]() == 0
