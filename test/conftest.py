"""In tests, MLIR's verifier runs after every pass, and nothing is taken from the disk cache."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("WEFT_VERIFY", "1")
os.environ["WEFT_CACHE"] = "0"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--fast`."""
    parser.addoption(
        "--fast", action="store_true", help="run one test of every file: each room once, in under two minutes"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--fast`, keep the first test of each file that is not marked as slow."""
    if not config.getoption("--fast"):
        return
    first: dict[object, pytest.Item] = {}
    for item in items:
        if item.get_closest_marker("slow") is None:
            first.setdefault(item.path, item)
    kept = set(first.values())
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
