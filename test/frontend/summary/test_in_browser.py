"""A graph in TensorBoard, in Chromium without a window: scopes are drawn, and open."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@weft.function
def halved(x: Any) -> Any:
    while x.sum() > 1:
        x = x * 0.5
        weft.summary.scalar("sum", x.sum(), 1)
    return x


@contextlib.contextmanager
def served(logdir: Path) -> Iterator[str]:
    """The address of a TensorBoard that shows a directory."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tensorboard.main", f"--logdir={logdir}", "--host=127.0.0.1"]
    server = subprocess.Popen([*command, f"--port={port}"], stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/data/runs") as answer:
                if b"." in answer.read():
                    break
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def test_the_graph_is_drawn_and_opens(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="needs tensorboard")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    if BROWSER is None:
        pytest.skip("needs chromium: apt install chromium")
    writer = weft.summary.create_file_writer(tmp_path)
    with writer.as_default():
        halved(np.array([4.0, 2.0]))
        weft.summary.graph(halved.get_concrete_function(weft.TensorSpec([None, 2])))
    writer.close()
    with served(tmp_path) as address, playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(f"{address}/#graphs")
        scope = page.locator('g.node[data-name="halved"] > g.nodeshape').first
        scope.wait_for(timeout=60_000)
        scope.dispatch_event("dblclick")
        line = page.locator('g.node[data-name$="_while_x.sum_1"] > g.nodeshape').first
        line.wait_for(timeout=60_000)
        browser.close()
        with urllib.request.urlopen(f"{address}/data/plugin/scalars/tags") as answer:
            assert b'"sum"' in answer.read()
