"""Keras runs on weft in these tests, without the disk cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

os.environ["WEFT_CACHE"] = "0"
os.environ["KERAS_HOME"] = os.devnull  # settings are not read from the user's, nor written there

if find_spec("keras") is None:  # which needs a newer Python than weft does
    collect_ignore_glob = ["*"]
else:
    import keras_weft  # noqa: F401


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Compile in a third of the time, here and not in the tests of weft, of which workers ask all hooks."""
    if Path(__file__).parent not in item.path.parents:
        return (yield)
    from support.quick_code import quick_code
    from support.value_tests import interpreting

    with quick_code(), interpreting(item):
        return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is marked as soak runs where that is asked for, also when only these tests are started."""
    if "soak" in config.getoption("-m"):
        return
    left_out = [item for item in items if item.get_closest_marker("soak")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
