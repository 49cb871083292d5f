"""A script that judges IR: it gets the name of a file as its last argument, and ends with a status other than 0 where
the IR has the fault that is looked for."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..dialect.errors import WeftValueError

CANNOT_RUN = (126, 127)
"""What shells end with where they cannot run a command, or do not find it: that says nothing of the IR."""


@dataclass(frozen=True)
class Verdict:
    """What a script says of IR: how it ended (None where its time was over) and what it printed."""

    status: int | None
    output: str

    @property
    def fails(self) -> bool:
        """Whether the IR has the fault."""
        return self.status != 0

    def __str__(self) -> str:
        if self.status is None:
            return "its time was over"
        return f"signal {-self.status}" if self.status < 0 else f"status {self.status}"


@dataclass(frozen=True)
class Script:
    """The command of a script, in the words of a shell, and the seconds that it may take."""

    command: str
    seconds: float = 60.0

    def judge(self, text: str) -> Verdict:
        """Run the script on a text, in a file of its own.

        Raises `WeftValueError` where it cannot be run.
        """
        words = self._words()
        with tempfile.TemporaryDirectory(prefix="weft-") as folder:
            file = Path(folder) / "input.mlir"
            file.write_text(text, encoding="utf-8")
            try:
                done = subprocess.run(
                    [*words, str(file)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=self.seconds,
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                return Verdict(None, (error.stdout or b"").decode("utf-8", "replace"))
            except OSError as error:
                raise WeftValueError(
                    f"cannot run {words[0]}: {error.strerror}; it is to be a program, "
                    f"as a file that begins with #!/bin/sh and may be executed (chmod +x)"
                ) from error
        output = done.stdout.decode("utf-8", "replace")
        if done.returncode in CANNOT_RUN:
            raise WeftValueError(
                f"{self.command} ended with {done.returncode}, which says that a command was not found "
                f"or cannot be run, and nothing of the IR: {output.strip()}"
            )
        return Verdict(done.returncode, output)

    def _words(self) -> list[str]:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise WeftValueError(f"cannot read the command {self.command!r}: {error}") from error
        if not words:
            raise WeftValueError("the command of the script is empty")
        # A script of this folder is named as such: the system looks for bare names in PATH alone.
        if "/" not in words[0] and Path(words[0]).is_file():
            words[0] = str(Path(words[0]).resolve())
        return words
