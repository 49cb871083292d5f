"""Launches that become one graph of the driver: what it is asked, and that each call works on its own arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.gpu.devices import libraries
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.signatures import Code
from weft_emulator.library import Emulator
from weft_emulator.state import Refused


class Refusing(Emulator):
    """A driver that notes what it is asked, and makes no graphs when it is told not to."""

    refuses = False

    def __init__(self, **options: Any) -> None:
        self.log: list[str] = []
        super().__init__(**options)

    def _admit(self, name: str) -> None:
        self.log.append(name)
        super()._admit(name)

    def cuGraphInstantiateWithFlags(self, instance: Any, graph: int | None, flags: int) -> None:
        if self.refuses:
            raise Refused(Code.NOT_SUPPORTED)
        super().cuGraphInstantiateWithFlags(instance, graph, flags)


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Refusing]:
    """A driver of the test's own."""
    made = Refusing(memory_bytes=1 << 20)
    monkeypatch.setitem(libraries._loaded, "emulator", Library(made.functions, "the emulator"))
    with weft.settings.scope(cuda="emulator"):
        yield made


def _program(x: Any, w: Any, rate: Any) -> Any:
    y = np.maximum(x @ w, 0)
    total = y.sum(0)
    w -= rate * np.sign(x.T @ y)
    return np.cumsum(y - total, axis=1)


def _integers(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


def _asked(emulator: Emulator, since: int) -> Counter[str]:
    return Counter(name for name in emulator.log[since:] if "Launch" in name or "Graph" in name)


def test_a_graph_is_made_once_and_launched_from_then_on(emulator: Refusing) -> None:
    f = weft.function(_program)
    expected_w, w = _integers(9, 6, 5), weft.device_put(_integers(9, 6, 5))
    kept, asked = [], []
    for call in range(6):
        x, rate = _integers(call, 8, 6), np.float32(2.0**-call)
        since = len(emulator.log)
        kept.append((f(weft.device_put(x), w, rate), _program(x, expected_w, rate)))
        asked.append(_asked(emulator, since))
        np.testing.assert_array_equal(np.asarray(w), expected_w)  # in place
    assert set(asked[0]) == {"cuLaunchKernel"}
    made = next(counts for counts in asked if counts["cuGraphCreate"])
    nodes = made["cuGraphAddKernelNode_v2"]
    assert nodes >= 4
    rest = asked[0]["cuLaunchKernel"] - nodes  # behind what is copied between
    assert made == Counter(
        {
            "cuGraphCreate": 1,
            "cuGraphAddKernelNode_v2": nodes,
            "cuGraphInstantiateWithFlags": 1,
            "cuGraphLaunch": 1,
            "cuLaunchKernel": rest,
        }
    )
    later = asked[-1]
    assert (later["cuGraphLaunch"], later["cuLaunchKernel"], later["cuGraphCreate"]) == (1, rest, 0)
    assert 1 <= later["cuGraphExecKernelNodeSetParams_v2"] <= nodes
    for there, here in kept:  # the memory of each call's result is its own
        np.testing.assert_array_equal(np.asarray(there), here)


def test_numpy_arrays_and_frames_of_their_own(emulator: Refusing) -> None:
    """Arrays that are copied in and out; what is the same again is not told to the nodes again."""
    f = weft.function(_program, device="cuda")
    expected_w, w = _integers(9, 6, 5), _integers(9, 6, 5)
    for call in range(4):
        x, rate = _integers(call, 8, 6), np.float32(0.5)
        np.testing.assert_array_equal(f(x, w, rate), _program(x, expected_w, rate))
        np.testing.assert_array_equal(w, expected_w)
    assert _asked(emulator, 0)["cuGraphLaunch"] == 3


def test_what_is_decided_on_the_way_is_no_graph(emulator: Refusing) -> None:
    def f(x, w):
        y = x @ w
        if y.sum() > 0:
            y = y @ w.T
        return np.cumsum(y, axis=1) - y.max(1, keepdims=True), y.sum(0)

    compiled, x, w = weft.function(f, device="cuda"), _integers(0, 8, 6), _integers(1, 6, 5)
    for _ in range(3):
        for there, here in zip(compiled(x, w), f(x, w), strict=True):
            np.testing.assert_array_equal(there, here)
    assert set(_asked(emulator, 0)) == {"cuLaunchKernel"}


def test_a_driver_that_makes_no_graph(emulator: Refusing) -> None:
    """It is said once; later calls launch their kernels as the first did."""
    f, x, w = weft.function(_program, device="cuda"), _integers(0, 8, 6), _integers(1, 6, 5)
    f(x, w.copy(), np.float32(0))
    emulator.refuses = True
    with pytest.raises(weft.DeviceError, match="cuGraphLaunch"):
        f(x, w.copy(), np.float32(0))
    since = len(emulator.log)
    np.testing.assert_array_equal(f(x, w.copy(), np.float32(0)), _program(x, w.copy(), np.float32(0)))
    assert set(_asked(emulator, since)) == {"cuLaunchKernel"}


def test_a_graph_in_a_loop(emulator: Refusing) -> None:
    """Its iterations are launched, make the graph, and launch it; memory of launches is freed behind each."""

    def f(x, w, n):
        for _ in range(n):
            y = np.cumsum(x @ w, axis=1)
            x = np.cumsum(y @ w.T, axis=1) % 7
        return x

    w = _integers(1, 100, 20)  # more than one block does sooner
    x, n = _integers(0, 16, 100), np.int64(5)
    np.testing.assert_array_equal(weft.function(f, device="cuda")(x, w, n), f(x, w, 5))
    counts = _asked(emulator, 0)
    assert (counts["cuGraphCreate"], counts["cuGraphLaunch"]) == (1, 4)


def test_a_launch_that_is_chosen_is_one(emulator: Refusing) -> None:
    half = weft.TensorSpec((64, 64), "float16")
    concrete = weft.function(lambda a: a @ a, device="cuda").get_concrete_function(half)
    assert concrete.cost_analysis().device.launches == 1


def _checked(x: Any, w: Any, places: Any) -> Any:
    y = np.maximum(x[places] @ w, 0)
    total = y.sum(0)
    w -= np.sign(x[places].T @ y)
    return np.cumsum(y - total, axis=1)


def test_checks_of_a_graph_are_told(emulator: Refusing) -> None:
    """What fails in a graph is raised by the call, or at the next wait; what stands behind it is not done."""
    f = weft.function(_checked)
    x, w = _integers(0, 12, 20), _integers(1, 20, 8)
    on_device, weights = weft.device_put(x), weft.device_put(w)
    good, bad = (weft.device_put(np.array(at)) for at in ([0, 3, 11], [0, 12, -20]))
    for _ in range(3):
        np.testing.assert_array_equal(f(on_device, weights, good), _checked(x, w, np.array([0, 3, 11])))
    since = len(emulator.log)
    with pytest.raises(IndexError, match="index 12 is out of bounds for axis 0 with size 12"):
        f(on_device, weights, bad)
    assert _asked(emulator, since)["cuGraphLaunch"]
    np.testing.assert_array_equal(weights, w)
    with weft.settings.scope(deferred_errors=True):
        f(on_device, weights, bad)
        result = f(on_device, weights, good)
        with pytest.raises(IndexError, match="index 12 is out of bounds"):
            np.asarray(result)
        np.testing.assert_array_equal(result, _checked(x, w, np.array([0, 3, 11])))
    np.testing.assert_array_equal(weights, w)
    np.testing.assert_array_equal(f(on_device, weights, good), _checked(x, w, np.array([0, 3, 11])))
