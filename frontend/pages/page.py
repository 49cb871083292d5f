"""The page of a compiled function: every stage beside the Python lines, in one file for a browser."""

from __future__ import annotations

import html
import json
import os
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.sizes import Size
from ..source.modules import told
from .excerpts import excerpts
from .linked_text import Line, Place
from .machine_text import MachineFunction
from .packing import packed
from .pass_changes import Change, Hunk
from .stages import MACHINE, SHOWN, stages_of

if TYPE_CHECKING:
    from ..calls.concrete import ConcreteFunction

PLAIN = 48 << 10
"""Up to so many characters the data of a page are readable in it; more is compressed."""

MOST = 4 << 20
"""The largest page that is written unless a larger one is asked for: browsers become slow."""

CHANGED = 120_000
"""How many lines of what passes changed a page has, in the order of the passes: some 600 kB."""

SCRIPTS = ("graphs.js", "instructions.js", "page.js")

_HERE = Path(__file__).parent

Json = dict[str, Any]


def save_html(
    concrete: ConcreteFunction,
    path: str | os.PathLike[str],
    stages: Sequence[str] | None,
    passes: bool,
    max_bytes: int | None,
) -> int:
    """Write the page of a compiled function to a file; returns its size in bytes."""
    if not isinstance(path, (str, os.PathLike)):
        raise WeftTypeError(f"save_html writes to a path, not to {path!r}")
    page = page_of(concrete, stages, passes).encode()
    if max_bytes is not None and len(page) > max_bytes:
        raise WeftValueError(
            f"the page of {concrete.name} would have {len(page):,} bytes, more than the {max_bytes:,} of max_bytes: "
            f'leave out what passes change (passes=False), name the stages that you want (stages=["weft", "asm"]), '
            f"or let it be as large as it is (max_bytes=None)"
        )
    Path(path).write_bytes(page)
    return len(page)


def page_of(concrete: ConcreteFunction, stages: Sequence[str] | None = None, passes: bool = True) -> str:
    """The page of a compiled function as text."""
    return render(data_of(concrete, stages, passes))


def render(data: Json) -> str:
    """The file for some data: markup, style and code, which are files beside this one."""
    kind = "plain"
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace(
        "<", "\\u003c"
    )  # no markup begins in it
    if len(text) > PLAIN:
        kind, text = "packed", packed(data)
    parts = {
        "title": html.escape(f"{data['name']} · weft"),
        "style": (_HERE / "page.css").read_text(encoding="utf-8"),
        "kind": kind,
        "data": text,
        "code": "".join((_HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
    }
    page = (_HERE / "page.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        before, _, after = page.partition(f"{{{{{name}}}}}")
        page = before + part + after
    return page


def data_of(concrete: ConcreteFunction, stages: Collection[str] | None = None, passes: bool = True) -> Json:
    """All that the page of a compiled function shows."""
    if stages is not None:
        unknown = [stage for stage in stages if stage not in SHOWN and stage not in MACHINE]
        if isinstance(stages, str) or unknown:
            shown = stages if isinstance(stages, str) else unknown[0]
            raise WeftValueError(
                f"save_html: stages is a list of {', '.join([*SHOWN, *MACHINE])}, and {shown!r} is none of them"
                if not isinstance(stages, str)
                else f'save_html: stages is a list: write stages=["{shown}"]'
            )
    recording = concrete._recording()
    found = stages_of(recording, stages, passes)
    table = _Table(_own_place(concrete))
    notes = [
        {"kind": said.kind, "place": table.place((said.file, line)) if line else None, "text": said.sentence}
        for said in concrete.explain().decisions
        for line in (said.lines or (said.line,))
    ]
    changes = _first_of(found.changes)
    if len(changes) < len(found.changes):
        found.unwatched.append(
            f"passes behind {changes[-1].name} are left out: a page has {CHANGED:,} lines of what they change"
        )
    data: Json = {
        "name": concrete.name,
        "signature": concrete.pretty_printed_signature(),
        "target": _target_name(recording.target),
        "made": time.strftime("%Y-%m-%d %H:%M"),
        "stages": [
            {"name": name, "help": SHOWN[name], **table.lines(lines)} for name, lines in found.texts.items()
        ],
        "machine": [
            {
                "name": name,
                "help": MACHINE[name],
                "functions": [_function(f, table) for f in functions],
                "missing": found.missing.get(name, []),
            }
            for name, functions in found.machine.items()
        ],
        "passes": [_change(change, table) for change in changes],
        "unwatched": found.unwatched,
        "llvm": [[name, round(1e3 * seconds, 2)] for name, seconds in found.llvm_seconds],
        "notes": notes,
        **_figures(concrete, table),
    }
    data["files"] = table.files()
    data["places"] = table.places
    data["sets"] = table.sets
    return data


def _target_name(target: str) -> str:
    from ...backend.target import named

    return named(target).cpu if target == "native" else target


def _own_place(concrete: ConcreteFunction) -> Place | None:
    """Where the function begins, if it is one of Python's."""
    function: Any = concrete._function
    python_function = function.python_function
    code = getattr(told(python_function, "__func__", python_function), "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)


class _Table:
    """Numbers places, and sets of them, as a page has thousands of lines that come from a few."""

    def __init__(self, own: Place | None) -> None:
        self._numbers: dict[Place, int] = {}
        self._names: list[str] = []
        self._sets: dict[tuple[int, ...], int] = {(): 0}
        self._own = own
        if own is not None:
            self._file(own[0])

    @property
    def places(self) -> list[list[int]]:
        """For each place its file and line."""
        return [[self._file(file), line] for file, line in self._numbers]

    @property
    def sets(self) -> list[list[int]]:
        """Places that some lines come from; the first set is empty."""
        return [list(one) for one in self._sets]

    def _file(self, name: str) -> int:
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def place(self, place: Place) -> int:
        """The number of a place."""
        self._file(place[0])
        return self._numbers.setdefault(place, len(self._numbers))

    def lines(self, lines: Iterable[Line]) -> Json:
        """Lines as data: their text, and for each the number of its set."""
        lines = list(lines)
        links = []
        for line in lines:
            here = tuple(self.place(place) for place in line.places)
            links.append(self._sets.setdefault(here, len(self._sets)))
        return {"text": "\n".join(line.text for line in lines), "links": links}

    def files(self) -> list[Json]:
        """What is shown of the user's files, that of the function first."""
        wanted: dict[str, set[int]] = {name: set() for name in self._names}
        for file, line in self._numbers:
            wanted[file].add(line)
        if self._own is not None:
            wanted[self._own[0]].add(self._own[1])
        return [
            {
                "name": os.path.basename(name) or name,
                "path": name,
                "parts": [[part.first, list(part.lines)] for part in excerpts(name, wanted[name])],
            }
            for name in self._names
        ]


def _function(function: MachineFunction, table: _Table) -> Json:
    """A function in assembly as data."""
    return {
        "name": function.name,
        **table.lines(function.lines),
        "instructions": function.instructions,
        "bits": function.vector_bits,
        "spills": function.spills,
        "reloads": function.reloads,
        "resources": None if (takes := function.resources) is None else vars(takes),
        "loops": [
            [
                loop.label,
                loop.first,
                loop.instructions,
                loop.read,
                loop.written,
                loop.vector_bits,
                loop.throughput,
            ]
            for loop in function.loops
        ],
    }


def _first_of(changes: Sequence[Change]) -> Sequence[Change]:
    """Those that a page has room for, one at least."""
    lines = 0
    for number, change in enumerate(changes):
        lines += sum(len(hunk.lines) for hunk in change.hunks)
        if lines > CHANGED:
            return changes[: max(number, 1)]
    return changes


def _change(change: Change, table: _Table) -> Json:
    """What a pass changed as data."""
    return {
        "stage": change.stage,
        "name": change.name,
        "options": change.options,
        "ms": round(1e3 * change.seconds, 2),
        "counts": [f"{count:,} {what}" for what, count in change.statistics if count],
        "added": change.added,
        "removed": change.removed,
        "left": change.left_out,
        "hunks": [{**_hunk(hunk, table), "rules": change.rules(hunk)} for hunk in change.hunks],
        "rewrites": [
            {"name": one.name, "hunks": [_hunk(hunk, table) for hunk in one.hunks]} for one in change.rewrites
        ],
    }


def _hunk(hunk: Hunk, table: _Table) -> Json:
    """Lines that changed as data."""
    return {"function": hunk.function, "kinds": hunk.kinds, **table.lines(hunk.lines)}


_COUNTS = ("calls", "flops", "transcendentals", "bytes_read", "bytes_written")


def _figure(size: Size) -> int | str:
    """A count, or its formula."""
    return size if isinstance(size, int) else str(size)


def _figures(concrete: ConcreteFunction, table: _Table) -> Json:
    """Costs, memory and times."""
    cost, memory = concrete.cost_analysis(), concrete.memory_analysis()
    kernels = [
        {
            "name": kernel.name,
            "figures": [_figure(getattr(kernel, count)) for count in _COUNTS],
            "places": [table.place(place) for place in map(_place_of, kernel.lines) if place is not None],
        }
        for kernel in cost.kernels
    ]
    sizes = [
        ["arguments", memory.argument_bytes],
        ["results", memory.result_bytes],
        ["workspace", memory.workspace_bytes],
        ["peak", memory.peak_bytes],
    ]
    return {
        "cost": {
            "kernels": kernels,
            "total": [_figure(sum(getattr(kernel, count) for kernel in cost.kernels)) for count in _COUNTS],
            "unknown": list(cost.unknown),
            "python": [list(call) for call in cost.python_calls],
            "device": [] if cost.device is None else str(cost.device).splitlines(),
        },
        "memory": {
            "sizes": sizes,
            "blocks": memory.heap_blocks,
            "copies": memory.copies,
            "buffers": [
                [
                    buffer.where,
                    buffer.offset,
                    buffer.bytes,
                    buffer.start,
                    buffer.end,
                    None if (place := _place_of(buffer.line)) is None else table.place(place),
                ]
                for buffer in memory.buffers
            ],
        },
        "times": [
            [depth, name, round(1e3 * seconds, 2)] for depth, name, seconds in concrete.compile_times.rows()
        ],
        "total": round(1e3 * concrete.compile_times.total, 2),
    }


def _place_of(text: str) -> Place | None:
    """The place that analyses tell as text.

    >>> _place_of("model.py:3")
    ('model.py', 3)
    """
    file, _, line = text.rpartition(":")
    return (file, int(line)) if file and line.isdecimal() else None
