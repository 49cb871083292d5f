"""Profiles for TensorBoard: what is in the file, and what its profile plugin makes of it and shows."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.browser import chromium, tensorboard
from weft.dialect.errors import WeftTypeError
from weft.passes.listening import listening

SCHEMA = {
    "XSpace": {1: "repeated XPlane planes", 4: "repeated string hostnames"},
    "XPlane": {
        1: "int64 id",
        2: "string name",
        3: "repeated XLine lines",
        4: "repeated EventName event_metadata",
        5: "repeated StatName stat_metadata",
        6: "repeated XStat stats",
    },
    "EventName": {1: "int64 key", 2: "XEventMetadata value"},
    "StatName": {1: "int64 key", 2: "XStatMetadata value"},
    "XEventMetadata": {1: "int64 id", 2: "string name", 4: "string display_name"},
    "XStatMetadata": {1: "int64 id", 2: "string name"},
    "XLine": {1: "int64 id", 2: "string name", 4: "repeated XEvent events", 11: "string display_name"},
    "XEvent": {
        1: "int64 metadata_id",
        2: "int64 offset_ps",
        3: "int64 duration_ps",
        4: "repeated XStat stats",
    },
    "XStat": {
        1: "int64 metadata_id",
        2: "double double_value",
        3: "uint64 uint64_value",
        5: "string str_value",
    },
}
"""The fields of XProf's `xplane.proto` that are written, for the reader of the package protobuf."""


def read(data: bytes) -> Any:
    """A profile, read by the package protobuf."""
    pytest.importorskip("google.protobuf", reason="needs protobuf")
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="planes.proto", package="p", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in SCHEMA.items():
        message = file.message_type.add(name=name)
        for number, text in fields.items():
            *repeated, kind, called = text.split()
            field = message.field.add(name=called, number=number)
            field.label = kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
            field.type = getattr(kinds, f"TYPE_{'MESSAGE' if kind in SCHEMA else kind.upper()}")
            if kind in SCHEMA:
                field.type_name = f".p.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    space = message_factory.GetMessageClass(pool.FindMessageTypeByName("p.XSpace"))()
    space.ParseFromString(data)
    return space


@weft.function
def scaled(x: Any) -> Any:
    y = np.exp(x) * 2
    return y / y.sum()


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[weft.profile, Path]:
    """A profile of two threads, and the file of it."""
    logdir = tmp_path_factory.mktemp("logs")
    with weft.profile(logdir=logdir) as p:
        scaled(np.ones(1000, np.float32))
        other = threading.Thread(target=lambda: scaled(np.ones(1000, np.float32)), name="feeder")
        other.start()
        other.join()
    (file,) = logdir.glob("plugins/profile/*/*.xplane.pb")
    return p, file


def test_all_spans_are_in_the_file_with_what_they_tell(profiled: tuple[weft.profile, Path]) -> None:
    p, file = profiled
    space = read(file.read_bytes())
    threads, environment = space.planes
    assert (threads.name, environment.name) == ("/host:CPU", "Task Environment")
    assert {line.name for line in threads.lines} == {threading.current_thread().name, "feeder"}
    names = {entry.key: entry.value for entry in threads.event_metadata}
    told = {entry.key: entry.value.name for entry in threads.stat_metadata}
    events = [event for line in threads.lines for event in line.events]
    assert sorted((names[event.metadata_id].display_name, event.duration_ps) for event in events) == sorted(
        [(span.name, 1000 * (span.end - span.begin)) for span in p.spans]
        + [(event.name, 0) for event in p.events]
    )
    kernel = next(event for event in events if names[event.metadata_id].name.endswith(":Kernel"))
    stats = {told[stat.metadata_id]: stat.str_value or stat.uint64_value for stat in kernel.stats}
    assert stats["function"] == "scaled"
    assert stats["source"].partition(":")[0] == Path(__file__).name or stats["source"].startswith(__file__)
    assert stats["bytes_accessed"] > 0
    begun = {told.metadata_id: told.uint64_value for told in environment.stats}
    assert begun[2] - begun[1] == p.end - p.start


def test_the_plugin_counts_kernels_by_lines(profiled: tuple[weft.profile, Path]) -> None:
    convert = pytest.importorskip(
        "xprof.convert.raw_to_tool_data", reason="needs xprof: pip install tensorboard-plugin-profile"
    )
    p, file = profiled
    data, _ = convert.xspace_to_tool_data([str(file)], "framework_op_stats", {})
    rows = [[cell["v"] for cell in row["c"]] for row in json.loads(data)[0]["rows"]]
    names = {row[3]: row[4] for row in rows if row[2] == "Kernel"}
    kernels = [span for span in p.spans if span.category == "kernel"]
    assert sum(names.values()) == len(kernels)
    assert all(name.startswith("scaled/test_planes.py_") for name in names)


def test_the_timeline_is_shown_in_a_browser(profiled: tuple[weft.profile, Path]) -> None:
    pytest.importorskip("xprof", reason="needs xprof: pip install tensorboard-plugin-profile")
    _, file = profiled
    with tensorboard(file.parents[3]) as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(f"{address}/#profile")
        frame = page.frame_locator("iframe").first
        frame.locator("mat-select").nth(1).click(timeout=60_000)
        frame.locator("mat-option", has_text="Trace Viewer").first.click()
        viewer = frame.frame_locator("iframe").first
        viewer.get_by_text("feeder").first.wait_for(timeout=60_000)


def test_each_profile_is_a_run_of_its_own(tmp_path: Path) -> None:
    for _ in range(2):
        with weft.profile(logdir=tmp_path):
            pass
    assert len(list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))) == 2


def test_folders_that_cannot_be_made_are_told_at_the_beginning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError), weft.profile(logdir=tmp_path / "file"):
        raise AssertionError("the block is not reached")
    assert listening.listener is None
    with pytest.raises(WeftTypeError, match=r"logdir of weft\.profile is a folder, not 3: write with"):
        weft.profile(logdir=3)  # type: ignore[arg-type]
