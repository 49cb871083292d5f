"""What a class of the user's answers by code runs as often as the program asks, and not when a trace or guard looks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


class _Asked:
    """A class whose descriptors and methods say that they were called."""

    def __init__(self) -> None:
        self.log: list[str] = []
        log = self.log

        class Counted:
            count = 0

            def __get__(self, owner: Any, kind: Any = None) -> Any:
                log.append("get")
                self.count += 1
                return self.count

        class Kept:
            """Keeps its value under its own name, where the object itself would."""

            def __get__(self, owner: Any, kind: Any = None) -> Any:
                log.append("kept")
                return owner.__dict__["kept"]

            def __set__(self, owner: Any, value: Any) -> None:
                log.append("set")
                owner.__dict__["kept"] = value

        class Meta(type):
            def __getattr__(cls, name: str) -> float:
                if name.startswith("__"):
                    raise AttributeError(name)  # as Python itself asks a class for some
                log.append(name)
                return 2.0

        class Owner(metaclass=Meta):
            counted, kept = Counted(), Kept()

            def __getattr__(self, name: str) -> float:
                if name.startswith("__"):
                    raise AttributeError(name)
                log.append(name)
                return 3.0

            def __hash__(self) -> int:
                log.append("hash")
                return 1

        self.kind = Owner
        self.owner = Owner()
        self.owner.kept = 1.0


def _twice_changed(x: Any, asked: _Asked) -> Any:
    owner = asked.owner
    if x[0] > 0:
        owner.kept = owner.kept + 1.0
    return x * owner.kept


_PROGRAMS: dict[str, Callable[[Any, _Asked], Any]] = {
    "a descriptor": lambda x, asked: x * asked.owner.counted,
    "a descriptor in a loop": lambda x, asked: [v * asked.owner.counted for v in x],
    "a descriptor that stores under its own name": _twice_changed,
    "__getattr__": lambda x, asked: x * asked.owner.other,
    "__getattr__ of a metaclass": lambda x, asked: x * asked.kind.other,
    "__hash__": lambda x, asked: x * {asked.owner: 2.0}[asked.owner],
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_code_of_a_class_runs_as_often_as_the_program_asks(name: str) -> None:
    eager, compiled = _Asked(), _Asked()
    program = _PROGRAMS[name]

    def run(asked: _Asked) -> Any:
        function = (
            (lambda x: program(x, asked)) if asked is eager else weft.function(lambda x: program(x, asked))
        )
        return [np.asarray(function(np.array(row))).tolist() for row in ([1.0, 2.0], [-1.0, 2.0], [1.0, 3.0])]

    assert run(compiled) == run(eager)
    assert compiled.log == eager.log


def test_a_class_that_answers_to_every_name_is_no_dataclass() -> None:
    class Meta(type):
        def __getattr__(cls, name: str) -> Any:
            if name != "__dataclass_fields__":
                raise AttributeError(name)
            return {}

    class Owner(metaclass=Meta):
        def __init__(self, value: Any) -> None:
            self.value = value

    assert dataclasses.is_dataclass(Owner(1))

    @weft.function
    def twice(x: Any) -> Any:
        owner = Owner(x)
        if x[0] > 0:
            owner.value = x * 2
        return owner.value

    np.testing.assert_array_equal(twice(np.array([1.0, 2.0])), [2.0, 4.0])
