"""Classes and objects whose `__getattr__` answers to any name: nothing of the compiler's own is asked of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.behaviour_harness import same

X = np.array([0.5, -1.0, 2.0, 3.0])


class Answering(type):
    def __getattr__(cls, name: str) -> Any:
        raise RuntimeError(f"{name} is asked")


class Box(metaclass=Answering):
    def __init__(self, value: Any) -> None:
        self.value = value

    def up(self) -> Any:
        self.value += 1
        return self


class Proxy:
    def __init__(self) -> None:
        self.held = {"factor": 2.0}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise RuntimeError(f"{name} is asked")
        return self.held[name]

    def __call__(self, x: Any) -> Any:
        return x * self.factor


def made(n: Any, x: Any) -> Any:
    box = Box(x[0])
    for i in range(n):
        box.value += x[i]
    return box, box.up().value


def on_paths(n: Any, x: Any) -> Any:
    box = Box(x[0]) if n > 3 else Box(x[1])
    return box.value


def listed(n: Any, x: Any) -> Any:
    boxes = []
    for i in range(n):
        boxes.append(Box(x[i]))
    return [box.value for box in boxes], len(boxes)


def compared(n: Any, x: Any) -> Any:
    one, other = Box(x[0]), Box(x[0])
    numbers = {one: 1, other: 2}
    return (
        one == other,
        one is other,
        numbers[one],
        one in [one, other],
        type(one) is Box,
        hash(one) == hash(one),
    )


def called(n: Any, x: Any) -> Any:
    proxy = Proxy()
    return proxy(x[0]) + proxy.factor


@pytest.mark.parametrize("program", [made, on_paths, listed, compared, called])
def test_nothing_of_ours_is_asked(program: Callable[..., Any]) -> None:
    same(program, (np.int64(3), X))
