"""The programs of the benches, on small arrays: what the emulator gives is what NumPy and the processor give."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft_emulator.gpu_check.packed import make_arguments

BENCH = Path(__file__).parents[3] / "bench"


def _module(path: Path) -> Any:
    """A file of the bench, whose name may be that of a package of the tests."""
    spec = importlib.util.spec_from_file_location(f"bench_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FUNCTIONS: dict[str, Callable[..., Any]] = _module(BENCH / "peers" / "numpy_programs.py").FUNCTIONS
FOR_DEVICES = {program.name: program for program in _module(BENCH / "gpu" / "programs.py").PROGRAMS}


def _normal(*shapes: tuple[int, ...], scale: float = 1.0) -> list[Any]:
    random = np.random.default_rng(0)
    return [random.standard_normal(shape, np.float32) * np.float32(scale) for shape in shapes]


def _deep() -> tuple[Any, ...]:
    x, first, *others = _normal((5, 40), (40, 16), (16, 16), (16,), (16,), (16, 10), (10,), scale=0.3)
    second, bias, other, last, last_bias = others
    return x, [first, second], [bias, other], last, last_bias


def _training() -> tuple[Any, ...]:
    parameters = _normal((40, 12), (12,), (12, 12), (12,), (12, 10), (10,), scale=0.3)
    zeros = [np.zeros_like(p) for p in parameters]
    (x,) = _normal((9, 40))
    return parameters, zeros, [z.copy() for z in zeros], x, np.eye(10, dtype=np.float32)[:9], np.float32(3)


_LSTM = ((10, 10), (10, 10), (10, 10), (10, 40), (10, 40), (40,))
_IMAGE = (1, 12, 14, 8), (3, 3, 8, 20)

PROGRAMS: dict[str, Callable[[], Any]] = {
    "matmuls_loop": lambda: (*(make_arguments((((10, 10), "i4"),) * 2)), np.int64(5)),
    "deep_mlp": _deep,
    "small_mlp": lambda: _normal((6, 40), (40, 16), (16,), (16, 10), (10,), scale=0.3),
    "mse_1e3": lambda: _normal((1000,), (1000,)),
    "lstm_step": lambda: _normal(*_LSTM, scale=0.3),
    "lstm_loop": lambda: (*_normal(*_LSTM, scale=0.3), np.int64(4)),
    "conv": lambda: _normal(*_IMAGE, scale=0.1),
    "shifted_conv": lambda: _normal(*_IMAGE, scale=0.1),
    "chain": lambda: (*_normal((1003,)), np.float32(0.7), np.float32(0.2)),
    "softmax": lambda: _normal((20, 260)),
    "layernorm": lambda: _normal((20, 260), (260,), (260,)),
    "column_sum": lambda: _normal((130, 40)),
    "row_max": lambda: _normal((40, 130)),
    "matmul_64": lambda: _normal((64, 64), (64, 64)),
    "matmul_bias_relu": lambda: _normal((33, 40), (40, 50), (50,)),
    "few_rows": lambda: _normal((3, 100), (100, 70)),
    "symmetric": lambda: _normal((50, 40)),
    "scaled": lambda: (*_normal((40, 50), (40, 50), (50,)), np.float32(1.5), np.float32(1.2)),
    "paired": lambda: _normal((40, 50), (50,), (40,)),
    "collatz": lambda: (np.int64(30),),
    "mandelbrot": lambda: (np.int64(12), np.int64(20)),
    "training_step": _training,
}
"""The programs of the bench of processors, and small arguments of theirs."""


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [array for part in value for array in _flat(part)]
    return [np.asarray(value)]


def _check(found: Any, expected: Any, tolerance: float) -> None:
    """That results are those expected, to a part of the largest; to the bit, without a tolerance."""
    for one, other in zip(_flat(found), _flat(expected), strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        if tolerance:
            bound = tolerance * float(np.max(np.abs(other), initial=1e-30))
            np.testing.assert_allclose(
                one.astype(other.dtype.kind + "8" if other.dtype.kind == "f" else other.dtype),
                other,
                rtol=0,
                atol=bound,
            )
        else:
            np.testing.assert_array_equal(one, other)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_the_bench(name: str) -> None:
    arguments = PROGRAMS[name]()
    found = weft.function(FUNCTIONS[name], device="cuda")(*arguments)
    _check(found, FUNCTIONS[name](*PROGRAMS[name]()), 1e-5)


@pytest.mark.parametrize("name", FOR_DEVICES)
@pytest.mark.sampled(4)
def test_programs_for_devices(name: str) -> None:
    """Those without a tolerance give the bits of the processor; so does what they write in place."""
    program = FOR_DEVICES[name]
    here, there = make_arguments(program.small), make_arguments(program.small)
    found = weft.function(program.function, device="cuda")(*there)
    expected = (program.function if program.tolerance else weft.function(program.function, device="cpu"))(
        *here
    )
    _check([found, there], [expected, here], program.tolerance)
