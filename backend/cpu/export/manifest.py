"""The manifest of a library: all that its header says, and more, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .interface import CFunction, Place
from .levels import level_text
from .library import Built
from .places import place_text

VERSION = 1


def manifest(built: Built, files: Mapping[str, str], producer: str) -> dict[str, Any]:
    """What is written as JSON."""
    library, target = built.library, built.target
    return {
        "weft_export": VERSION,
        "producer": producer,
        "name": library.name,
        "files": dict(files),
        "target": {
            "name": target.name,
            "triple": target.triple,
            "processor": target.cpu,
            "needs": sorted(target.needs or ()),
            "levels": list(map(level_text, built.levels)),
        },
        "calls": list(built.calls),
        "libraries": list(built.libraries),
        "symbols": list(library.symbols()),
        "checked": library.is_checked,
        "threads": library.has_threads,
        "functions": [_function(function) for function in library.functions],
        "state": [
            {"key": a.key, "name": a.name, "type": str(a.type), "offset": a.offset} for a in library.state
        ],
        "errors": [
            {
                "number": number,
                "error": site.error,
                "message": site.message,
                "place": place_text(site.location),
            }
            for number, site in enumerate(library.failures, start=1)
        ],
    }


def _function(function: CFunction) -> dict[str, Any]:
    return {
        "name": function.name,
        "state": function.uses_state,
        "arguments": [
            {"name": i.name, "type": str(i.type), "by": i.place.value, "written": i.is_written}
            for i in function.inputs
            if i.place in (Place.CALLER, Place.VALUE)
        ],
        "sizes": [
            {"result": output.name, "axis": axis}
            for output in function.sized
            for axis, extent in enumerate(output.type.shape)
            if extent is None
        ],
        "results": [
            {"name": o.name, "type": str(o.type), "memory": o.place.value}
            for o in function.outputs
            if o.place is not Place.STATE
        ],
        "same": [{"name": name, "as": words} for name, words in function.same],
    }
