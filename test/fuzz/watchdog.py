"""A worker process that may crash or hang: what it was asked for is then a failure, and another one is started."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent
_OWN = str(TESTS.parent)
_PLACE = re.compile(r'File "([^"]+)", line \d+ in (\S+)')
LIFE = 1500
"""How many programs a process runs: what it keeps for good does not pile up."""


class Worker:
    """A process of `worker.py`, started when it is needed."""

    def __init__(self, *options: str, limit: float = 30.0, first_limit: float = 120.0) -> None:
        self._options = options
        self._limit = limit
        self._first_limit = first_limit
        """The first program waits for imports, too."""
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None
        self._asked = 0

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request; the outcome "crashed" or "hanging" where there is none."""
        if self._asked >= LIFE:
            self.stop()
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        limit = self._limit if self._asked else self._first_limit
        self._asked += 1
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            return self._dead(request)
        readable, _, _ = select.select([process.stdout], [], [], limit)
        if not readable:
            process.send_signal(signal.SIGABRT)  # the fault handler tells where it is
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
            return self._without_answer(request, "hanging", f"no end in {limit:.0f} s")
        line = process.stdout.readline()
        if not line:
            return self._dead(request)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
            self._errors.close()
        self._asked = 0

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (it is closed with the process)
            environment = os.environ | {"WEFT_CACHE": "0", "PYTHONPATH": str(TESTS)}
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.worker", *self._options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=TESTS,
                env=environment,
            )
        return self._process

    def _dead(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process is not None
        status = self._process.wait()
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        return self._without_answer(request, "crashed", name)

    def _without_answer(self, request: dict[str, Any], outcome: str, kind: str) -> dict[str, Any]:
        self._errors.seek(0)
        told = self._errors.read().decode(errors="replace")
        self.stop()
        _, _, stack = told.rpartition("(most recent call first)")
        places = [place for place in _PLACE.findall(stack) if "weft" in place[0] or _OWN in place[0]]
        where = ", ".join(f"{Path(file).name}: {name}" for file, name in places[:1])
        text = request.get("text", "")
        return {
            "outcome": outcome,
            "kind": f"{kind} in {where}",
            "detail": stack[:2500],
            "call": 0,
            "text": text,
        }


__all__ = ["Worker"]
