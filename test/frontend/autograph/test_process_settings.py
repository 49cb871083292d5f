"""Functions that tell NumPy and Python what not to warn of, and put back what was the case before."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same

X = np.array([0.0, 1.0, -1.0])


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    with np.errstate(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def same(function: Callable[..., Any], *arguments: Any) -> None:
    """Results are equal, and so is what NumPy does about errors afterwards."""
    before = np.geterr()
    expected, then = function(*arguments), np.geterr()
    compiled = weft.function(function)
    for _ in range(2):
        np.seterr(**before)
        assert_same(compiled(*arguments), expected)
        assert np.geterr() == then


def test_seterr_that_is_put_back_records_nothing() -> None:
    def ignoring(x: Any) -> Any:
        old = np.seterr(divide="ignore")
        y = 1 / x
        np.seterr(**old)
        return y

    same(ignoring, X)
    compiled = weft.function(ignoring)
    compiled(X)
    assert "weft.python" not in compiled.get_concrete_function(X).as_text("optimized")


def test_seterr_in_branches_and_loops() -> None:
    def branching(x: Any, n: Any) -> Any:
        old = np.seterr(all="ignore")
        if x.sum() > 0:
            np.seterr(**old)
            return x
        np.seterr(**old)
        for i in range(n):
            former = np.geterr()
            np.seterr(over="ignore", under="warn")
            x = x / (x - i)
            np.seterr(**former)
        return 1 / x

    same(branching, X, np.int64(3))


def test_what_stays_changed_is_changed_at_each_call() -> None:
    def silenced(x: Any) -> Any:
        with np.errstate(invalid="ignore", divide="warn"):
            np.seterr(under="warn")
        np.seterr(over="ignore", divide="warn")
        return x

    same(silenced, X)


def test_errstate_decorates() -> None:
    @np.errstate(all="ignore")
    def inverted(x: Any) -> Any:
        return 1 / x

    same(inverted, X)


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: np.seterr(divide="raise") and x, r"np.seterr\(divide='raise'\) is not followed"),
    (lambda x: np.seterr(all="ignore"), "'divide' is a setting of the process"),
    (lambda x: x if np.geterr()["over"] == "warn" else -x, "'over' is a setting of the process"),
    (lambda x: print(np.geterr()), "is a setting of the process"),
    (lambda x: np.seterr(all="ignore") and x if x.sum() > 5 else x, r"np.geterr\(\)\['divide'\] is"),
]


@pytest.mark.parametrize(("function", "why"), REFUSED)
def test_states_are_put_back_or_refused(function: Callable[[Any], Any], why: str) -> None:
    with pytest.raises(weft.WeftError, match=why):
        weft.function(function)(X)


def test_unknown_states_are_numpys_error() -> None:
    with pytest.raises(ValueError, match="invalid error mode 'foo'"):
        weft.function(lambda x: np.seterr(over="foo"))(X)


def warned(function: Callable[..., Any], *arguments: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*arguments)
    return [str(warning.message) for warning in found if issubclass(warning.category, UserWarning)]


def filtering(x: Any, n: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="first")
        warnings.warn("first", stacklevel=1)
        warnings.warn("second", stacklevel=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(n):
                warnings.warn("in a loop", stacklevel=1)
            y = 1 / x
        warnings.warn("third", stacklevel=1)
    warnings.warn("first, behind", stacklevel=1)
    return y


def test_filters_hold_for_what_a_block_warns_of() -> None:
    compiled = weft.function(filtering)
    assert warned(filtering, X, np.int64(3)) == ["second", "third", "first, behind"]
    for _ in range(2):
        assert warned(compiled, X, np.int64(3)) == ["second", "third", "first, behind"]


def test_filters_of_the_process_are_changed_at_each_call() -> None:
    def quiet(x: Any) -> Any:
        warnings.warn("before", stacklevel=1)
        warnings.simplefilter("ignore")
        warnings.warn("behind", stacklevel=1)
        return x

    compiled = weft.function(quiet)
    for _ in range(2):
        assert warned(compiled, X) == ["before"]


def _recording(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as found:
        warnings.warn("told", stacklevel=1)
    return len(found)


def _in_a_branch(x: Any) -> Any:
    with warnings.catch_warnings():
        if x.sum() > 0:
            warnings.simplefilter("ignore")
    return x


@pytest.mark.parametrize(
    ("function", "why"), [(_recording, "record=True"), (_in_a_branch, "in a branch or loop inside of `with")]
)
def test_filters_that_cannot_be_followed_are_refused(function: Callable[[Any], Any], why: str) -> None:
    with pytest.raises(weft.UnsupportedError, match=why):
        weft.function(function)(X)
