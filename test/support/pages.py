"""Reading pages: the data in one, and the lines of its stages that are for a line of the program."""

from __future__ import annotations

import base64
import json
import re
import zlib
from itertools import accumulate
from pathlib import Path
from typing import Any


def data_in(path: Path) -> dict[str, Any]:
    """The data of a page."""
    match = re.search(
        r'<script type="application/json" id="data" data-kind="(\w+)">(.*?)</script>',
        path.read_text(),
        re.DOTALL,
    )
    assert match is not None
    if match[1] == "plain":
        return json.loads(match[2])  # type: ignore[no-any-return]
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(match[2])))
    _unpack(data, data.pop("lines").split("\n"))
    return data


def _unpack(node: Any, lines: list[str]) -> None:
    """Write code where a packed page has rows of a table, and the numbers in them."""
    if isinstance(node, dict) and "rows" in node:
        rows, numbers = accumulate(node.pop("rows")), accumulate(node.pop("numbers"))
        code = "\n".join(lines[row] for row in rows)
        node["text"] = re.sub("\0", lambda _: str(next(numbers)), code)
        assert next(numbers, None) is None
    for each in node.values() if isinstance(node, dict) else node:
        if isinstance(each, (dict, list)):
            _unpack(each, lines)


def lines_for(data: dict[str, Any], thing: dict[str, Any], line: int, file: int = 0) -> list[str]:
    """The lines of a stage, a function or a hunk that a line of the program became."""
    place = data["places"].index([file, line])
    return [
        text
        for text, number in zip(thing["text"].split("\n"), thing["links"], strict=True)
        if place in data["sets"][number]
    ]


def stage(data: dict[str, Any], name: str) -> dict[str, Any]:
    """A stage of a page."""
    (found,) = (stage for stage in [*data["stages"], *data["machine"]] if stage["name"] == name)
    assert isinstance(found, dict)
    return found


def line_of(text: str, file: str) -> int:
    """The number of the first line of a file that contains a text."""
    lines = Path(file).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
