"""Profiles: what is noted, that it is a trace that viewers read, and what is refused."""

from __future__ import annotations

import inspect
import itertools
import json
import re
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.pages import data_in
from weft.dialect.errors import ProfileError, WeftTypeError, WeftValueError
from weft.frontend.calls.compile_lock import COMPILE_LOCK
from weft.frontend.profiling.trace_events import Span
from weft.passes.listening import listening


@weft.function
def scaled(x: Any) -> Any:
    y = np.exp(x) * 2
    return y / y.sum()


@weft.function
def grown(x: Any, limit: Any) -> Any:
    while x.max() < limit:
        x = x * 2
    return x


def line_in(function: Any, text: str) -> str:
    """Where a text is in a function, as `/path/to/file.py:12`."""
    lines, first = inspect.getsourcelines(function.python_function)
    number = next(first + number for number, line in enumerate(lines) if text in line)
    return f"{__file__}:{number}"


def of_kind(p: weft.profile, category: str) -> list[Span]:
    return [span for span in p.spans if span.category == category]


def require_nesting(rows: Iterable[dict[str, Any]]) -> None:
    """Spans of a thread are inside of one another, or behind one another, in the order in which they begin."""
    around: dict[int, list[tuple[float, float]]] = {}
    last: dict[int, float] = {}
    for row in rows:
        if row["ph"] != "X":
            continue
        begin, end, thread = row["ts"], row["ts"] + row["dur"], row["tid"]
        assert begin >= last.get(thread, 0)
        assert row["dur"] >= 0
        last[thread] = begin
        open_spans = around.setdefault(thread, [])
        while open_spans and open_spans[-1][1] <= begin + 2e-3:
            open_spans.pop()
        assert not open_spans or end <= open_spans[-1][1] + 2e-3, row
        open_spans.append((begin, end))


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The timeline of a compilation, some calls, and another thread."""
    path = tmp_path_factory.mktemp("profiles") / "run.json"
    scaled.clear_cache()
    with weft.profile(path):
        scaled(np.ones(1000, np.float32))
        scaled(np.ones(1000, np.float32))
        scaled(np.ones((10, 10)))
        other = threading.Thread(target=lambda: scaled(np.ones(1000, np.float32)), name="feeder")
        other.start()
        other.join()
    read: dict[str, Any] = json.loads(path.read_text())
    return read


def test_the_file_is_a_trace_with_spans_inside_of_others(trace: dict[str, Any]) -> None:
    rows = trace["traceEvents"]
    require_nesting(rows)
    for row in rows:
        assert {"name", "ph", "pid", "tid"} <= row.keys()
        assert row["ph"] in ("X", "M", "i")
    assert trace["otherData"] == {"dropped": 0, "lost": 0, "not timed": {}}


def test_threads_bear_their_names(trace: dict[str, Any]) -> None:
    names = {row["tid"]: row["args"]["name"] for row in trace["traceEvents"] if row["name"] == "thread_name"}
    called = {names[row["tid"]] for row in trace["traceEvents"] if row.get("cat") == "call"}
    assert called == {threading.current_thread().name, "feeder"}


def test_compilations_have_reasons_and_passes_in_them(trace: dict[str, Any]) -> None:
    compiled = [row for row in trace["traceEvents"] if row.get("cat") == "compilation"]
    assert [row["name"] for row in compiled] == ["compile scaled", "compile scaled"]
    assert compiled[1]["args"]["reason"] == "argument 'x' changed from f32[1000] to f64[10,10]"
    first = compiled[0]
    inside = [
        row["name"]
        for row in trace["traceEvents"]
        if row.get("cat") == "compile" and first["ts"] <= row["ts"] < first["ts"] + first["dur"]
    ]
    assert {
        "trace",
        "weft-optimize",
        "weft-to-linalg",
        "weft-fuse-elementwise",
        "llvm-codegen",
        "link",
    } <= set(inside)


@weft.function
def stepped(x: Any, steps: Any) -> Any:
    found = np.zeros(steps)
    for i in range(steps):
        if x[i] > 0:
            found[i] = np.exp(x).sum()
    return found


@pytest.mark.processor
def test_reasons_are_those_that_are_explained_and_branches_hide_no_bytes() -> None:
    with weft.profile() as p:
        stepped(np.ones(300), 3)
        stepped(np.ones(300), 5)  # first with a number of steps that is data, in vain
    first, second = (span.told["reason"] for span in of_kind(p, "compilation"))
    assert first == "first call"
    assert second == stepped.explain_retrace()
    assert second.startswith("argument 'steps' changed from 3 to 5; 'steps' is a constant, as a shape at ")
    assert max(span.told.get("bytes", 0) for span in of_kind(p, "kernel")) >= 8 * 300


@pytest.mark.processor
def test_kernels_have_lines_and_bytes_and_lie_in_calls(trace: dict[str, Any]) -> None:
    rows = trace["traceEvents"]
    calls = [row for row in rows if row.get("cat") == "call"]
    kernels = [row for row in rows if row.get("cat") == "kernel"]
    assert [row["name"] for row in calls] == ["scaled"] * 4
    assert calls[0]["args"]["signature"] == "scaled(x: f32[1000])"
    assert len(kernels) >= 4
    for kernel in kernels:
        assert kernel["args"]["function"] == "scaled"
        (call,) = (
            call
            for call in calls
            if call["tid"] == kernel["tid"] and call["ts"] <= kernel["ts"] <= call["ts"] + call["dur"]
        )
        assert kernel["ts"] + kernel["dur"] <= call["ts"] + call["dur"] + 2e-3
    lines = {kernel["args"]["line"] for kernel in kernels}
    assert lines <= {line_in(scaled, "np.exp"), line_in(scaled, "y.sum")}
    assert all(kernel["args"]["bytes"] > 0 for kernel in kernels)


def test_functions_that_native_code_calls_are_noted_and_called_by_it_again() -> None:
    x = np.ones(50)
    for _ in range(5):
        scaled(x)
    with weft.profile() as p:
        expected = scaled(x)
    assert len(of_kind(p, "call")) == 1
    before = scaled.cache_info().hits
    for _ in range(3):
        assert scaled(x).tolist() == expected.tolist()
    assert scaled.cache_info().hits == before + 3
    assert listening.listener is None
    assert len(of_kind(p, "call")) == 1


@pytest.mark.processor
def test_kernels_in_loops_are_noted_each_time() -> None:
    with weft.profile() as p:
        assert grown(np.ones(3), np.float64(16)).tolist() == [16.0] * 3
    lines = [kernel.told["line"] for kernel in of_kind(p, "kernel")]
    assert lines.count(line_in(grown, "x * 2")) == 4
    assert lines.count(line_in(grown, "x.max()")) == 5


@pytest.mark.processor
def test_pieces_of_shared_loops_are_noted_in_their_threads() -> None:
    waves = weft.function(lambda x: np.exp(np.sin(x)) + np.cos(x), name="waves")
    before = weft.get_num_threads()
    weft.set_num_threads(2)
    try:
        with weft.profile() as p:
            waves(np.ones(1_000_000))
    finally:
        weft.set_num_threads(before)
    pieces = of_kind(p, "piece")
    assert pieces
    assert all(piece.name.startswith(f"{Path(__file__).name}:") for piece in pieces)
    (call,) = of_kind(p, "call")
    assert all(call.begin <= piece.begin <= piece.end <= call.end for piece in pieces)
    require_nesting(p.trace()["traceEvents"])


def test_what_a_call_raises_is_raised_and_noted() -> None:
    @weft.function
    def checked(x: Any, i: Any) -> Any:
        return x[i]

    with weft.profile() as p, pytest.raises(IndexError, match="index 7 is out of bounds"):
        checked(np.ones(3), np.int64(7))
    assert [span.name for span in of_kind(p, "call")] == ["checked"]


def test_arrays_that_are_written_and_python_that_is_called() -> None:
    seen: list[float] = []

    @weft.function
    def written(x: Any) -> Any:
        x[:] = x + 1
        weft.py_call(lambda y: seen.append(float(y)), x.sum())
        return x * 2

    x = np.zeros(4)
    with weft.profile() as p:
        assert written(x).tolist() == [2.0] * 4
    assert x.tolist() == [1.0] * 4
    assert seen == [4.0]
    assert p.not_timed == {}


def test_the_disk_cache_is_noted(tmp_path: Path) -> None:
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path)), weft.profile() as p:
        for _ in range(2):
            weft.function(_shifted)(np.ones(3))
    assert [event.name for event in p.events] == [
        "disk cache: missed",
        "disk cache: stored",
        "disk cache: found",
    ]
    assert [span.name for span in of_kind(p, "compilation")] == ["compile _shifted", "load _shifted"]


def _shifted(x: Any) -> Any:
    return x + 1


@pytest.mark.processor
def test_the_summary_tells_lines_by_time() -> None:
    with weft.profile() as p:
        scaled(np.ones(1000, np.float32))
    shown = str(p)
    assert "1 call in" in shown
    line = line_in(scaled, "np.exp").rpartition("/")[2]
    assert any(row.startswith(line) and "scaled" in row and "kernel_0" in row for row in shown.splitlines())
    kernels = p.summary().kernels
    assert kernels[0].nanoseconds >= kernels[-1].nanoseconds
    assert kernels[0].bytes


def test_a_profile_inside_of_a_profile_is_refused(tmp_path: Path) -> None:
    with weft.profile() as outer:
        with (
            pytest.raises(ProfileError, match=r"there is a profile already.*leave the inner .* out"),
            weft.profile(tmp_path / "inner.json"),
        ):
            pass
        scaled(np.ones(1000, np.float32))
    assert len(of_kind(outer, "call")) == 1
    assert not (tmp_path / "inner.json").exists()
    with pytest.raises(ProfileError, match="has ended, and is not begun again"), outer:
        pass
    with weft.profile():
        pass


def test_a_file_that_cannot_be_written_is_told_at_the_beginning(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), weft.profile(tmp_path / "no" / "run.json"):
        raise AssertionError("the block is not reached")
    assert listening.listener is None
    with pytest.raises(
        WeftTypeError, match=r"takes the path of a file to write, not 3: write with weft.profile"
    ):
        weft.profile(3)  # type: ignore[arg-type]


def test_what_was_noted_is_written_where_the_block_raises(tmp_path: Path) -> None:
    def fail() -> None:
        scaled(np.ones(1000, np.float32))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), weft.profile(tmp_path / "run.json"):
        fail()
    rows = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    assert any(row.get("cat") == "call" for row in rows)


@pytest.mark.processor
def test_too_many_kernels_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.frontend.profiling.profile.MOST", 10)
    with weft.profile() as p:
        grown(np.ones(3), np.float64(2.0**100))
    assert len(p.spans) <= 11
    assert p.dropped > 0
    assert "more than a profile keeps" in str(p)


class Counter:
    steps = 0


counter = Counter()


@weft.function
def counted(x: Any) -> Any:
    counter.steps += 1
    return x * counter.steps


@pytest.mark.processor
def test_calls_that_take_turns_do_not_wait_for_who_compiles() -> None:
    for _ in range(4):
        counted(np.ones(2))  # until the number is data, and nothing is compiled again
    results: list[Any] = []
    with weft.profile() as p:
        with COMPILE_LOCK:
            other = threading.Thread(target=lambda: results.append(counted(np.ones(2))))
            other.start()
            other.join(30)
            assert not other.is_alive()
        counted(np.ones(2))
    assert results[0].tolist() == [5.0, 5.0]
    assert counter.steps == 6
    assert [event.name for event in p.events] == ["not timed: counted"]
    assert [span.category for span in p.spans if span.category in ("call", "kernel")] == [
        "call",
        "call",
        "kernel",
    ]


def test_a_run_as_pages(tmp_path: Path) -> None:
    grown.clear_cache()
    with weft.profile(pages=tmp_path / "report"):
        grown(np.ones(3), np.float64(16))
        grown(np.ones(4), np.float64(16))
    index = (tmp_path / "report" / "index.html").read_text()
    assert "grown(x: f64[3], limit: f64[])" in index
    assert "argument &#x27;x&#x27; changed from f64[3] to f64[4]" in index
    links = re.findall(r'href="([^"]+)"', index)
    assert sorted(links) == ["01_grown.html", "02_grown.html"]
    shown = data_in(tmp_path / "report" / "01_grown.html")
    assert shown["name"] == "grown"
    assert line_in(grown, "x.max()").rpartition("/")[2] in index


def test_pages_need_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    with (
        pytest.raises(WeftValueError, match=r"that is a file; name a folder"),
        weft.profile(pages=tmp_path / "file"),
    ):
        pass
    assert (tmp_path / "file").read_text() == "kept"
    assert listening.listener is None
    with pytest.raises(WeftTypeError, match=r"pages of weft\.profile is a folder, not 3: write with"):
        weft.profile(pages=3)  # type: ignore[arg-type]


@weft.function
def around_another(x: Any) -> Any:
    y = weft.py_call(
        lambda v: np.asarray(grown(v, np.float64(3))), np.sin(x), result=weft.TensorSpec([3], "float64")
    )
    return np.cos(y) + 1


@pytest.mark.processor
def test_kernels_behind_a_call_inside_are_those_of_the_call_around() -> None:
    with weft.profile() as p:
        around_another(np.ones(3))
    inside = [str(kernel.told["function"]) for kernel in of_kind(p, "kernel")]
    assert [name for name, _ in itertools.groupby(inside)] == ["around_another", "grown", "around_another"]
