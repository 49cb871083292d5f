"""The ways from an object to another one that is no entry and no attribute of it, and that nothing replaces."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import Any

from ...dialect.records import dataclass

_HIDDEN: dict[str, Callable[[Any], Any]] = {
    "the mapping": lambda owner: gc.get_referents(owner)[0],
    "the referent": lambda owner: owner(),
    "what it stands for": lambda owner: owner.__init__.__self__,
}
"""Ways that are no attributes; a view of a dict, and a proxy of one, let nobody ask for the dict itself."""


@dataclass(frozen=True)
class Link:
    """One way, by the attribute that it is, or in words."""

    name: str

    def get(self, owner: Any) -> Any:
        """What it leads to; raises what Python raises where there is no such way."""
        found = _HIDDEN.get(self.name)
        return getattr(owner, self.name) if found is None else found(owner)

    def after(self, owner: str) -> str:
        """What messages call what it leads to."""
        return owner if self.name in _UNNAMED else f"{owner}.{self.name}"


_UNNAMED = frozenset(
    {
        "the mapping",
        "the referent",
        "what it stands for",
        "__self__",
        "__func__",
        "func",
        "args",
        "keywords",
        "args ",
    }
)
"""Ways that a program does not write down: what they lead to is called as what leads there."""


@functools.cache
def link(name: str) -> Link:
    """The way of a name."""
    return Link(name)
