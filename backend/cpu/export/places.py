"""Where a location of MLIR is, for people."""

from __future__ import annotations

import re

_PLACE = re.compile(r'"([^"]*)":(\d+)')


def place_text(location: str) -> str:
    """File and line of a location, the innermost ones, as far as it tells any.

    >>> place_text('loc("f.py":3:5)'), place_text("loc(unknown)")
    ('f.py:3', '')
    """
    found = _PLACE.search(location)
    return f"{found[1]}:{found[2]}" if found else ""
