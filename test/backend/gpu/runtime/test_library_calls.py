"""Transforms and factorisations by libraries of a device, in the emulator, and on the host where it has none."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from weft.backend.gpu.devices import libraries
from weft.backend.gpu.driver import math_libraries
from weft.backend.gpu.driver.math_libraries import library_files, load_math_library
from weft.backend.gpu.runtime import library_calls


@pytest.fixture(autouse=True)
def _emulator() -> Iterator[None]:
    with weft.settings.scope(cuda="emulator"), warnings.catch_warnings():
        warnings.simplefilter("error", weft.TransferWarning)
        yield


def eigh(x: Any) -> Any:
    values, vectors = np.linalg.eigh(x @ x.conj().T)
    return values, (vectors * values) @ vectors.conj().T


def svd(x: Any) -> Any:
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return s, (u * s) @ vh


def full_svd(x: Any) -> Any:
    u, s, vh = np.linalg.svd(x)
    return s, u @ u.conj().T, vh @ vh.conj().T


def qr(x: Any) -> Any:
    return tuple(np.linalg.qr(x))


def cholesky(x: Any) -> Any:
    positive = x @ x.conj().T
    return np.linalg.cholesky(positive), np.linalg.cholesky(positive, upper=True)


def steps(x: Any) -> Any:
    y = x[:, 0]
    for _ in range(20):
        y = np.linalg.solve(x, y)
        y = y / np.abs(y).max()
    return y


def parts(x: Any) -> Any:
    whole = np.zeros((7, 7), x.dtype)
    whole[1:4, 2:5] = np.linalg.inv(x[1:4, :3])
    whole[0, :5] = np.linalg.solve(x, np.ones(5))
    x = x.copy()
    x[:] = np.linalg.inv(x)
    return whole, np.linalg.inv(x)


def determinants(x: Any) -> Any:
    return np.linalg.det(x), *np.linalg.slogdet(x), np.linalg.det(x * 1e50), np.linalg.slogdet(x[::-1])[0]


SQUARE = (
    cholesky,
    eigh,
    steps,
    parts,
    determinants,
    np.linalg.inv,
    lambda x: np.linalg.eigvalsh(x + x.conj().T),
)
ANY = (
    svd,
    full_svd,
    qr,
    np.linalg.svdvals,
    np.fft.fft,
    np.fft.ifft,
    np.fft.fft2,
    lambda x: np.fft.fft(x, axis=0),
)


def compare(function: Callable[[Any], Any], x: Any) -> None:
    """The same as NumPy's, with nothing on the host, and the argument as it was."""
    compiled, there = weft.function(function), weft.device_put(x)
    wanted = function(x)
    for _ in range(3):  # from the third call on, by native code
        found = compiled(there)
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for one, other in pairs:
        unit = 1e-5 if x.dtype.name in ("float32", "complex64") else 1e-10
        np.testing.assert_allclose(np.asarray(one), other, rtol=unit, atol=unit)
        assert one.dtype == other.dtype
    np.testing.assert_array_equal(np.asarray(there), x)
    cost = compiled.get_concrete_function(there).cost_analysis()
    assert cost.device is not None
    assert cost.device.host_kernels == ()


def numbers(*shape: int, dtype: str = "float64") -> Any:
    rng = np.random.default_rng(len(shape) * shape[0])
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape) if dtype[0] == "c" else real).astype(dtype)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("function", [*SQUARE, *ANY])
def test_squares(function: Callable[[Any], Any], dtype: str) -> None:
    compare(function, numbers(5, 5, dtype=dtype))


@pytest.mark.sampled
@pytest.mark.parametrize("shape", [(3, 6), (6, 3)])
@pytest.mark.parametrize("function", ANY)
def test_rectangles(function: Callable[[Any], Any], shape: tuple[int, int]) -> None:
    if function in (full_svd, qr) and shape == (6, 3):
        shape = (6, 6) if function is full_svd else shape
    compare(function, numbers(*shape))


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [6, 7])
def test_transforms_of_real_numbers(dtype: str, length: int) -> None:
    x = numbers(4, length, dtype=dtype)
    compare(np.fft.rfft, x)
    compare(
        lambda x: np.fft.irfft(x, length), np.fft.rfft(x) + x.dtype.type(1) * 1j
    )  # as real as it has to be
    compare(lambda x: np.fft.rfft(x, norm="ortho"), x)


def test_gradients_and_what_is_not_known_when_compiled() -> None:
    @weft.function(
        input_signature=[weft.TensorSpec((None, None), "float64"), weft.TensorSpec((None,), "float64")]
    )
    def loss(a: Any, b: Any) -> Any:
        return np.sum(np.linalg.solve(a, b) ** 2)

    a, b = numbers(4, 4), numbers(4)
    found = weft.grad(loss)(weft.device_put(a), weft.device_put(b))
    np.testing.assert_allclose(np.asarray(found), weft.grad(loss)(a, b))


def test_failures_are_those_of_numpy_at_the_same_line() -> None:
    for function, x in (
        (np.linalg.inv, np.ones((3, 3))),
        (np.linalg.cholesky, -np.eye(3)),
        (lambda x: np.linalg.solve(x, x), np.zeros((2, 2))),
    ):
        with pytest.raises(np.linalg.LinAlgError) as eager:
            function(x)
        with pytest.raises(np.linalg.LinAlgError, match=str(eager.value)):
            weft.function(function)(weft.device_put(x))


def test_what_is_not_a_number() -> None:
    """Libraries need not say anything; NumPy fails where it does not converge, and ignores what it does not read."""
    x = np.array([[1.0, np.nan], [0.5, 2.0]])
    for function in (np.linalg.svdvals, svd, eigh, np.linalg.eigvalsh):
        with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
            weft.function(function)(weft.device_put(x.T.copy()))
    compare(np.linalg.eigvalsh, x)  # of which the lower triangle is read
    compare(np.linalg.inv, x)


@pytest.mark.parametrize("dtype", [pytest.param("float64", marks=pytest.mark.soak), "complex128"])
def test_determinants_of_what_has_no_inverse(dtype: str) -> None:
    for x in (np.ones((3, 3), dtype), np.zeros((2, 2), dtype), np.full((2, 2), -4, dtype)):
        compare(np.linalg.det, x)
        compare(lambda x: tuple(np.linalg.slogdet(x)), x)
    compare(np.linalg.det, np.diag([1e200, -1e200, 1e-300]).astype(dtype))
    with np.errstate(invalid="ignore"):
        compare(np.linalg.det, np.full((2, 2), np.nan, dtype))


def test_nothing_is_seen_behind_a_check_that_has_failed() -> None:
    def inverted(x: Any, out: Any) -> None:
        if x.sum() > 10:
            raise ValueError("too much")
        out[:] = np.linalg.inv(x)

    compiled, out = weft.function(inverted), weft.device_put(np.zeros((3, 3)))
    compiled(weft.device_put(2 * np.eye(3)), out)
    with pytest.raises(ValueError, match="too much"):
        compiled(weft.device_put(20 * np.eye(3)), out)
    np.testing.assert_allclose(np.asarray(out), np.eye(3) / 2)


def test_stacks_and_what_no_library_has_is_the_hosts() -> None:
    x = numbers(3, 4, 4)
    compiled = weft.function(lambda x: np.linalg.inv(x) + np.linalg.det(x).sum())
    np.testing.assert_allclose(np.asarray(compiled(weft.device_put(x))), compiled.python_function(x))
    cost = compiled.get_concrete_function(weft.device_put(x)).cost_analysis()
    assert cost.device is not None
    assert {reason for _, reason in cost.device.host_kernels} == {"it calls a library of the host"}


def test_where_there_is_no_library_the_host_does_it_and_that_is_told_once() -> None:
    def spectra(x: Any) -> Any:
        for _ in range(60):
            x = np.fft.fft(x)
        return x

    x = numbers(8, dtype="complex128")
    with mock.patch.object(libraries, "math_libraries", list):
        compiled = weft.function(spectra)
        with pytest.warns(
            weft.TransferWarning, match="cufft is not there: pip install nvidia-cufft-cu12"
        ) as told:
            found = [compiled(weft.device_put(x)) for _ in range(2)]
    assert [warning.lineno for warning in told] == [spectra.__code__.co_firstlineno + 2]
    np.testing.assert_allclose(np.asarray(found[1]), spectra(x))


def test_what_a_library_refuses() -> None:
    x = weft.device_put(numbers(4, 4))
    compiled = weft.function(lambda x: np.linalg.eigvalsh(x) * 2)
    compiled(x)
    functions = libraries.chosen_math_library("cusolver")._functions
    for code, text in ((6, "EXECUTION_FAILED"), (77, "code 77")):
        refuses = mock.patch.dict(functions, {"cusolverDnDsyevd": mock.Mock(return_value=code)})
        with refuses, pytest.raises(weft.DeviceError, match=f"cusolverDnDsyevd failed: {text}"):
            compiled(x)
    np.testing.assert_allclose(np.asarray(compiled(x)), np.linalg.eigvalsh(np.asarray(x)) * 2)


def test_plans_that_were_not_used_for_long_go() -> None:
    with mock.patch.object(library_calls, "MOST_PLANS", 2):
        for length in (4, 5, 6, 4):
            compare(np.fft.fft, numbers(2, length, dtype="complex128"))


def test_streams_of_other_libraries() -> None:
    from weft.backend.gpu.devices.open_devices import open_device
    from weft.backend.gpu.driver.streams import Stream

    x, compiled = numbers(4, 4), weft.function(lambda x: np.linalg.inv(x + 1) @ np.fft.fft(x).real)
    with weft.stream(Stream.create(open_device("cuda").device)):
        found = [compiled(weft.device_put(x)) for _ in range(4)]
        weft.synchronize()
    for each in found:
        np.testing.assert_allclose(np.asarray(each), compiled.python_function(x), atol=1e-12)


def test_libraries_are_looked_for_in_packages_and_toolkits(tmp_path: Path) -> None:
    for place in (
        "nvidia/cufft/lib/libcufft.so.11",
        "cuda/lib64/libcufft.so.12",
        "cuda/lib64/libcufftw.so.12",
    ):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("nothing")
    library_files.cache_clear()
    with (
        mock.patch.object(sys, "path", [str(tmp_path)]),
        mock.patch.dict("os.environ", {"CUDA_HOME": str(tmp_path / "cuda")}),
        mock.patch.dict(sys.modules),
    ):
        sys.modules.pop("nvidia", None)
        assert [Path(name).name for name in library_files("cufft")] == ["libcufft.so.11", "libcufft.so.12"]
        with pytest.raises(weft.DeviceError, match=r"cufft is not there: .*(file too short|invalid ELF)"):
            load_math_library("cufft")
    library_files.cache_clear()


def test_a_library_that_is_not_there() -> None:
    nowhere = mock.patch.object(math_libraries, "library_files", return_value=())
    with (
        nowhere,
        pytest.raises(weft.DeviceError, match="cusolver is not there: pip install nvidia-cusolver-cu12"),
    ):
        load_math_library("cusolver")
