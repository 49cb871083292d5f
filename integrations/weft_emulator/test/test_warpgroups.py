"""Mbarriers, copies of boxes and products of warpgroups: a whole kernel, and what if a part of it is missing."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import device_code
from support.ptx import MEMORY, kernel, run
from weft_emulator.faults import Fault
from weft_emulator.machine import Launch, Machine, Options
from weft_emulator.modules import Module
from weft_emulator.tensor_maps import TensorMap

_ROWS, _DEPTH, _COLUMNS = 64, 320, 72
_BF16 = 9


@cache
def product() -> tuple[str, int]:
    """A kernel that multiplies matrices in five steps, with room for four, and the shared memory that it asks for."""
    x, y = np.ones((_ROWS, _DEPTH), weft.bfloat16), np.ones((_DEPTH, _COLUMNS), weft.bfloat16)
    code = device_code(lambda x, y: x @ y, x, y)
    text = code.kernels[0].ptx
    head, _, rest = text.partition(".visible .entry kernel_0(")
    return (
        f"{head}.visible .entry kernel_0({rest[: rest.index('.visible')] if '.visible' in rest else rest}",
        (code.kernels[0].shared_bytes),
    )


@pytest.fixture(scope="module")
def factors() -> tuple[Any, Any]:
    """Small integers, whose products are exact."""
    random = np.random.default_rng(0)
    shapes = (_ROWS, _DEPTH), (_DEPTH, _COLUMNS)
    x, y = (random.integers(-4, 5, shape).astype(weft.bfloat16) for shape in shapes)
    return x, y


def multiply(text: str, factors: tuple[Any, Any], seed: int = 0) -> Any:
    """Run the kernel, or another text in its place."""
    module = Module(text, MEMORY, (9, 0), 13000)
    (linked,) = module.kernels.values()
    result = np.zeros((_ROWS, _COLUMNS), np.float32)
    places = [MEMORY.allocate(array.nbytes) for array in (*factors, result)]
    try:
        maps = []
        for array, place, box in zip(factors, places, ((64, 64), (64, 64)), strict=False):
            MEMORY.span(place, array.nbytes)[...] = array.reshape(-1).view(np.uint8)
            rows, columns = array.shape
            maps.append(TensorMap(_BF16, place, (columns, rows), (2 * columns,), box, 3, (1, 1)).encoded())
        data = bytearray(linked.parameters[-1][0] + 128)
        given = iter(maps)
        for offset, size in linked.parameters:
            value = next(given) if size == 128 else places[2].to_bytes(8, "little")
            data[offset : offset + size] = value
        launch = Launch((2, 1, 1), (256, 1, 1), bytes(data), product()[1])
        Machine(linked, launch, MEMORY, np.random.default_rng(seed), Options(limit=1 << 20)).run()
        return MEMORY.span(places[2], result.nbytes).copy().view(np.float32).reshape(result.shape)
    finally:
        for place in places:
            MEMORY.release(place)
        module.unload()


@pytest.mark.parametrize("seed", range(2))
def test_a_product_in_a_ring_of_boxes(factors: tuple[Any, Any], seed: int) -> None:
    x, y = (factor.astype(np.float32) for factor in factors)
    np.testing.assert_array_equal(multiply(product()[0], factors, seed), x @ y)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"address": 0x700_0000_0000_0008}, "not aligned to 16 bytes"),
        ({"strides": (136,)}, "strides of"),
        ({"box": (128, 8)}, "swizzled boxes with rows of 256 bytes"),
        ({"box": (4, 8)}, "boxes of"),
        ({"extents": (0, 4)}, "an array with the extents"),
        ({"kind": 77}, "not emulated"),
        ({"steps": (2, 1)}, "steps of"),
        ({"steps": (1, 9)}, "steps of"),
        ({}, "$"),
    ],
)
def test_maps_that_the_driver_does_not_take(changes: dict[str, Any], message: str) -> None:
    told = TensorMap(_BF16, 0x700_0000_0000_0000, (64, 4), (128,), (64, 8), 3, (1, 2))
    assert re.match(f".*{message}", dataclasses.replace(told, **changes).error())
    assert TensorMap.decoded(told.encoded()) == told


def _with_seeds(action: Callable[[int], Any]) -> None:
    """Do something in several orders, in one of which a fault shows at the latest."""
    for seed in range(4):
        action(seed)


_WAIT = re.compile(r"\{\s*\.reg \.pred\s+P1;.*?DONE:\s*\}", re.DOTALL)


def _without_wait(number: int) -> str:
    """The kernel without one of its waits: 0 for room in the ring, 1 for what has come."""
    text = product()[0]
    found = list(_WAIT.finditer(text))
    assert len(found) == 2
    return text[: found[number].start()] + text[found[number].end() :]


def _changed(pattern: str, replacement: str, count: int = 0) -> str:
    text, changes = re.subn(pattern, replacement, product()[0], count=count)
    assert changes
    return text


FAULTS: dict[str, tuple[Any, str]] = {
    "no wait for what has to come": (
        lambda: _without_wait(1),
        "wgmma.*(copy still writes|nobody wrote|not waited)",
    ),
    "no wait for room": (
        lambda: _without_wait(0),
        "cp.async.bulk.*race with a(n asynchronous copy| read)|1 threads more than 0 arrive",
    ),
    "the other phase": (
        lambda: _changed(r"(try_wait[^;]*\[%r\d+\], )(%r\d+), 10000000", r"\1 1, 10000000"),
        "race|copy still writes|nobody wrote|does not end",
    ),
    "too few bytes": (
        lambda: _changed("(mov.b32 \t%r\\d+), 16384", r"\1, 8192"),
        "copy still writes|not waited for|nobody wrote",
    ),
    "too many bytes": (lambda: _changed("(mov.b32 \t%r\\d+), 16384", r"\1, 16400"), "16 bytes"),
    "nobody says that there is room": (
        lambda: _changed(r"mbarrier\.arrive\.shared\.b64[^;]*;", ""),
        "a phase that does not end, for which there miss 1 threads",
    ),
    "too many say it": (
        lambda: _changed(r"(mbarrier\.arrive\.shared\.b64[^;]*;)", r"\1 \1"),
        "threads more than 0 arrive|race|does not end",
    ),
    "no wait for products": (
        lambda: _changed(r"wgmma\.wait_group[^;]*;", ""),
        "race with a read|ended before its products|no wgmma.fence|another product",
    ),
    "a wait for all products but one": (
        lambda: _changed(r"(wgmma\.wait_group\.sync\.aligned\s+)0", r"\g<1>1"),
        "race with a read|ended before its products",
    ),
    "no fence of registers": (lambda: _changed(r"wgmma\.fence\.sync\.aligned;", ""), "no wgmma.fence"),
    "no fence of mbarriers": (
        lambda: _changed(r"fence\.mbarrier_init[^;]*;", ""),
        "no fence lets it see what a thread wrote",
    ),
    "no barrier": (
        lambda: _changed(r"bar\.sync\s+0;", ""),
        "there is no mbarrier|not waited for|nobody wrote",
    ),
    "half a warpgroup": (
        lambda: _changed(
            r"wgmma\.fence\.sync\.aligned;",
            "{ .reg .pred q; .reg .b32 t; mov.u32 t, %tid.x; setp.lt.u32 q, t, 192; @q wgmma.fence.sync.aligned; }",
        ),
        "not all threads of a warpgroup are there",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_missing_is_found(name: str, factors: tuple[Any, Any]) -> None:
    text, message = FAULTS[name]
    with pytest.raises(Fault, match=message):
        _with_seeds(lambda seed: multiply(text(), factors, seed))


def test_a_map_that_is_none(factors: tuple[Any, Any]) -> None:
    text = _changed(r"cvta\.param\.u64\s+(%rd\d+), %rd\d+;", r"mov.b64 \1, 216172782113783808;", 1)
    with pytest.raises(Fault, match="is no tensor map"):
        multiply(text, factors)


# Two warps: each tells the other by an mbarrier that it has written, and reads what the other wrote.
_EXCHANGE = """
    mov.b32 %r1, full;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra $made;
    mbarrier.init.shared.b64 [full], 64;
$made:
    bar.sync 0;
    mov.b32 %r2, row;
    mad.lo.u32 %r3, %r0, 4, %r2;
    st.shared.b32 [%r3], %r0;
    mbarrier.arrive.shared.b64 %d10, [full];
$look:
    mbarrier.try_wait.shared.b64 %p2, [full], %d10;
    @!%p2 bra $look;
    mad.lo.s32 %r4, %r0, -4, %r2;
    ld.shared.b32 %r5, [%r4+252];
    mul.wide.u32 %d11, %r0, 4;
    add.s64 %d11, %d11, %d0;
    st.global.b32 [%d11], %r5;
"""
_MEMORY = ".shared .align 16 .b8 row[256];\n.shared .align 8 .b8 full[8];"


def _exchanged(body: str, seed: int = 0) -> Any:
    (result,) = run(kernel(body, 1, before=_MEMORY), [np.zeros(64, np.int32)], block=64, seed=seed)
    return result


def test_warps_wait_for_each_other() -> None:
    np.testing.assert_array_equal(_exchanged(_EXCHANGE), np.arange(64)[::-1])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@!%p2 bra $look;", "", "ld.shared.*race with a write that was not waited for"),
        ("    st.shared.b32 [%r3], %r0;\n    mbarrier.arrive.shared.b64 %d10, [full];\n",
         "    mbarrier.arrive.shared.b64 %d10, [full];\n    st.shared.b32 [%r3], %r0;\n",
         "ld.shared.*race with a write"),
        ("[full], 64", "[full], 65", "a phase that does not end"),
        ("[full], 64", "[full], 32", "ld.shared.*(race with a write|nobody wrote)|threads more than"),
        ("[full], 64", "[full], 0", "an mbarrier of 0 threads"),
        ("mbarrier.arrive", "st.shared.b32 [full], 7;\n    mbarrier.arrive", "race|overwritten"),
        ("mbarrier.init.shared.b64 [full], 64;", "mbarrier.init.shared.b64 [full], 64;" * 2, "an mbarrier already"),
        ("%d10, [full];", "%d10, [full+4];", "not aligned"),
    ],
)  # fmt: skip
def test_mbarriers_that_are_used_in_the_wrong_way(old: str, new: str, message: str) -> None:
    assert old in _EXCHANGE
    with pytest.raises(Fault, match=message):
        _with_seeds(lambda seed: _exchanged(_EXCHANGE.replace(old, new), seed))
