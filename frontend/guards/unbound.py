"""What stands for the value of a name that has none."""

from __future__ import annotations

from typing import Any


class Unbound:
    """Stands for the value of a name that has none."""

    def __repr__(self) -> str:
        return "unbound"

    def __reduce__(self) -> str:
        return "UNBOUND"


UNBOUND: Any = Unbound()
