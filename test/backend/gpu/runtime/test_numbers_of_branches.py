"""Numbers that a branch gives stay on the device, where one of its ways makes them there and only the device asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _scaled(x: Any, is_squared: Any) -> Any:
    total = x.sum()
    scale = (x * x).sum() if is_squared else total + 1
    return x * scale, scale


def _one_of_four(x: Any, k: Any) -> Any:
    scale = 1.0
    if k == 0:
        scale = (x * x).sum()
    elif k == 1:
        scale = x.max()
    elif k == 2:
        scale = x.min() * 2
    return x * scale


def _every_second(x: Any, n: Any) -> Any:
    """A loop hands on what a branch gives."""
    total = 0.0
    for i in range(n):
        x = np.sin(x) + 0.1
        if i % 2 == 0:
            total += x.sum()
    return x * total, total


def _in_a_branch(x: Any, n: Any) -> Any:
    """A branch gives what a loop hands on."""
    total = 0.0
    if n > 1:
        for _ in range(n):
            x = x * 0.5
            total = total + x.sum()
    return total * x


def _written_between(x: Any, is_first: Any) -> Any:
    total = x.sum()
    if is_first:
        x[0] = total
        total = x.sum()
    x[1] = total
    return x * total


def _index(x: Any, is_counted: Any) -> Any:
    place = x.sum().astype(np.int32)
    if is_counted:
        place = (x > 1).sum().astype(np.int32)
    y = np.zeros(4)
    y[place % 4] = 1
    return y, place


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (_scaled, (np.True_, np.False_)),
        (_one_of_four, tuple(map(np.int64, range(4)))),
        (_every_second, tuple(map(np.int64, (0, 1, 4)))),
        (_in_a_branch, tuple(map(np.int64, (1, 4)))),
        (_written_between, (np.True_, np.False_)),
        (_index, (np.True_, np.False_)),
    ],
)
def test_nothing_waits_for_them(function: Callable[..., Any], given: tuple[Any, ...]) -> None:
    compiled = weft.function(function, device="cuda")
    x = np.linspace(-1, 2, 3000)
    for number in given:
        found, expected = compiled(x.copy(), number), function(x.copy(), number)
        pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        for one, other in pairs:
            assert np.asarray(one).dtype == np.asarray(other).dtype
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-9)
    device = compiled.get_concrete_function(x, given[0]).cost_analysis().device
    assert (device.reads, device.host_kernels) == (0, ())


def _decided(x: Any, is_squared: Any) -> Any:
    total = x.sum()
    if is_squared:
        total = (x * x).sum()
    return x / total if total > 3 else x


def _read_before(x: Any) -> Any:
    """What the host knows for a condition is no reason to ask the device for what is made of it."""
    total = x.sum()
    if total > 1:
        total = np.sqrt(total)
        x = x / total
    return x, total


@pytest.mark.parametrize(("function", "arguments"), [(_decided, (np.True_,)), (_read_before, ())])
def test_what_the_host_needs_is_read(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    compiled = weft.function(function, device="cuda")
    x = np.linspace(-1, 2, 3000)
    found, expected = compiled(x, *arguments), function(x, *arguments)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert compiled.get_concrete_function(x, *arguments).cost_analysis().device.reads > 0
