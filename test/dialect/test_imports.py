"""What is imported when something is compiled."""

from __future__ import annotations

import gc
import weakref

import pytest

from weft.dialect.imports import uncollected


class Node:
    """Something that can be garbage."""

    def __init__(self) -> None:
        self.itself = self


def test_nothing_is_collected_meanwhile_and_everything_afterwards() -> None:
    with uncollected():
        assert not gc.isenabled()
        reference = weakref.ref(Node())
    assert gc.isenabled()
    gc.collect()
    assert reference() is None


def test_errors_leave_it_as_it_was() -> None:
    with pytest.raises(ImportError), uncollected():
        raise ImportError
    assert gc.isenabled()


def test_what_the_user_has_chosen_stays() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
    gc.freeze()
    frozen = gc.get_freeze_count()
    try:
        with uncollected():
            pass
        assert gc.get_freeze_count() == frozen
    finally:
        gc.unfreeze()
