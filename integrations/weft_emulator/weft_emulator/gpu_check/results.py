"""Lines of JSON, one for each result, in the folder that comes back and beside the programs."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

NAME = "results.jsonl"
Line = dict[str, Any]


class Results:
    """Lines in files of some folders; those of parts that run again are written anew.

    The first folder is that of the programs: what a run leaves there is known to the next one on the same machine.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._paths = list(dict.fromkeys(folder.resolve() / NAME for folder in folders))
        self.folder = self._paths[-1].parent
        self._lock = threading.Lock()
        self.lines: list[Line] = []
        for path in self._paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        self.lines = merged([read_lines(path) for path in reversed(self._paths) if path.exists()])
        self._write()

    def forget(self, is_old: Callable[[Line], bool]) -> None:
        """Leave out lines that are measured again."""
        self.lines = [line for line in self.lines if not is_old(line)]
        self._write()

    def say(self, line: Mapping[str, Any]) -> None:
        """Add a line, at once: what follows may end everything."""
        with self._lock:
            self.lines.append(dict(line))
            shown = {name: value for name, value in line.items() if name != "results"}
            print(json.dumps(shown), flush=True)
            for path in self._paths:
                with path.open("a") as file:
                    file.write(json.dumps(line) + "\n")

    def _write(self) -> None:
        text = "".join(json.dumps(line) + "\n" for line in self.lines)
        for path in self._paths:
            path.write_text(text)


def read_lines(path: Path) -> list[Line]:
    """The lines of a file, or of that in a folder; one that was cut off is left out."""
    lines = []
    for text in (path / NAME if path.is_dir() else path).read_text().splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:  # the machine was taken away
            continue
    return [line for line in lines if isinstance(line, dict) and "part" in line]


def merged(runs: Iterable[Sequence[Line]]) -> list[Line]:
    """The lines of several runs: the last of each program in each part, if it is no less than another.

    >>> one, other = {"part": "speed", "program": "sum", "ok": True}, {"part": "speed", "program": "sum", "not_run": ""}
    >>> merged([[one], [other]]) == [one]
    True
    """
    found: dict[tuple[str, ...], Line] = {}
    for line in (line for lines in runs for line in lines):
        key = tuple(str(line.get(name, "")) for name in ("part", "tool", "peer", "how", "program"))
        if key not in found or "not_run" not in line:
            found[key] = line
    return list(found.values())


__all__ = ["NAME", "Line", "Results", "merged", "read_lines"]
