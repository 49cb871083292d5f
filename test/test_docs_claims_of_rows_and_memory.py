"""What the pages on rows, memory, summaries and timelines say in sentences, tried."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import Claims, refused, require

CLAIMS = Claims()
claim = CLAIMS.claim
ROWS: Any = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [-1.0, 9.0, 2.0]])


def halved(row: Any) -> Any:
    """A loop of the row's own length, a branch of its own, and a write."""
    steps = 0
    while row.sum() > 1:
        row = row / 2
        steps += 1
    if row[0] > 0.1:
        row = -row
    return row, steps


@claim("rows.md", "until the last row has ended; the others keep what they have")
def _() -> None:
    rows, steps = weft.vmap(halved)(ROWS)
    for row, got, count in zip(ROWS, rows, steps, strict=True):
        expected = halved(row)
        np.testing.assert_array_equal(got, expected[0])
        assert count == expected[1]


@claim("rows.md", "With `weft.eager()` it is a loop of Python's over rows.")
def _() -> None:
    seen: list[Any] = []
    with weft.eager():
        weft.vmap(lambda row: seen.append(row) or row)(ROWS)
    assert len(seen) == 3
    assert all(isinstance(row, np.ndarray) for row in seen)


@claim("rows.md", "and for no rows at all")
def _() -> None:
    assert weft.vmap(lambda row: row.sum())(np.ones((0, 3))).shape == (0,)


@claim("rows.md", "for the first row that has one; not for rows that do not get there")
def _() -> None:
    def picked(row: Any, i: Any) -> Any:
        return row[i] if row[0] > 0 else row[0]

    with pytest.raises(IndexError, match="index 7"):
        weft.vmap(picked)(ROWS, np.array([0, 7, 8]))
    np.testing.assert_array_equal(weft.vmap(picked)(ROWS, np.array([0, 1, 8])), [1, 5, -1])


@claim("rows.md", "allowed where they turn out to be equal, else a `ValueError` with the rows")
def _() -> None:
    large = weft.vmap(lambda row: row[row > 1.5])
    np.testing.assert_array_equal(large(ROWS[::2]), [[2, 3], [9, 2]])
    with pytest.raises(ValueError, match="row"):
        large(ROWS)


@claim("rows.md", "into the caller's array, as a loop over views would")
def _() -> None:
    def clear(row: Any) -> None:
        row[1] = 0

    rows = ROWS.copy()
    weft.vmap(clear)(rows)
    np.testing.assert_array_equal(rows[:, 1], 0)
    np.testing.assert_array_equal(rows[:, 0], ROWS[:, 0])


@claim("rows.md", "and drawing random numbers, of which all rows would get the same")
def _() -> None:
    generator = np.random.default_rng(0)
    refused(lambda x: weft.vmap(lambda row: row + generator.random())(x), ROWS)


@claim(
    "memory.md", "they own their memory, which is aligned to 64 bytes, and can be resized, pickled and freed"
)
def _() -> None:
    result = weft.function(lambda x: x + 1)(np.zeros(20_000))
    assert result.flags.owndata
    assert result.ctypes.data % 64 == 0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(result)), result)
    result.resize(30_000, refcheck=False)
    assert result[19_999] == 1
    assert result[20_000] == 0


@claim("memory.md", "what the function wrote goes back after it")
def _() -> None:
    @weft.function
    def double(x: Any) -> None:
        x *= 2

    for view in (lambda x: x[::2], lambda x: x[::-1], lambda x: x.reshape(5, 4).T):
        x = np.arange(20.0)
        double(view(x))
        expected = np.arange(20.0)
        view(expected)[...] *= 2
        np.testing.assert_array_equal(x, expected)


@claim("memory.md", "What is still not known is counted once, and `cost.unknown` says where and why.")
def _() -> None:
    concrete = weft.function(halved).get_concrete_function(weft.TensorSpec([3], "float64"))
    (why,) = [text for text in concrete.cost_analysis().unknown if "loop" in text]
    assert Path(__file__).name in why
    assert "how often the loop runs is not known" in why


@claim("summary.md", "The same compiled function writes nothing where there is none.")
def _() -> None:
    pytest.importorskip("tensorboard")

    @weft.function
    def noted(x: Any) -> Any:
        weft.summary.scalar("x", x, 1)
        return x + 1

    assert noted(np.float64(1)) == 2
    with TemporaryDirectory() as folder:
        writer = weft.summary.create_file_writer(folder)
        with writer.as_default():
            noted(np.float64(1))
        writer.close()
        assert noted.trace_count == 1
        (file,) = Path(folder).iterdir()
        assert file.read_bytes().count(b"\x01x") == 1


@claim("summary.md", "real numbers of any shape; NaN and infinities are refused")
def _() -> None:
    pytest.importorskip("tensorboard")
    with TemporaryDirectory() as folder:
        writer = weft.summary.create_file_writer(folder)
        with writer.as_default(), pytest.raises(ValueError, match=r"(?i)nan|infinit|finite"):
            weft.summary.histogram("x", np.array([1.0, np.nan]), 1)
        writer.close()


@claim("summary.md", "would\n  happen while tracing only, and are refused there")
def _() -> None:
    pytest.importorskip("tensorboard")

    def opens(x: Any) -> Any:
        weft.summary.create_file_writer("logs")
        return x

    refused(opens, ROWS)
    assert not Path("logs").exists()


@claim("summary.md", "A function with summaries cannot be saved for processes without Python")
def _() -> None:
    pytest.importorskip("tensorboard")

    def noted(x: Any) -> Any:
        weft.summary.scalar("x", x.sum(), 1)
        return x

    concrete = weft.function(noted).get_concrete_function(weft.TensorSpec([3]))
    with TemporaryDirectory() as folder, pytest.raises(weft.NotPortable, match="summary"):
        weft.save(Path(folder) / "noted.weft", noted=concrete)


@claim("profiling.md", "What was noted is written, too, where the block raises.")
def _() -> None:
    function = weft.function(lambda x: x + 1)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        with contextlib.suppress(KeyError), weft.profile(path):
            function(ROWS)
            raise KeyError
        categories = {event.get("cat") for event in json.loads(path.read_text())["traceEvents"]}
    assert {"call", "compilation"} <= categories


@claim("explain.md", "`WEFT_EXPLAIN=1`, or `weft.settings.explain = True`, prints it after each compilation.")
def _() -> None:
    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        weft.settings.scope(explain=True),
    ):
        told = weft.function(lambda x: np.exp(x) + 1, name="told")
        told(ROWS)
        told(ROWS)
    assert printed.getvalue().count("told(x: f64[3,3])") == 1
    assert "Vector code" in printed.getvalue()


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
