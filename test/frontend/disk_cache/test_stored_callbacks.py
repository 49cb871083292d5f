"""Functions of this package that programs call: a program from disk calls them as the one that was stored."""

from __future__ import annotations

from unittest import mock

import numpy as np

from weft.dialect.callbacks import gives_declared, takes_numbers, with_declared
from weft.frontend.disk_cache.pickling import pickled
from weft.frontend.disk_cache.unpickling import unpickled
from weft.frontend.runtime_values.outside_traces import all_compute, only_computes, outside_traces


def test_callbacks_keep_what_they_are_marked_as() -> None:
    """Machine code calls those that take numbers in a shorter way."""
    paths = mock.Mock(path_of=lambda value: None, known_path=lambda value: None)
    marked = only_computes(with_declared(outside_traces(lambda number: [number + 1], "increment")))
    made = unpickled(pickled(marked, paths), paths)
    assert takes_numbers(made)
    assert gives_declared(made)
    assert all_compute([made])
    assert made(np.int64(2)) == [3]
    plain = unpickled(pickled(outside_traces(abs, "plain"), paths), paths)
    assert not takes_numbers(plain)
    assert not all_compute([plain])
