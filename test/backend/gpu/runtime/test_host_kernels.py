"""Kernels of the host between those of a device, in the emulator: what they take and give."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def test_constants_whose_size_a_kernel_does_not_know() -> None:
    """How often to draw is a table that the kernel sees as a view."""

    def drawn(rng: Any, x: Any) -> Any:
        return rng.choice(100, 70, replace=False), rng.choice(x * 2, 2, replace=False)

    x = np.arange(12.0).reshape(3, 4)
    with weft.settings.scope(cuda="emulator"):
        there = weft.function(drawn, device="cuda")(np.random.default_rng(5), x)
    for one, other in zip(there, drawn(np.random.default_rng(5), x), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def walk(rng: Any, x: Any, steps: Any) -> Any:
    for _ in range(steps):
        x = x + rng.choice(2**40, 70, replace=False)  # the host's, as the population is large
    return x


def noise(rng: Any, x: Any) -> Any:
    return x + rng.choice(2**40, x.size, replace=False).reshape(x.shape)


def _warnings_of(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    with weft.settings.scope(cuda="emulator"), warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        call()
    return [warning for warning in given if issubclass(warning.category, weft.TransferWarning)]


def test_a_loop_with_a_kernel_of_the_host_is_announced_once() -> None:
    function = weft.function(walk, device="cuda")
    calls = [
        _warnings_of(functools.partial(function, np.random.default_rng(5), np.zeros(70), n))
        for n in (3, 9, 50, 50, 50)
    ]
    assert [len(given) for given in calls] == [0, 0, 1, 0, 0]
    (warning,) = calls[2]
    assert (warning.filename, warning.lineno) == (__file__, walk.__code__.co_firstlineno + 2)
    assert str(warning.message) == (
        "walk: the host does this, as it draws random numbers; in a call it waits 50 times for cuda:0, and 0.1 MB are "
        "copied between them; take it out of the loop, or compute it before its arrays go to cuda:0"
    )


def test_a_large_copy_for_a_kernel_of_the_host_is_announced() -> None:
    """Also of arrays that stay on the device, and where types do not tell how large they are."""
    function = weft.function(noise)
    with weft.settings.scope(cuda="emulator"):
        small, large = weft.device_put(np.zeros((3, 4))), weft.device_put(np.zeros((1500, 2000)))
    assert not _warnings_of(lambda: function(np.random.default_rng(5), small))
    (warning,) = _warnings_of(lambda: function(np.random.default_rng(5), large))
    assert (warning.filename, warning.lineno) == (__file__, noise.__code__.co_firstlineno + 1)
    assert str(warning.message) == (
        "noise: the host does this, as it draws random numbers; in a call it waits once for cuda:0, and 96.0 MB are "
        "copied between them; compute it before its arrays go to cuda:0"
    )


def test_what_is_done_by_the_processor_is_not_announced() -> None:
    assert not _warnings_of(lambda: weft.function(walk)(np.random.default_rng(5), np.zeros(70), 50))


def test_a_warning_that_is_an_error_leaves_no_effect_out() -> None:
    def drawn(x: Any, items: Any, rng: Any) -> Any:
        for _ in range(40):
            items.append(rng.choice(2**40, 70, replace=False) + x)
        return x

    items: list[Any] = []
    with weft.settings.scope(cuda="emulator"), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(weft.TransferWarning):
            weft.function(drawn, device="cuda")(np.zeros(70), items, np.random.default_rng(0))
    assert len(items) == 40
