"""Programs in other processes: one that dies, hangs or breaks the device does not keep the others from running."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
"""Where the package lies, and workers are started."""
RESTART = 75
"""The exit code of a worker that has told what is wrong, and cannot go on."""
NO_TIME = "there was no time left for it"
_FOUND = 9
"""That of compute-sanitizer where it has found something."""

Say = Callable[[Mapping[str, Any]], None]


def run_batch(
    command: Sequence[str],
    names: Sequence[str],
    seconds_each: float,
    seconds: float,
    say: Say,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a worker with names, which says a line for each; if it ends before, another one goes on behind that name.

    What takes longer than `seconds_each` is wrong; what `seconds` for all of them leave no time for is not run.
    """
    rest, end = list(names), time.monotonic() + seconds
    while rest:
        if end - time.monotonic() <= 0:
            for name in rest:
                say({"program": name, "not_run": NO_TIME})
            return
        done = _run_some(command, rest, seconds_each, end, say, environment)
        rest = rest[done:]


def _run_some(
    command: Sequence[str],
    names: Sequence[str],
    seconds_each: float,
    end: float,
    say: Say,
    environment: Mapping[str, str] | None,
) -> int:
    """Run one worker until it ends; how many of the names are done with then, at least one."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [*command, "--only", *names],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
            start_new_session=True,
        )
        lines: queue.Queue[str] = queue.Queue()
        reader = threading.Thread(target=_pass_on, args=(process.stdout, lines), daemon=True)
        reader.start()
        done = 0
        try:
            while done < len(names):
                left = min(seconds_each, end - time.monotonic())
                try:
                    text = lines.get(timeout=max(left, 0.01))
                except queue.Empty:
                    say({"program": names[done], **_over(left, seconds_each)})
                    return done + 1
                if text == "":
                    break
                line = _parsed(text)
                if line is not None:
                    say(line)
                    done += 1
        finally:
            _end(process)
            reader.join()
        if done < len(names) and (process.returncode != RESTART or done == 0):
            errors.seek(0)
            last = " | ".join(errors.read().strip().splitlines()[-3:])
            what = f"the process ended with {_described(process.returncode)}"
            say({"program": names[done], "ok": False, "error": f"{what}: {last}" if last else what})
            done += 1
        return done


def _over(seconds: float, seconds_each: float) -> dict[str, Any]:
    """What is said of a program that was ended after some seconds: it is wrong if it had all that it may have."""
    if seconds < seconds_each:
        return {"not_run": f"it was ended after {max(seconds, 0):.0f} s, as there was no time left"}
    return {"ok": False, "error": f"it takes more than {seconds:.0f} s"}


def _pass_on(stream: Any, lines: queue.Queue[str]) -> None:
    """Put the lines of a stream into a queue, and an empty one at its end."""
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")


def _parsed(text: str) -> dict[str, Any] | None:
    """A line of ours; None for what libraries print."""
    if text.startswith("{"):
        with contextlib.suppress(ValueError):
            line = json.loads(text)
            return line if isinstance(line, dict) and "program" in line else None
    return None


def _end(process: subprocess.Popen[str]) -> None:
    """Wait for a process that is at its end, or end it; and end what it has started, which may hold the pipe."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=5)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _described(code: int) -> str:
    """An exit code, or the signal that ended a process.

    >>> _described(-11), _described(3)
    ('SIGSEGV', 'exit code 3')
    """
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def run_sanitizer(
    sanitizer: str, tool: str, command: Sequence[str], name: str, seconds: float
) -> dict[str, Any]:
    """Run a program under compute-sanitizer: what it finds."""
    if seconds <= 0:
        return {"not_run": NO_TIME}
    with tempfile.TemporaryDirectory(prefix="weft-gpu-") as folder:
        log = Path(folder) / "log"
        own = ["--tool", tool, "--error-exitcode", str(_FOUND), "--print-limit", "8", "--log-file", str(log)]
        start = time.monotonic()
        try:
            done = subprocess.run(
                [sanitizer, *own, *command, "--only", name],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"not_run": f"{tool} takes more than {seconds:.0f} s"}
        found = log.read_text() if log.exists() else ""
        line: dict[str, Any] = {"ok": done.returncode == 0, "seconds": round(time.monotonic() - start, 1)}
        if done.returncode:
            text = found or done.stderr[-2000:] or done.stdout[-2000:]
            lines = [part.lstrip("= ") for part in text.splitlines()]
            line["error"] = (
                f"exit code {done.returncode}: " + " | ".join(part for part in lines if part)[:2000]
            )
        return line


_FOLDERS = ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute", "/usr/local/NVIDIA-Nsight-Compute")
"""Where NVIDIA's installers put tools that no path names."""


def find_tool(name: str) -> str | None:
    """Where a tool of NVIDIA's is."""
    found = shutil.which(name)
    if found:
        return found
    places = [place for folder in _FOLDERS for place in sorted(Path(folder).glob(f"**/{name}"), reverse=True)]
    return next((str(place) for place in places if place.is_file() and os.access(place, os.X_OK)), None)


@contextlib.contextmanager
def warm_up(modules: Sequence[str]) -> Iterator[None]:
    """Import libraries in another process meanwhile: the first import of one reads gigabytes from disk."""
    code = "import importlib, sys\nfor name in sys.argv[1:]:\n    importlib.import_module(name)"
    command, nothing = [sys.executable, "-c", code, *modules], subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=nothing, stderr=nothing) if modules else None
    try:
        yield
    finally:
        if process is not None:
            process.kill()
            process.wait()


__all__ = ["NO_TIME", "RESTART", "ROOT", "find_tool", "run_batch", "run_sanitizer", "warm_up"]
