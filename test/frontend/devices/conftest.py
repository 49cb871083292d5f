"""Two GPUs for the tests of this folder: the emulator stands for them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import weft
from weft.backend.gpu.devices import libraries
from weft.backend.gpu.driver.library import Library
from weft_emulator.library import Emulator


@pytest.fixture(scope="module")
def two_devices() -> Library:
    """A driver with two GPUs."""
    return Library(Emulator(devices=2).functions, "the emulator")


@pytest.fixture(autouse=True)
def emulator(two_devices: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the emulator stand for two GPUs."""
    monkeypatch.setitem(libraries._loaded, "emulator", two_devices)
    with weft.settings.scope(cuda="emulator"):
        yield
