"""In tests, MLIR's verifier runs after the passes, and nothing is taken from the disk cache."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

os.environ.setdefault("WEFT_VERIFY", "1")
os.environ["WEFT_CACHE"] = "0"
# A job in the background of a script inherits that interrupts are ignored, and so would the programs that tests
# interrupt: a process that handles them starts others which take them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--fast`, `--cpu-seconds`, `--check-handles` and `--device`."""
    parser.addoption(
        "--fast",
        action="store_true",
        help="run one test of every folder: each room once",
    )
    parser.addoption(
        "--cpu-seconds",
        type=int,
        help="tell in the end what the tests of so many files cost, and all together",
    )
    parser.addoption(
        "--check-handles", action="store_true", help="raise where a handle of an erased op of MLIR is used"
    )
    parser.addoption(
        "--device",
        help="run functions that name no device there: cuda, with WEFT_CUDA=emulator where there is none",
    )


def pytest_configure(config: pytest.Config) -> None:
    """With `--device`, tell weft, before a test imports it, and the processes that tests start.

    With `--cpu-seconds`, begin to count.
    """
    if config.getoption("--device"):
        os.environ["WEFT_DEVICE"] = config.getoption("--device")
        # What tests of behaviour do is little work, of which weft says that it is better done on the processor.
        config.addinivalue_line("filterwarnings", "ignore:.*the host does this")
        # Nor is there a GPU for each rank.
        config.addinivalue_line("filterwarnings", "ignore:.*have the same GPU")
    if config.getoption("--cpu-seconds"):
        from support.cpu_seconds import CpuSeconds

        config.pluginmanager.register(CpuSeconds(config.getoption("--cpu-seconds")))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """With `--check-handles`, run every test so that handles of erased ops are noticed."""
    if not item.config.getoption("--check-handles"):
        return (yield)
    from support.erased_handles import checked_handles

    with checked_handles():
        return (yield)


_FOLDER = Path(__file__).parent
_OF_VALUES = (
    *(_FOLDER / name for name in ("dialect", "frontend", "passes", "programs/guides", "test_docs.py")),
    _FOLDER.parent / "integrations" / "keras_weft",
)
"""Folders and files whose tests are about what programs compute, and not about the code."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Compile the functions of tests of values in a third of the time, unless these are marked as `optimised`.

    Most of those in some folders are interpreted, unless they are marked as `compiled`, or as of a `processor`.
    """
    from support.quick_code import quick_code, some_verified
    from support.value_tests import interpreting

    is_of_values = any(map(item.path.is_relative_to, _OF_VALUES))
    is_quick = is_of_values and not item.get_closest_marker("optimised")
    with quick_code() if is_quick else some_verified(), interpreting(item):
        return (yield)


def pytest_collection_finish() -> None:
    """Leave the tests themselves, ten thousands of objects, out of what the garbage collector looks at.

    It looks less often than after every 700 new objects, too: a compilation makes more, and leaves few circles.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `--fast`, read one file of each folder: the first that is not marked as slow, or as soak, as a whole."""
    if not config.getoption("--fast") or not collection_path.match("test_*.py"):
        return None
    from support.fast import first_file

    return True if first_file(collection_path.parent) != collection_path else None


@pytest.hookimpl(tryfirst=True)  # before what -m asks for is chosen by the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--fast`, keep the first test of each folder that is not marked as slow; with `--device`, what is of any.

    What is marked as forks comes first. What is marked as soak runs where that is asked for, with those of what is
    marked as sampled that are in no sample.
    """
    from support.sampling import left_to_soak

    for item in left_to_soak(items):
        item.add_marker("soak")
    if "soak" not in config.getoption("-m"):
        _keep(config, items, [item for item in items if item.get_closest_marker("soak") is None])
    if config.getoption("--device"):
        _keep(config, items, [item for item in items if item.get_closest_marker("processor") is None])
    items.sort(key=lambda item: item.get_closest_marker("forks") is None)
    if not config.getoption("--fast"):
        return
    first: dict[object, pytest.Item] = {}
    for item in items:
        if item.get_closest_marker("slow") is None:
            first.setdefault(item.path.parent, item)
    _keep(config, items, list(first.values()))


def _keep(config: pytest.Config, items: list[pytest.Item], chosen: Iterable[pytest.Item]) -> None:
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
