"""Compiled code goes along with functions, into a layer of memory above the disk cache."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import weft
from weft.backend.cache import memory
from weft.frontend.calls.shipped_code import MOST_BYTES, all_entries, entries_of

cloudpickle = pytest.importorskip("cloudpickle")


@pytest.fixture
def cache(tmp_path):
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path / "cache")):
        yield tmp_path
    for key in list(memory.keys()):
        memory.discard(key)


@weft.function
def named(x):
    if x.sum() > 0:
        return x * 2 + 1
    return x


READER = """
import pickle, sys
import numpy as np
function = pickle.load(sys.stdin.buffer)
print(function(np.arange(3.0)).tolist(), function(np.arange(3.0)).tolist(), "torch_mlir" in sys.modules)
"""


def read(data, directory, **environment):
    done = subprocess.run(
        [sys.executable, "-c", READER],
        input=data,
        capture_output=True,
        timeout=120,
        check=False,
        cwd=os.path.dirname(__file__),
        env={
            **os.environ,
            "WEFT_CACHE": "1",
            "WEFT_CACHE_DIR": str(directory),
            "PYTHONPATH": os.path.dirname(__file__),
            **environment,
        },
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split()[-1]


def test_a_worker_with_an_empty_cache_compiles_nothing(cache):
    closure = weft.function(lambda x, n=3.0: x * n)
    for _ in range(3):
        closure(np.arange(3.0))
    data = cloudpickle.dumps(closure)
    assert len(entries_of(closure._known.concretes)) >= 1
    assert read(data, cache / "other") == "False"  # no compiler was loaded
    with weft.settings.scope(ship_compiled=False):
        assert len(cloudpickle.dumps(closure)) < len(data) - 1500
        assert read(cloudpickle.dumps(closure), cache / "third") == "True"
    (cache / "file").write_text("")
    assert (
        read(data, cache / "file", PYTHONWARNINGS="ignore") == "False"
    )  # where there is no directory either


def test_functions_found_by_name_take_their_code_along(cache):
    sys.modules.setdefault(named.__module__, sys.modules[__name__])
    assert pickle.dumps(named) == pickle.dumps(named)
    before = len(pickle.dumps(named))
    named.clear_cache()
    named(np.ones(3))
    data = pickle.dumps(named)
    assert len(data) > before + 1500
    assert pickle.loads(data) is named
    assert copy.copy(named) is named
    assert set(memory.keys()) == set(entries_of(named._known.concretes))
    named.clear_cache()
    assert len(pickle.dumps(named)) == before


def test_other_processors_and_sizes(cache):
    named.clear_cache()
    named(np.ones(4))
    ((key, content),) = [(k, c) for k, c in entries_of(named._known.concretes).items() if "-" in k]
    memory.put({key: b"damaged", "a" * 40: b"of another processor"})
    store_content = weft.backend.cache.store.store()
    assert store_content.content(key) == b"damaged"
    named.clear_cache()
    np.testing.assert_array_equal(named(np.ones(4)), np.full(4, 3.0))  # what is damaged is compiled again
    assert memory.get(key) is None
    assert content != b"damaged"
    large = weft.function(lambda x: x + np.arange(2.0))
    large(np.ones(2))
    concrete = large._known.concretes[0]
    big = "b" * 40 + "-1"
    memory.put({big: bytes(MOST_BYTES + 1)})
    concrete.entries = (*concrete.entries, big)
    assert entries_of([concrete]) == {}


def test_memory_forgets_what_came_first(monkeypatch):
    monkeypatch.setattr(memory, "_MOST_BYTES", 100)
    memory.put({"first": bytes(60), "second": bytes(30)})
    memory.put({"third": bytes(30)})
    assert (memory.get("first"), memory.get("third")) == (None, bytes(30))
    for key in ("second", "third"):
        memory.discard(key)


def test_dask_takes_a_function_for_the_same_when_it_was_compiled(cache):
    base = pytest.importorskip("dask.base")
    function = weft.function(lambda x: x * 5)
    before = base.tokenize(function), base.tokenize(named)
    function(np.ones(2))
    assert (base.tokenize(function), base.tokenize(named)) == before
    assert base.tokenize(weft.function(lambda x: x * 6)) != before[0]


def test_all_entries_are_those_of_this_process(cache):
    function = weft.function(lambda x: x - 5)
    function(np.ones(2))
    assert set(entries_of(function._known.concretes)) <= set(all_entries())


def test_warm_compiles_once_for_all_ranks():
    with pytest.raises(weft.WeftTypeError, match=r"warm takes a weft\.function, not function"):
        weft.distributed.warm(lambda x: x, np.ones(2))
    made = weft.distributed.warm(named, weft.TensorSpec((2,)))
    np.testing.assert_array_equal(made(np.ones(2)), [3.0, 3.0])


PROGRAM = """
import os, sys
from mpi4py import MPI
rank = MPI.COMM_WORLD.Get_rank()
os.environ["WEFT_CACHE_DIR"] = os.path.join(sys.argv[1], str(rank))
import numpy as np
import weft

@weft.function
def f(x):
    return x * 2

def bad(x):
    raise ValueError("no")

made = weft.distributed.warm(f, weft.TensorSpec((3,)))
assert made(np.ones(3)).tolist() == [2.0, 2.0, 2.0]
assert ("torch_mlir" in sys.modules) == (rank == 0), rank
try:
    weft.distributed.warm(weft.function(bad), weft.TensorSpec((3,)))
except ValueError as error:
    assert rank == 0
except weft.RemoteError as error:
    assert rank and "ValueError: no" in str(error)
else:
    raise SystemExit(1)
"""


@pytest.mark.slow
def test_ranks_get_the_code_of_the_first(tmp_path):
    pytest.importorskip("mpi4py")
    import shutil

    launcher = shutil.which("mpiexec", path=os.path.dirname(sys.executable)) or shutil.which("mpiexec")
    if launcher is None:
        pytest.skip("there is no mpiexec")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [launcher, "-n", "2", sys.executable, str(program), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "WEFT_CACHE": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
