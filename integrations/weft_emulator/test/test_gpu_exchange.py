"""How the check on a GPU exchanges arrays with other libraries: with one that is made up."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest

from weft.backend.gpu.arrays.array import from_host
from weft_emulator.gpu_check import exchange
from weft_emulator.gpu_check.conformance import emulator


class Array:
    """An array of a library."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.__cuda_array_interface__ = memory.__cuda_array_interface__


class Sum:
    """A program that adds two arrays, which lie on the host or on a device."""

    def __call__(self, x: Any, y: Any) -> list[Any]:
        total = np.asarray(x) + np.asarray(y)
        return [total if isinstance(x, np.ndarray) else from_host(total, emulator())]


def made_up(copies: bool) -> exchange.Library:
    def take(array: Any) -> Any:
        return Array(array.copy() if copies else array)

    return exchange.Library(
        lambda array: Array(from_host(array, emulator())),
        take,
        lambda array: np.asarray(array.memory),
        lambda array: array.memory.address,
    )


@pytest.mark.parametrize("copies", [False, True])
def test_arrays_go_there_and_back(copies: bool) -> None:
    packed = {"specs": (((7,), "f4"), ((7,), "f4"))}
    with (
        mock.patch.object(exchange, "executable_of", return_value=Sum()),
        mock.patch.dict(exchange.LIBRARIES, {"made up": lambda: made_up(copies)}),
        mock.patch("weft.backend.gpu.arrays.foreign._device_of", return_value=emulator()),
    ):
        line = exchange.exchange("made up", packed, emulator())
    assert line["ok"] is not copies
    assert line.get("error") == ("results are copied" if copies else None)
