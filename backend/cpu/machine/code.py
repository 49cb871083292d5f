"""Machine code in memory: put there by ourselves where the format is known, else by LLVM's linker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ....passes.timing import phase
from .images import Image, NotLoadable

if TYPE_CHECKING:
    from .linking import LinkedLibrary


class Code:
    """Machine code in memory, freed with this object: whoever holds an address must hold it too.

    `addresses` are those of the functions that it calls and does not define. Raises `InternalError` where it calls
    others, or does not define what is to be exported.
    """

    def __init__(self, object_file: bytes, exports: Iterable[str], addresses: Mapping[str, int]) -> None:
        with phase("link"):
            self._owner = _loaded(object_file, exports, addresses)
            self._addresses = {name: self._owner.address(name) for name in exports}

    def address(self, name: str) -> int:
        """The address of an exported function or variable."""
        return self._addresses[name]


def _loaded(
    object_file: bytes, exports: Iterable[str], addresses: Mapping[str, int]
) -> Image | LinkedLibrary:
    try:
        return Image(object_file, addresses)
    except NotLoadable:
        from .linking import LinkedLibrary  # which loads LLVM

        return LinkedLibrary(object_file, exports, addresses)
