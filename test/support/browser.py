"""A browser without a window, and servers whose pages it opens; tests without them are skipped, with the reason."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Chromium, as playwright drives it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("needs chromium: apt install chromium")
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@contextlib.contextmanager
def served(command: Sequence[str], asked: str, expected: bytes) -> Iterator[str]:
    """The address of a server that runs as a module of Python, once one of its pages has a text."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", *command, f"--port={port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), urllib.request.urlopen(address + asked) as answer:
                if expected in answer.read():
                    break
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def tensorboard(logdir: Path) -> contextlib.AbstractContextManager[str]:
    """The address of a TensorBoard that shows a folder."""
    pytest.importorskip("tensorboard", reason="needs tensorboard")
    command = ["tensorboard.main", f"--logdir={logdir}", "--host=127.0.0.1"]
    return served(command, "/data/plugins_listing", b"graphs")
