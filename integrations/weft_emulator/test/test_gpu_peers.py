"""How programs are measured in other libraries: with libraries that are made up, and do nothing but tell a time."""

from __future__ import annotations

import itertools
import sys
from typing import Any
from unittest import mock

import numpy as np
import pytest

from weft_emulator.gpu_check import peers, torch_programs
from weft_emulator.gpu_check.speed import LONGEST, RUNS, is_enough


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A library whose calls take two milliseconds, or whatever `times` says next."""
    made = mock.MagicMock(name="torch")
    made.times = itertools.repeat(2.0)
    made.cuda.Event.side_effect = lambda **_: mock.MagicMock(
        elapsed_time=mock.Mock(side_effect=lambda _: next(made.times))
    )
    made.backends.cuda.preferred_blas_library.return_value = "_BlasBackend.Cublaslt"
    made.backends.cudnn.version.return_value = 91002
    made.from_numpy.return_value.cuda.return_value.__gt__.return_value = True
    made.compile.side_effect = lambda function, **_: function
    made.nn.attention.SDPBackend = mock.MagicMock()
    for name in ("torch", "torch.nn", "torch.nn.attention"):
        monkeypatch.setitem(sys.modules, name, made if name == "torch" else made.nn)
    monkeypatch.setitem(sys.modules, "torch.nn.attention", made.nn.attention)
    return made


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", torch_programs.NAMES)
def test_each_program_is_written_in_torch(torch: Any, name: str) -> None:
    found = torch_programs.measure(name, [np.zeros((2, 2), np.float32)] * 3)
    assert found.seconds == {"torch": pytest.approx(2e-3)}
    assert found.backends["torch"]


def test_the_fastest_attention_counts_and_others_are_named(torch: Any) -> None:
    def kernel(backend: object) -> Any:
        if backend is torch.nn.attention.SDPBackend.FLASH_ATTENTION:
            raise RuntimeError("No available kernel. Aborting.\nmore")
        torch.times = itertools.repeat(
            1.0 if backend is torch.nn.attention.SDPBackend.CUDNN_ATTENTION else 4.0
        )
        return mock.MagicMock()

    torch.nn.attention.sdpa_kernel.side_effect = kernel
    with mock.patch.object(peers, "make_arguments", return_value=[np.zeros((2, 2), np.float16)] * 3):
        line = peers.measure("torch", {"name": "attention_f16", "specs": ()})
    assert line["microseconds_of"] == {"torch": pytest.approx(1000)}
    assert line["backend_of"] == {"torch": "cuDNN"}
    assert line["others"]["flash attention"] == "RuntimeError: No available kernel. Aborting."
    assert line["others"]["memory-efficient attention"] == pytest.approx(4000)


def test_attention_that_no_back_end_takes_is_an_error(torch: Any) -> None:
    torch.nn.attention.sdpa_kernel.side_effect = RuntimeError("no memory")
    with pytest.raises(RuntimeError, match="no back end takes it"):
        torch_programs.measure("attention_f32", [np.zeros((2, 2), np.float32)] * 3)


def test_products_name_the_library_that_multiplies(torch: Any) -> None:
    arrays = [np.zeros((2, 2), np.float16)] * 2
    assert torch_programs.measure("product_f16", arrays).backends == {"torch": "cuBLASLt"}
    torch.backends.cuda.preferred_blas_library.side_effect = AttributeError
    assert torch_programs.measure("product_f16", arrays).backends == {"torch": "cuBLAS"}
    assert torch_programs.measure("convolution", arrays).backends == {"torch": "cuDNN 91002"}


def test_only_products_of_tf32_give_up_digits(torch: Any) -> None:
    for name in ("product_tf32", "product_f32"):
        torch_programs.measure(name, [np.zeros((2, 2), np.float32)] * 2)
        assert torch.backends.cuda.matmul.allow_tf32 == (name == "product_tf32")


def test_bfloat16_goes_to_torch_by_its_bits(torch: Any) -> None:
    import ml_dtypes

    torch_programs.measure("product_bf16", [np.zeros((2, 2), ml_dtypes.bfloat16)] * 2)
    assert {call.args[0].dtype for call in torch.from_numpy.call_args_list} == {np.dtype(np.int16)}
    torch.from_numpy.return_value.cuda.return_value.view.assert_called_with(torch.bfloat16)


@pytest.mark.parametrize("name", torch_programs.COMPILED)
def test_programs_are_compiled_by_torch(torch: Any, name: str) -> None:
    found = torch_programs.measure_compiled(name, [np.zeros((2, 2), np.float32)] * 3)
    assert found.seconds == {"torch.compile": pytest.approx(2e-3)}
    assert torch.compile.called


def test_other_libraries_tell_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("jax", "jax.numpy", "cupy", "numba", "numba.cuda"):
        made = mock.MagicMock(name=name)
        made.cuda.get_elapsed_time.return_value = 3.0
        made.device_put.return_value.__gt__.return_value = True
        made.event.side_effect = lambda: mock.MagicMock(elapsed_time=mock.Mock(return_value=3.0))
        monkeypatch.setitem(sys.modules, name, made)
    sys.modules["jax"].jit = lambda function: function  # type: ignore[attr-defined]
    arrays = [np.zeros((4, 4), np.float32)] * 3
    for peer in ("cupy", "numba", "jax"):
        for program in peers.programs_of(peer):
            found = peers.PEERS[peer].run(program, arrays)
            assert found.seconds.keys() == found.backends.keys() != set()
            assert peer == "jax" or list(found.seconds.values()) == [pytest.approx(3e-3)]


def test_runs_that_take_long_are_few(torch: Any) -> None:
    torch.times = itertools.chain([0.0] * 5, itertools.repeat(1e3 * LONGEST))
    torch_programs.measure("sum", [np.zeros(2, np.float32)])
    assert torch.cuda.Event.call_count < 2 * RUNS
    assert is_enough([LONGEST] * 10)
