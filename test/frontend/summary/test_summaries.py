"""Summaries out of plain Python and of compiled functions, as TensorBoard's own reader finds them."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

event_file_loader = pytest.importorskip(
    "tensorboard.backend.event_processing.event_file_loader", reason="needs tensorboard"
)
from tensorboard.util.tensor_util import make_ndarray  # noqa: E402

Writer = weft.summary.SummaryWriter


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return weft.summary.create_file_writer(tmp_path)


def written(writer: Writer) -> list[tuple[int, str, Any]]:
    """What a file holds: the step, the name and the value of each summary."""
    writer.close()
    return [
        (event.step, value.tag, make_ndarray(value.tensor))
        for event in event_file_loader.EventFileLoader(writer.path).Load()
        for value in event.summary.value
    ]


def logged(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x * 0.5
        weft.summary.scalar("sum", x.sum(), i)
        if i % 2 == 0:
            weft.summary.text(f"at {i}", f"{x[0]:.2f}", step=i)
        else:
            weft.summary.histogram("x", x, i, buckets=2)
    with weft.summary.record_if(x[0] > 100):
        weft.summary.scalar("never", x[0], n)
    return x


def test_a_loop_writes_what_python_would(tmp_path: Path) -> None:
    found = []
    for name, function in ("eager", logged), ("compiled", weft.function(logged)):
        writer = weft.summary.create_file_writer(tmp_path / name)
        with writer.as_default():
            function(np.array([1.0, 3.0]), np.int64(4))
        found.append(written(writer))
    assert [(step, tag) for step, tag, _ in found[1]] == [
        (0, "sum"), (0, "at 0"), (1, "sum"), (1, "x"), (2, "sum"), (2, "at 2"), (3, "sum"), (3, "x"),
    ]  # fmt: skip
    assert [value.tolist() for _, _, value in found[0]] == [value.tolist() for _, _, value in found[1]]
    assert found[1][0][2] == np.float32(2.0)
    assert found[1][1][2] == b"0.50"
    assert found[1][3][2].tolist() == [[0.25, 0.5, 1.0], [0.5, 0.75, 1.0]]


def test_gradients_and_results_stay_as_they_are(writer: Writer) -> None:
    x, n = np.array([1.0, 3.0]), np.int64(4)
    silent = weft.function(logged)(x, n)
    with writer.as_default():
        assert weft.grad(lambda x: weft.function(logged)(x, n).sum())(x).tolist() == [1 / 16, 1 / 16]
        with weft.GradientTape() as tape:
            x = tape.watch(x)
            loss = (x**2).sum()
            weft.summary.scalar("tape", loss, 9)
        assert tape.gradient(loss, x).tolist() == [2.0, 6.0]
    assert silent.tolist() == [1 / 16, 3 / 16]
    found = written(writer)
    assert [step for step, tag, _ in found if tag == "sum"] == [0, 1, 2, 3]
    assert found[-1] == (9, "tape", np.float32(10.0))


def test_the_writer_is_that_of_the_call_or_of_a_with_inside(tmp_path: Path) -> None:
    writers = [weft.summary.create_file_writer(tmp_path / str(i)) for i in range(3)]
    inner, step = writers[2], weft.Variable(np.int64(5))

    @weft.function
    def f(x: Any) -> Any:
        weft.summary.scalar("outer", x)
        with inner.as_default(step=step + 1):
            weft.summary.scalar("inner", x)
        inner.flush()
        return x

    f(np.float32(0))  # writes to `inner` alone, as there is no other
    for value, writer in enumerate(writers[:2], 1):
        with writer.as_default(10 * value):
            f(np.float32(value))
    assert written(writers[0]) == [(10, "outer", 1)]
    assert written(writers[1]) == [(20, "outer", 2)]
    assert written(inner) == [(6, "inner", 0), (6, "inner", 1), (6, "inner", 2)]


def test_defaults_are_given_and_taken_back(writer: Writer, tmp_path: Path) -> None:
    writer.set_as_default()
    try:
        weft.summary.set_step(weft.Variable(np.int64(3)))
        weft.summary.scalar("a", 1.5)
        asked: list[bool] = []
        with weft.summary.record_if(lambda: bool(asked.append(True))):
            weft.summary.scalar("b", 1.5)
        assert asked == [True]
        assert weft.summary.should_record_summaries()
    finally:
        weft.summary.writers._defaults.base = weft.summary.writers.Setting()
    assert not weft.summary.should_record_summaries()
    weft.summary.scalar("c", 1.5)  # nowhere, and that is no error
    assert written(writer) == [(3, "a", 1.5)]


def decoded(file: bytes, shape: tuple[int, ...], dtype: str) -> Any:
    """The pixels of a picture as `png` writes them."""
    start = file.index(b"IDAT") + 4
    size = int.from_bytes(file[start - 8 : start - 4], "big")
    rows = np.frombuffer(zlib.decompress(file[start : start + size]), np.uint8).reshape(shape[0], -1)
    assert not rows[:, 0].any()
    return np.ascontiguousarray(rows[:, 1:]).view(dtype).reshape(shape)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "bool"])
def test_pictures(writer: Writer, channels: int, dtype: str) -> None:
    pixels = (np.arange(5 * 4 * 3 * channels).reshape(5, 4, 3, channels) * 7) % 256
    data = (pixels / 255 if dtype == "float32" else pixels % 2 if dtype == "bool" else pixels).astype(dtype)
    with writer.as_default(1):
        weft.summary.image("p", data, max_outputs=2)
    ((_, _, value),) = written(writer)
    assert value.tolist()[:2] == [b"3", b"4"]
    assert len(value) == 4
    wanted = data[1] * np.uint8(255) if dtype == "bool" else pixels[1]
    assert np.array_equal(decoded(value[3], (4, 3, channels), ">u2" if dtype == "uint16" else "u1"), wanted)


def test_kinds_of_data(writer: Writer) -> None:
    with writer.as_default(2):
        weft.summary.scalar("bool", True)
        weft.summary.scalar("bfloat16", weft.bfloat16(1.5))
        weft.summary.scalar("nan", np.nan)
        weft.summary.scalar("variable", weft.Variable(2.5), step=np.int32(7))
        weft.summary.histogram("none", np.zeros((0, 2)))
        weft.summary.image("cut", np.array([[[[np.nan], [-1.0], [2.0]]]]))
        weft.summary.text("table", [["a", "b"]])
        weft.summary.write("mine", np.arange(3))
    found = {tag: (step, value) for step, tag, value in written(writer)}
    assert found["bool"] == (2, 1)
    assert found["bfloat16"] == (2, 1.5)
    assert np.isnan(found["nan"][1])
    assert found["variable"] == (7, 2.5)
    assert not found["none"][1].any()
    assert decoded(found["cut"][1][2], (1, 3, 1), "u1").ravel().tolist() == [0, 0, 255]
    assert found["table"][1].tolist() == [[b"a", b"b"]]
    assert found["mine"][1].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("write", "error", "message"),
    [
        (lambda s: s.scalar("a", 1.0), ValueError, r"scalar\('a'\): nothing says which step it is: give step="),
        (lambda s: s.scalar("a", 1.0, 1.5), TypeError, r"a step is an integer, and not 1\.5"),
        (lambda s: s.scalar("a", [1.0], 1), ValueError, r"one number, and the data have the shape \(1,\)"),
        (lambda s: s.scalar("a", 1j, 1), TypeError, r"real numbers, and the data are of dtype complex128"),
        (lambda s: s.scalar(3, 1.0, 1), TypeError, r"a name is a text, and not 3"),
        (lambda s: s.histogram("a", [np.nan, 1], 1), ValueError, r"1 of 2 elements are NaN or infinite"),
        (lambda s: s.image("a", np.zeros((8, 8)), 1), ValueError, r"and not \(8, 8\); one picture x is x\[None\]"),
        (lambda s: s.image("a", np.zeros((1, 2, 2, 1), int), 1), TypeError, r"uint8, uint16, or floats .* int64"),
        (lambda s: s.text("a", 3, 1), TypeError, r"of texts, and not of 3"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_compiled", [False, True])
def test_what_is_refused(writer: Writer, write: Any, error: Any, message: str, is_compiled: bool) -> None:
    call = weft.function(lambda: write(weft.summary)) if is_compiled else lambda: write(weft.summary)
    with writer.as_default(), pytest.raises(error, match=message):
        call()
    assert written(writer) == []


def test_writers_say_what_is_wrong(writer: Writer, tmp_path: Path) -> None:
    for make, name in (
        (lambda: weft.summary.create_file_writer(tmp_path), "create_file_writer"),
        (writer.set_as_default, "set_as_default"),
        (lambda: weft.summary.set_step(1), "set_step"),
        (weft.summary.should_record_summaries, "should_record_summaries"),
    ):
        with pytest.raises(TypeError, match=f"{name} in a compiled function would happen while tracing only"):
            weft.function(make)()
    with pytest.raises(TypeError, match="a file in a directory, not in None"):
        weft.summary.create_file_writer(None)  # type: ignore[arg-type]
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        weft.summary.create_file_writer(tmp_path / "file")
    writer.close()
    writer.close()
    with writer.as_default(1), pytest.raises(ValueError, match=r"v2'> is closed: nothing can be written"):
        weft.summary.scalar("a", 1.0)


def test_events_reach_the_file_by_number_by_time_and_at_the_end(tmp_path: Path) -> None:
    for options, seen in ({"max_queue": 2}, 3), ({"flush_millis": 0}, 4), ({}, 0):
        writer = weft.summary.create_file_writer(tmp_path, **options)
        with writer.as_default():
            for step in range(4):
                weft.summary.scalar("a", 1.0, step)
        events = list(event_file_loader.EventFileLoader(writer.path).Load())
        assert len(events) - 1 == seen, options
        assert len(written(writer)) == 4


PROGRAM = """
import sys
import weft
class Without:
    def find_spec(self, name, *rest):
        if name.split(".")[0] == "tensorboard":
            raise ImportError("there is none")
sys.meta_path.insert(0, Without())
weft.function(lambda x: weft.summary.scalar("a", x, 1))(1.0)
weft.summary.create_file_writer(sys.argv[1])
"""


def test_without_tensorboard(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    last = run.stderr.strip().splitlines()[-1]
    said = "weft.summary needs the package tensorboard, which cannot be imported (there is none): "
    assert last.endswith(f'{said}pip install "weft[tensorboard]"')
    assert "MissingPackageError" in last
