"""Arrays of a device as those of other libraries and of the host, and theirs as ours."""

from __future__ import annotations

import gc
import io
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.gpu.arrays import exchange
from weft.backend.gpu.devices.open_devices import open_device
from weft.backend.gpu.driver.streams import Stream

X = np.arange(24.0).reshape(2, 3, 4)


def test_asarray_and_from_dlpack_leave_arrays_where_they_are() -> None:
    there = weft.device_put(X)
    assert weft.asarray(there) is there
    for foreign in (there, ByInterface(there), ByDlpack(there)):
        assert weft.asarray(foreign).address == weft.from_dlpack(foreign).address == there.address
    for copied in (weft.asarray(there, copy=True), weft.from_dlpack(there, copy=True)):
        assert copied.address != there.address
        np.testing.assert_array_equal(copied, X)
    assert (weft.asarray(there, "f4").dtype, weft.asarray(there, "f4").device) == (np.float32, "cuda:0")
    assert type(weft.asarray(there, device="cpu")) is np.ndarray
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        weft.asarray(there, "f4", copy=False)


class Foreign:
    """An array of another library: what it exchanges is that of an array of ours."""

    def __init__(self, array: Any) -> None:
        self.array = array


class ByInterface(Foreign):
    @property
    def __cuda_array_interface__(self) -> Any:
        return self.array.__cuda_array_interface__


class ByDlpack(Foreign):
    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.array.__dlpack__(**keywords)


def test_what_an_interface_does_not_name_is_taken_by_dlpack() -> None:
    there = weft.device_put(np.arange(4).astype(weft.bfloat16))

    class Tensor(ByDlpack):  # as PyTorch has it
        @property
        def __cuda_array_interface__(self) -> Any:
            return {**self.array.__cuda_array_interface__, "typestr": "<V2"}

    tensor = Tensor(there)
    taken = weft.device_put(tensor)
    assert (taken.dtype, taken.address) == (weft.bfloat16, there.address)
    np.testing.assert_array_equal(weft.function(lambda x: x + x)(tensor), np.arange(0, 8, 2))


@pytest.mark.parametrize("kind", [ByInterface, ByDlpack])
def test_memory_is_exchanged_without_copies(kind: type[Foreign]) -> None:
    for device in ("cuda:0", "cuda:1"):
        there = weft.device_put(X, device)
        for array, expected in [
            (there, X),
            (there.T[1], X.T[1]),
            (weft.device_put(np.zeros((0, 2)), device), np.zeros((0, 2))),
        ]:
            taken = weft.device_put(kind(array), device)
            assert taken.size == 0 or taken.address == array.address
            assert taken.strides == array.strides or not taken.size
            np.testing.assert_array_equal(taken, expected)
    there = weft.device_put(X)

    @weft.function
    def increase(x: Any) -> None:
        x += 1

    increase(kind(there))
    np.testing.assert_array_equal(there, X + 1)
    del taken, array
    gc.collect()
    assert not exchange._lent


def test_functions_that_write_files_or_text_take_copies() -> None:
    there, file = weft.device_put(X), io.BytesIO()
    np.save(file, there)
    np.testing.assert_array_equal(np.load(io.BytesIO(file.getvalue())), X)
    assert np.array_str(there) == str(X)
    assert np.shares_memory(there, there[1:])
    assert not np.shares_memory(there, there.copy())
    with pytest.raises(NotImplementedError, match=r"np\.asarray\(x\)"):
        np.min_scalar_type(there)


def test_the_host_takes_copies() -> None:
    there = weft.device_put(X)
    for taken in (np.from_dlpack(there[1], device="cpu"), weft.from_dlpack(there[1], device="cpu")):
        assert type(taken) is np.ndarray
        np.testing.assert_array_equal(taken, X[1])


def test_capsules_that_nobody_takes_are_given_up() -> None:
    there = weft.device_put(X)
    with pytest.raises((RuntimeError, BufferError), match=r"[Dd]evice"):
        np.from_dlpack(there)
    kept = there.__dlpack__()
    assert there.__dlpack__() is not None
    there.__dlpack__()
    assert len(exchange._lent) == 2  # that which is kept, and the last
    del kept
    there.__dlpack__()
    assert len(exchange._lent) == 1


def test_what_cannot_be_exchanged_is_refused() -> None:
    there = weft.device_put(X)
    with pytest.raises(BufferError, match="the array lies on cuda:0"):
        there.__dlpack__(dl_device=(2, 1))
    with pytest.raises(ValueError, match="cannot be read on the host without a copy"):
        there.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(ValueError, match="DLPack knows no stream 0"):
        there.__dlpack__(stream=0)
    capsule = there.__dlpack__()

    class Twice(ByDlpack):
        def __dlpack__(self, **keywords: Any) -> Any:
            return capsule

    weft.device_put(Twice(there))
    with pytest.raises(TypeError, match="was taken before"):
        weft.device_put(Twice(there))

    class Changed(ByInterface):
        def __init__(self, changes: Any) -> None:
            super().__init__(there)
            self.changes = changes

        @property
        def __cuda_array_interface__(self) -> Any:
            return {**self.array.__cuda_array_interface__, **self.changes}

    for changes, text in [
        ({"mask": there}, "weft knows no masks"),
        ({"typestr": ">f8"}, "in the other byte order"),
        ({"data": (there.address, True)}, "read-only"),
        ({"typestr": "|V8"}, "dtype"),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            weft.function(lambda x: x + 1)(Changed(changes))


def test_streams_wait_for_each_other() -> None:
    device = open_device("cuda:0")
    streams = [Stream.create(device.device) for _ in range(3)]

    class Torch:
        cuda_stream = streams[2].handle

    double = weft.function(lambda x: x * 2)
    value = weft.device_put(np.ones(4))
    for _ in range(4):
        for stream in (streams[0], streams[1].handle, Torch(), None):
            with weft.stream(stream):
                value = double(value)
    np.testing.assert_array_equal(value, np.full(4, 2.0**16))
    with pytest.raises(TypeError, match="str is no stream"):
        weft.stream("fast")
