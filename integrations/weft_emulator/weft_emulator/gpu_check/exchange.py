"""Arrays of other libraries as arguments, results as their arrays, and their streams."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .packed import executable_of, make_arguments


class Library(NamedTuple):
    """How a library makes an array of NumPy's, takes one of weft's, shows its address, and makes streams."""

    put: Callable[[Any], Any]
    take: Callable[[Any], Any]
    host: Callable[[Any], Any]
    address: Callable[[Any], int]
    stream: Callable[[], tuple[Any, Any]] | None = None
    """A stream for weft, and what makes it the library's own for a while."""


def _torch() -> Library:
    torch = importlib.import_module("torch")

    def stream() -> tuple[Any, Any]:
        made = torch.cuda.Stream()
        return made, torch.cuda.stream(made)

    return Library(
        lambda array: torch.from_numpy(array).cuda(),
        torch.from_dlpack,
        lambda tensor: tensor.cpu().numpy(),
        lambda tensor: int(tensor.data_ptr()),
        stream,
    )


def _cupy() -> Library:
    cupy = importlib.import_module("cupy")

    def stream() -> tuple[Any, Any]:
        made = cupy.cuda.Stream(non_blocking=True)
        return made, made

    return Library(cupy.asarray, cupy.asarray, cupy.asnumpy, lambda array: int(array.data.ptr), stream)


def _numba() -> Library:
    cuda = importlib.import_module("numba.cuda")

    def address(array: Any) -> int:
        return int(array.__cuda_array_interface__["data"][0])

    return Library(cuda.to_device, cuda.as_cuda_array, lambda array: array.copy_to_host(), address)


def _jax() -> Library:
    jax = importlib.import_module("jax")
    dlpack = importlib.import_module("jax.dlpack")
    return Library(
        jax.device_put, dlpack.from_dlpack, np.asarray, lambda array: int(array.unsafe_buffer_pointer())
    )


LIBRARIES: Mapping[str, Callable[[], Library]] = {
    "torch": _torch,
    "cupy": _cupy,
    "numba": _numba,
    "jax": _jax,
}


def exchange(name: str, packed: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """Whether a program of two arrays gives the same from arrays of a library as from NumPy's, without a copy."""
    from weft.backend.gpu.arrays.foreign import foreign_array
    from weft.backend.gpu.devices.open_devices import using_stream

    library, executable = LIBRARIES[name](), executable_of(packed, device)
    arrays = make_arguments(packed["specs"])
    expected = executable(*arrays)[0]
    wrong: list[str] = []

    def check(what: str, holds: bool) -> None:
        if not holds:
            wrong.append(what)

    theirs = [library.put(array) for array in arrays]
    ours: list[Any] = [foreign_array(array) for array in theirs]
    same = all(one.address == library.address(other) for one, other in zip(ours, theirs, strict=True))
    check("arguments are copied", same)
    (result,) = executable(*ours)
    back = library.take(result)
    check("results are copied", library.address(back) == result.address)
    check("a result is wrong", np.array_equal(library.host(back), expected))
    streams = 0
    if library.stream is not None:
        for _ in range(20):
            stream, theirs_for_a_while = library.stream()
            with theirs_for_a_while, using_stream(stream):
                doubled = [array + array for array in theirs]
                (result,) = executable(*map(foreign_array, doubled))
                back = library.take(result) + 0
                right = np.array_equal(library.host(back), expected + expected)
            check("a result on a stream is wrong", right)
            streams += 1
    with contextlib.suppress(AttributeError):
        result.delete()
    line: dict[str, Any] = {"ok": not wrong, "streams": streams}
    return line | ({"error": "; ".join(dict.fromkeys(wrong))} if wrong else {})


__all__ = ["LIBRARIES", "exchange"]
