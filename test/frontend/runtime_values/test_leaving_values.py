"""What a compiled function returns, stores or prints holds NumPy's values, whatever holds them."""

from __future__ import annotations

import functools
import operator
import types
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.dialect.errors import UnsupportedError


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def method(self) -> Any:
        return self.value


BOX = types.SimpleNamespace()


def held(n):
    i = int(n)
    table = {"a": n, "b": i}
    bounds = slice(0, n) if n > 2 else slice(1, None)
    BOX.partial = functools.partial(operator.add, i, n)
    print(slice(i, n), table.values(), deque([n], 3))
    return [
        slice(1, n),
        bounds,
        [slice(None, i, 2), functools.partial(functools.partial(max, n), key=i)],
        (table.values(), table.items(), table.keys()),
        range(i),
        range(1, i, 2),
        deque([n, i], 5),
        defaultdict(list, a=n),
        Counter(a=i),
        types.SimpleNamespace(a=n),
        {"nested": (slice(i), [slice(n, None)])},
        (type(n), type(i), type(n * 2.5)),
    ]


def test_values_are_python_s_and_numpy_s(capsys: pytest.CaptureFixture[str]) -> None:
    compiled = weft.function(held)
    for value in (3, 1):
        found = [
            (repr(called(np.int64(value))), repr(BOX), capsys.readouterr().out) for called in (held, compiled)
        ]
        assert found[1] == found[0]


def test_a_partial_function_holds_the_array_itself() -> None:
    x = np.arange(3.0)
    made = weft.function(lambda x: functools.partial(np.add, x))(x)
    assert made.args[0] is x


@pytest.mark.parametrize(
    "function",
    [
        lambda n: Slotted(n).method,
        lambda n: [n].append,
        lambda n: operator.itemgetter(n),
        lambda n: types.MappingProxyType({"a": n}),
    ],
)
def test_what_cannot_be_taken_apart_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedError, match="holds a traced array inside of a"):
        weft.function(lambda n: function(n))(np.int64(3))


def test_a_sequence_of_the_program_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="whose items only the program makes"):
        weft.function(lambda n: np.ndenumerate(np.zeros(3)))(np.int64(3))
