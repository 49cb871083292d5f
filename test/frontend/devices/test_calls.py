"""Calls of functions with arrays of a device: where they run, what they write, what they refuse."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

X = np.arange(24.0).reshape(2, 3, 4)


def test_calls_run_where_arrays_are() -> None:
    @weft.function
    def f(a: Any, b: Any) -> Any:
        return np.tanh(a) * b, a.T, a.sum(), a.shape[0]

    there = weft.device_put(X)
    product, view, total, extent = f(there, 2.0)
    expected = weft.function(lambda a, b: np.tanh(a) * b)(X, 2.0)
    np.testing.assert_array_equal(product, expected)
    assert view.address == there.address
    assert (type(total), total.shape, float(total), extent) == (weft.DeviceArray, (), X.sum(), 2)
    np.testing.assert_array_equal(f(X, 2.0)[0], expected)  # on the processor
    strided = f(there.T[::-1], 2.0)[0]
    np.testing.assert_array_equal(strided, np.asarray(product).T[::-1])


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_state_on_devices_is_saved_and_loaded_in_place(ending: str, tmp_path: Path) -> None:
    model = {"w": weft.device_put(X), "layers": [weft.device_put(np.ones(2, weft.bfloat16)), np.zeros(3)]}
    path, w = tmp_path / f"model.{ending}", model["w"]
    assert weft.state(model)["w"] is w
    weft.save_state(model, path)
    for array in weft.state(model).values():
        array[...] = 7
    weft.load_state(model, path)
    assert weft.state(model)["w"] is w
    np.testing.assert_array_equal(w, X)
    np.testing.assert_array_equal(model["layers"][0], np.ones(2, weft.bfloat16))
    with pytest.raises(ValueError, match="w has shape"):
        weft.load_state({"w": w[0]}, {"w": X})


def test_concrete_functions_refuse_arrays_of_other_devices() -> None:
    """One that was compiled for the processor read the addresses of the device."""
    f = weft.function(lambda a: a + 1)
    here, there = f.get_concrete_function(X), f.get_concrete_function(weft.device_put(X))
    for _ in range(3):
        with pytest.raises(
            ValueError, match=r"'a' lies on cuda:0, and .* was compiled for cpu; call the weft"
        ):
            here(weft.device_put(X))
        with pytest.raises(ValueError, match=r"'a' lies on cuda:1, and .* was compiled for cuda:0"):
            there(weft.device_put(X, "cuda:1"))
        np.testing.assert_array_equal(there(weft.device_put(X)), X + 1)
        np.testing.assert_array_equal(there(X), X + 1)


def test_arrays_in_lists_and_dicts_are_written_in_place() -> None:
    held = {"a": weft.device_put(np.ones(2)), "b": [weft.device_put(np.zeros(2))]}

    @weft.function
    def f(x: Any) -> Any:
        held["a"] *= x
        held["b"][0][1] += x.sum()
        tail = held["a"][1:]
        tail += 100
        return held["a"] + held["b"][0]

    np.testing.assert_array_equal(f(weft.device_put(np.array([2.0, 3.0]))), [2, 108])
    np.testing.assert_array_equal(held["a"], [2, 103])
    np.testing.assert_array_equal(held["b"][0], [0, 5])


@pytest.mark.filterwarnings("ignore::weft.TransferWarning")
def test_derivatives_in_plain_python_are_those_of_copies() -> None:
    there, ones = weft.device_put(np.array([1.0, 2.0])), weft.device_put(np.ones(2))
    (found,) = weft.vjp(lambda x: x**2, there)[1](ones)
    np.testing.assert_array_equal(found, [2, 4])
    np.testing.assert_array_equal(weft.jvp(lambda x: x**2, (there,), (ones,))[1], [2, 4])
    with weft.GradientTape() as tape:
        x = tape.watch(there)
        y = (x**2).sum()
    np.testing.assert_array_equal(tape.gradient(y, x), [2, 4])


def test_functions_run_as_python_on_arrays_of_devices() -> None:
    seen = []

    @weft.function
    def f(a: Any) -> Any:
        seen.append(type(a))
        return a[0] + np.sqrt(a[1])

    with weft.eager():
        result = f(weft.device_put(X))
        assert seen == [type(result)] == [weft.DeviceArray]
        np.testing.assert_array_equal(result, X[0] + np.sqrt(X[1]))


def test_in_place_is_in_place() -> None:
    @weft.function
    def increase(a: Any) -> Any:
        a[1:] += 1
        return a

    there, host = weft.device_put(X), X.copy()
    assert increase(there) is there
    increase(there.T)
    host[1:] += 1
    host.T[1:] += 1
    np.testing.assert_array_equal(there, host)


class Model:
    def __init__(self) -> None:
        self.w = weft.device_put(np.ones(3))

    @weft.function
    def step(self, x: Any) -> Any:
        self.w -= 0.5 * x
        return (self.w * x).sum()


WEIGHTS = np.arange(3.0)


def test_arrays_of_state_may_lie_there(monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = Model(), np.arange(3.0)
    expected = [float(model.step(weft.device_put(x))), float(model.step(x))]
    assert expected == [0.5 * 1 + 0.0 * 2, 0.0 - 1.0 * 2]
    assert type(model.w) is weft.DeviceArray
    np.testing.assert_array_equal(model.w, [1.0, 0.0, -1.0])
    model.w = np.ones(3)  # the processor's again
    assert type(model.step(x)) is np.float64
    added = weft.function(lambda x: x + WEIGHTS)
    for offset in (0.0, 5.0):
        monkeypatch.setitem(globals(), "WEIGHTS", weft.device_put(np.arange(3.0) + offset))
        np.testing.assert_array_equal(added(np.ones(3)), np.arange(3.0) + offset + 1)
    WEIGHTS[:] = 0.0
    np.testing.assert_array_equal(added(np.ones(3)), np.ones(3))


def test_devices_are_not_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = weft.device_put(X), weft.device_put(X, "cuda:1")
    add = weft.function(lambda x, y: x + y)
    with pytest.raises(
        weft.WeftValueError, match=r"argument 'x' lies on cuda:0 and argument 'y' on cuda:1; a call runs on"
    ):
        add(one, other)
    assert add(other, other).device == "cuda:1"
    with pytest.raises(
        weft.WeftValueError, match="argument 'x' lies on cuda:0, and the function runs on cpu; copy it"
    ):
        weft.function(lambda x: x + 1, device="cpu")(one)
    monkeypatch.setitem(globals(), "WEIGHTS", other)
    with pytest.raises(
        weft.WeftValueError, match="uses global WEIGHTS, which lies on cuda:1, and runs on cuda:0"
    ):
        weft.function(lambda x: x + WEIGHTS)(one)
    with pytest.raises(weft.DeviceError, match="there is no device cuda:2: the driver has 2 GPUs"):
        weft.device_put(X, "cuda:2")


def test_large_transfers_are_announced_once() -> None:
    scale = weft.function(lambda table, x: table[:3] * x)
    table, x = np.ones(1 << 17), weft.device_put(np.ones(3))
    with pytest.warns(
        weft.TransferWarning, match=r"table \(1\.0 MB\) is copied to cuda:0 at each call"
    ) as caught:
        scale(table, x)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scale(table, x)


BOXES = [np.zeros(3)]


def test_arrays_in_containers_are_data_and_copies_to_the_host_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(globals(), "BOXES", [weft.device_put(np.arange(3.0))])
    joined = weft.function(lambda x: weft.concat([x, BOXES[0]]))
    for offset in (0.0, 5.0):
        BOXES[0][...] = weft.device_put(np.arange(3.0) + offset)
        np.testing.assert_array_equal(joined(np.ones(1)), [1, *(np.arange(3.0) + offset)])
    with pytest.warns(
        weft.TransferWarning, match="copies an array from cuda:0 to the host; call NumPy's function"
    ):
        np.testing.assert_array_equal(weft.concat([BOXES[0], np.ones(1)]), [5, 6, 7, 1])


def test_calls_run_where_the_setting_says_at_each_call() -> None:
    """Sums of exponentials differ on devices in the last bit."""
    x = np.arange(20.0, dtype=np.float32).reshape(4, 5) / 3

    def softmax(x: Any) -> Any:
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    here, f = weft.function(softmax)(x), weft.function(softmax)
    for _ in range(2):
        with weft.settings.scope(device="cuda"):
            for _ in range(4):
                assert not np.array_equal(f(x), here)
        for _ in range(4):
            np.testing.assert_array_equal(f(x), here)
