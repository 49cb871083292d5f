"""What programs compute is tested with code that LLVM spends little time on, where a test does not say otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.quick_code import quick_code

_HERE = Path(__file__).parent
_OPTIMISED = ("indexing", "disk_cache")
"""Folders whose programs show wrong assumptions about memory only where LLVM makes use of them."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Compile the functions of a test of this folder in a third of the time, unless it is marked as `optimised`."""
    is_here = _HERE in item.path.parents and item.path.parent.name not in _OPTIMISED
    if not is_here or item.get_closest_marker("optimised"):
        return (yield)
    with quick_code():
        return (yield)
