"""Products of bytes by tensor cores, in the emulator: they wrap as NumPy's, or not, as wide as sums are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import device_code
from support.ptx import run
from weft.backend.gpu.machine.assembler import find_assembler
from weft_emulator.faults import Fault

Array = np.ndarray[Any, Any]
_S8, _U8 = np.int8, np.uint8


def _bytes(dtype: Any, *shape: int) -> Array:
    """All of them, the extreme ones often."""
    bounds = np.iinfo(dtype)
    random = np.random.default_rng(sum(shape))
    found = random.integers(bounds.min, bounds.max + 1, shape)
    return np.where(random.integers(0, 4, shape) == 0, bounds.min or bounds.max, found).astype(dtype)


def _summed_in(dtype: Any) -> Callable[[Any, Any], Any]:
    return lambda a, b: np.matmul(a, b, dtype=dtype)


def _requantised(a: Any, b: Any) -> Any:
    return np.clip(np.matmul(a, b, dtype=np.int32) >> 7, -128, 127).astype(np.int8)


CASES: dict[str, tuple[Callable[..., Any], Array, Array]] = {
    "sums that wrap": (lambda a, b: a @ b, _bytes(_S8, 96, 144), _bytes(_S8, 144, 80)),
    "without signs": (lambda a, b: a @ b, _bytes(_U8, 96, 144), _bytes(_U8, 144, 80)),
    "of 16 bits": (_summed_in(np.int16), _bytes(_S8, 80, 128), _bytes(_S8, 128, 64)),
    "of 32 bits": (_summed_in(np.int32), _bytes(_S8, 80, 1040), _bytes(_S8, 1040, 64)),
    "of 32 bits, without signs": (_summed_in(np.int32), _bytes(_U8, 80, 1040), _bytes(_U8, 1040, 64)),
    "of 64 bits": (_summed_in(np.int64), _bytes(_U8, 80, 128), _bytes(_U8, 128, 64)),
    "with and without signs": (
        lambda a, b: np.einsum("ij,kj->ik", a, b, dtype=np.int32),
        _bytes(_S8, 70, 160),
        _bytes(_U8, 66, 160),
    ),
    "without and with signs": (_summed_in(np.int32), _bytes(_U8, 70, 160), _bytes(_S8, 160, 80)),
    "odd extents": (_summed_in(np.int32), _bytes(_S8, 67, 131), _bytes(_S8, 131, 71)),
    "batches": (_summed_in(np.int32), _bytes(_S8, 2, 67, 80), _bytes(_S8, 2, 80, 71)),
    "columns and rows": (
        lambda a, b: np.matmul(a.T, b.T, dtype=np.int32),
        _bytes(_S8, 80, 96),
        _bytes(_S8, 64, 80),
    ),
    "what follows": (_requantised, _bytes(_S8, 80, 128), _bytes(_S8, 128, 64)),
    "parts of arrays": (
        lambda a, b: np.matmul(a[1:, 3:131], b[:, 5:], dtype=np.int32),
        _bytes(_S8, 81, 131),
        _bytes(_S8, 128, 70),
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_sums_are_those_of_numpy(name: str) -> None:
    function, a, b = CASES[name]
    with weft.settings.scope(cuda="emulator"):
        compiled = weft.function(function, device="cuda")
        found = compiled(a, b)
        text = compiled.get_concrete_function(a, b).as_text("gpu")
    np.testing.assert_array_equal(found, function(a, b))
    assert found.dtype == function(a, b).dtype
    assert "bytes: bytes are added up in s32" in text


@pytest.mark.parametrize("extent", [64, 65])
def test_unknown_extents(extent: int) -> None:
    a, b = _bytes(_S8, 80, 64 + extent), _bytes(_S8, 64 + extent, extent)
    spec = weft.TensorSpec([None, None], np.int8)
    with weft.settings.scope(cuda="emulator"):
        found = weft.function(_summed_in(np.int32), input_signature=[spec, spec], device="cuda")(a, b)
    np.testing.assert_array_equal(found, _summed_in(np.int32)(a, b))


def _kernel(a: Array, b: Array, target: str) -> Any:
    """The kernel of a product of lines along what is summed."""
    return device_code(
        lambda a, b: np.einsum("ij,kj->ik", a, b, dtype=np.int32), a, b, target=target
    ).kernels[0]


@pytest.mark.parametrize("kinds", [(_S8, _S8), (_U8, _S8)])
@pytest.mark.parametrize("depth", [80, 160])
def test_tiles_are_copied_ahead(kinds: tuple[Any, Any], depth: int) -> None:
    a, b = _bytes(kinds[0], 64, depth), _bytes(kinds[1], 40, depth)
    kernel = _kernel(a, b, "sm_80")
    assert "cp.async.cg" in kernel.ptx
    assert "ldmatrix" in kernel.ptx
    result = np.zeros((64, 40), np.int32)

    def multiplied(ptx: str) -> Any:
        return run(ptx, [a, b, result], grid=4, block=256, shared=kernel.shared_bytes)[2]

    np.testing.assert_array_equal(multiplied(kernel.ptx), a.astype(np.int32) @ b.T.astype(np.int32))
    with pytest.raises(Fault, match=r"race with a (read|write) of another warp"):
        multiplied("\n".join(line for line in kernel.ptx.splitlines() if "bar.sync" not in line))


def test_sums_that_do_not_fit_are_not_made_of_bytes() -> None:
    """Sums of 64 bits need all of them where more is summed than 32 bits hold."""

    def instructions(depth: int) -> bool:
        a, b = (weft.TensorSpec(shape, np.uint8) for shape in ((64, depth), (depth, 64)))
        return any(
            "mma" in kernel.ptx for kernel in device_code(_summed_in(np.int64), a, b, target="sm_80").kernels
        )

    assert instructions(1 << 15)
    assert instructions(1 << 17)  # in parts
    assert not instructions((1 << 15) + 1)


def test_older_cards_multiply_as_ever() -> None:
    a, b = _bytes(_S8, 64, 64), _bytes(_S8, 64, 64)
    schedules = device_code(lambda a, b: a @ b, a, b, target="sm_75").schedules.values()
    assert [text.partition(":")[0] for text in schedules] == ["products"]


@pytest.mark.skipif(find_assembler() is None, reason="ptxas is not here")
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_the_assembler_takes_them(target: str) -> None:
    spec = weft.TensorSpec((2048, 2048), np.int8)
    code = device_code(_summed_in(np.int32), spec, spec, target=target)
    for resources in code.assembled().values():
        assert resources.spilled == 0
        assert resources.registers <= 168
