"""What fails in weft's own code is its own error, at the user's line; what the user's code raises stays what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from weft.dialect.errors import InternalError
from weft.frontend.numpy_api import shape
from weft.frontend.source.own_failures import is_own_failure

BROKEN: dict[str, str] = {
    "attribute": "def _completed(x, extents):\n    return extents.step",
    "key": "def _completed(x, extents):\n    return {}['key']",
    "recursion": "def _completed(x, extents):\n    return _completed(x, extents)",
    "name": "def _completed(x, extents):\n    return no_such_name",
    "assertion": "def _completed(x, extents):\n    assert False, 'broken'",
    "unpacking": "def _completed(x, extents):\n    one, other = (1,)",
    "erased": "def _completed(x, extents):\n    raise RuntimeError('the operation has been invalidated')",
}


def broken(source: str) -> Callable[..., Any]:
    """A function as one of weft's own files would have it."""
    namespace: dict[str, Any] = {"__name__": shape.__name__}
    exec(compile(source, shape.__file__, "exec"), namespace)
    made: Callable[..., Any] = namespace["_completed"]
    return made


@pytest.mark.sampled
@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("staged", [False, True])
def test_mistakes_of_weft_are_internal_errors(name: str, staged: bool) -> None:
    def plain(x: Any) -> Any:
        return np.reshape(x, (2, 2))

    def branch(x: Any) -> Any:
        x[0] = 1
        if x[1] > 0:
            x = x.reshape(2, 2)[0]
        return x

    with (
        mock.patch.object(shape, "completed", broken(BROKEN[name])),
        pytest.raises(InternalError, match="by a mistake of its own") as caught,
    ):
        weft.function(branch if staged else plain)(np.arange(4.0))
    assert "reshape(" in str(caught.value)
    assert caught.value.__cause__ is not None


def key_of_users(x: Any) -> Any:
    return {"a": 1}["b"]


def attribute_of_users(x: Any) -> Any:
    return x.nothing


def assertion_of_users(x: Any) -> Any:
    assert x.ndim == 7, "of the user"


def unpacking_of_users(x: Any) -> Any:
    a, b = (1, 2, 3)
    return a, b


def next_of_users(x: Any) -> Any:
    return next(iter(()))


def index_of_users(x: Any) -> Any:
    return [1, 2][5]


def of_numpy(x: Any) -> Any:
    return np.reshape(x, (7, 7))


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (key_of_users, KeyError),
        (attribute_of_users, AttributeError),
        (assertion_of_users, AssertionError),
        (unpacking_of_users, ValueError),
        (next_of_users, StopIteration),
        (index_of_users, IndexError),
        (of_numpy, ValueError),
    ],
)
def test_what_the_program_raises_is_its_own(function: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        weft.function(function)(np.arange(4.0))
    assert not isinstance(caught.value, InternalError)
    assert not is_own_failure(caught.value)


def test_names_that_are_not_bound_are_mistakes_of_the_user() -> None:
    def unbound(x: Any) -> Any:
        x[0] = 1
        try:
            y = z  # noqa: F821
        except KeyError:
            y = x
        finally:
            x[1] = y[0]  # the NameError of the line above comes out
        return y

    def deleted(x: Any) -> Any:
        y = x
        del y
        x[0] = 1
        return y + x  # noqa: F821

    with pytest.raises(NameError):
        weft.function(unbound)(np.arange(4.0))
    with pytest.raises(UnboundLocalError, match="'y'"):
        weft.function(deleted)(np.arange(4.0))


def test_what_numpy_is_asked_for_is_not_a_mistake_of_weft() -> None:
    def stored(x: Any) -> None:
        x[0, 1] -= [i * 2 for i in range(2)]

    with pytest.raises(ValueError, match="setting an array element with a sequence"):
        weft.function(stored)(np.ones((3, 6), int))


def test_messages_of_python_speak_of_arrays() -> None:
    for wrong in (lambda x: x * ..., lambda x: x.__len__(1)):
        with pytest.raises(TypeError) as caught:
            weft.function(wrong)(np.arange(4.0))
        assert "array" in str(caught.value)
        assert "TracedArray" not in str(caught.value)
