"""The pool of result memory: arrays like NumPy's own, used again, bounded, safe in threads, forks and at exit."""

import ctypes
import gc
import os
import pickle
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import weft
from weft.backend.cpu.memory.limit import DEFAULT_LIMIT, POOLED_BYTES, set_limit
from weft.backend.cpu.memory.pool_code import SMALL_PEAK
from weft.backend.cpu.memory.result_pool import ResultPool, result_pool
from weft.backend.cpu.memory.results import maker

F64 = np.dtype(np.float64)


@pytest.fixture
def pool():
    """The pool of the process, empty before and after."""
    gc.collect()
    found = result_pool()
    found.release()
    yield found
    set_limit(DEFAULT_LIMIT)
    gc.collect()
    found.release()


def count(pool: ResultPool, name: str) -> int:
    return pool.statistics()[name]


def handler(array):
    return np._core.multiarray.get_handler_name(array)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((POOLED_BYTES,), "u1"),
        ((POOLED_BYTES - 1,), "u1"),
        ((100_003,), "f4"),
        ((1, 300, 1, 401), "f8"),
        ((700, 900), "c16"),
        ((2, 0, 1 << 40), "f4"),
        ((), "f8"),
        ((1 << 20,), "?"),
    ],
)
def test_arrays_are_like_numpys(pool, shape, dtype):
    array, like = pool.new(shape, np.dtype(dtype)), np.empty(shape, dtype)
    assert (array.shape, array.strides, array.dtype) == (like.shape, like.strides, like.dtype)
    assert array.flags.num == like.flags.num
    assert type(array) is np.ndarray
    assert array.base is None
    assert array.flags.owndata
    pooled = like.nbytes >= POOLED_BYTES
    assert (handler(array) == "weft result pool") == pooled
    assert not pooled or array.ctypes.data % 64 == 0
    array[...] = 1
    assert (array == np.ones(shape, dtype)).all()


def test_memory_is_used_again_by_a_result_of_fitting_size(pool):
    first = pool.new((1000, 1000), F64)
    address = first.ctypes.data
    del first
    assert count(pool, "kept") >= 8_000_000
    second = pool.new((999, 1001), F64)  # a little smaller: the same size class
    assert second.ctypes.data == address
    other = pool.new((500, 500), F64)
    assert other.ctypes.data != address


def test_memory_lives_as_long_as_a_view_of_it(pool):
    array = pool.new((1000, 100), F64)
    array[...] = 7
    view = array[3:, ::2]
    del array
    assert pool.new((1000, 100), F64).ctypes.data != view.base.ctypes.data
    assert (view == 7).all()


@pytest.mark.parametrize("bytes", [POOLED_BYTES, POOLED_BYTES + 1, 99_999, 3_000_000, (1 << 24) + 1])
def test_at_most_a_tenth_is_wasted(pool, bytes):
    before = count(pool, "live")
    array = pool.new((bytes,), np.dtype("u1"))
    capacity = count(pool, "live") - before
    assert array.nbytes <= capacity
    assert capacity + 4096 <= 1.1 * array.nbytes


def test_what_is_kept_is_bounded(pool):
    set_limit(1 << 20)
    arrays = [pool.new((100_000 + 10_000 * i,), np.dtype("u1")) for i in range(40)]
    assert count(pool, "live") > 4 << 20
    newest = arrays[-1].ctypes.data
    while arrays:
        arrays.pop(0)
    assert 0 < count(pool, "kept") <= 1 << 20
    # The oldest went first.
    assert pool.new((100_000 + 10_000 * 39,), np.dtype("u1")).ctypes.data == newest


def test_the_pool_does_not_raise_the_peak_of_a_program(pool):
    live = count(pool, "live")
    peak = max(count(pool, "peak"), SMALL_PEAK)
    for size in range(8, 40):  # no size fits another
        array = pool.new((size << 20,), np.dtype("u1"))
        del array
        assert count(pool, "kept") + live <= max(peak, live + (40 << 20))


def test_zero_turns_it_off(pool):
    array = pool.new((1000, 1000), F64)
    make = maker((1000, 1000), F64)
    set_limit(0)
    assert handler(make()) == "default_allocator"
    del array  # was the pool's, and goes back to the system
    assert count(pool, "kept") == 0
    set_limit(DEFAULT_LIMIT)
    assert handler(make()) == "weft result pool"


def test_the_setting_bounds_it_at_once(pool):
    array = pool.new((1000, 1000), F64)
    del array
    with weft.settings.scope(result_pool_bytes=100):
        assert count(pool, "kept") == 0
        assert count(pool, "limit") == 100
    assert count(pool, "limit") == DEFAULT_LIMIT
    with pytest.raises(weft.WeftValueError, match="result_pool_bytes must not be negative: -1"):
        weft.settings.result_pool_bytes = -1
    assert weft.settings.result_pool_bytes == DEFAULT_LIMIT


def test_the_environment_bounds_it():
    source = "import weft, sys; weft.settings; from weft.backend.cpu.memory.result_pool import result_pool; "
    source += "sys.stdout.write(str(result_pool().statistics()['limit']))"
    assert run(source, WEFT_RESULT_POOL_BYTES="12345") == "12345"


def test_release_memory_tells_how_much(pool):
    array = pool.new((1000, 1000), F64)
    del array
    assert weft.release_memory() >= 8_000_000
    assert weft.release_memory() == 0
    assert count(pool, "kept") == 0


def test_arrays_are_resized_in_the_pool(pool):
    array = pool.new((1000, 100), F64)
    array[...] = np.arange(100_000).reshape(1000, 100)
    array.resize((2000, 100))
    assert (array[:1000].ravel() == np.arange(100_000)).all()
    assert (array[1000:] == 0).all()
    assert handler(array) == "weft result pool"
    array.resize((3,))
    assert array.tolist() == [0, 1, 2]
    array.resize((500, 500))
    assert array.ravel()[:4].tolist() == [0, 1, 2, 0]


def test_arrays_are_pickled_and_take_other_states(pool):
    array = pool.new((100, 1000), F64)
    array[...] = 3
    copy = pickle.loads(pickle.dumps(array))
    assert (copy == 3).all()
    live = count(pool, "live")
    array.__setstate__(np.arange(5).__reduce__()[2])
    assert array.tolist() == [0, 1, 2, 3, 4]
    assert count(pool, "live") < live


def test_memory_is_traced(pool):
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        array = pool.new((1000, 1000), F64)
        assert tracemalloc.get_traced_memory()[0] - before >= array.nbytes
        del array
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [(-1, 5), (1 << 40, 1 << 40), (1 << 44,)])
def test_impossible_shapes_are_refused_as_by_numpy(pool, shape):
    live, dtype = count(pool, "live"), np.dtype([("a", "f4"), ("b", "f8")])

    def refusal(make):
        with pytest.raises((ValueError, MemoryError)) as raised:
            make(shape, dtype)
        return type(raised.value), str(raised.value)

    references = sys.getrefcount(dtype)
    assert refusal(pool.new) == refusal(np.empty)
    gc.collect()
    assert sys.getrefcount(dtype) == references
    assert count(pool, "live") == live


def test_no_reference_is_lost_or_kept(pool):
    dtype = np.dtype([("a", "f4"), ("b", "f8")])
    references = sys.getrefcount(dtype)
    arrays = [pool.new((size,), dtype) for size in (3, 10_000)]
    assert sys.getrefcount(dtype) == references + 2
    del arrays
    assert sys.getrefcount(dtype) == references


def test_threads_share_it(pool):
    problems = []

    def work(number):
        generator = np.random.default_rng(number)
        held = []
        for _ in range(300):
            array = pool.new((int(generator.integers(8_192, 20_000)),), F64)
            array[...] = number
            held.append(array)
            if len(held) > 5:
                old = held.pop(int(generator.integers(5)))
                if not (old == number).all():
                    problems.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_an_array_may_die_in_another_thread(pool):
    arrays = [pool.new((1000, 1000), F64)]
    thread = threading.Thread(target=arrays.clear)
    thread.start()
    thread.join()
    assert count(pool, "kept") >= 8_000_000


def run(source: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | environment,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_has_its_own():
    run("""if True:
        import os, numpy as np
        from weft.backend.cpu.memory.result_pool import result_pool
        pool = result_pool()
        kept = pool.new((1000, 1000), np.dtype("f8"))
        kept[...] = 1
        spare = pool.new((1000, 1000), np.dtype("f8"))
        del spare
        child = os.fork()
        array = pool.new((1000, 1000), np.dtype("f8"))
        array[...] = 2 if child else 3
        assert (kept == 1).all() and (array == (2 if child else 3)).all()
        del kept, array
        if child:
            assert os.waitpid(child, 0)[1] == 0
        else:
            os._exit(0)
    """)


def test_arrays_may_outlive_the_interpreters_modules():
    run("""if True:
        import builtins, sys, threading, numpy as np
        from weft.backend.cpu.memory.result_pool import result_pool
        class Late:
            def __init__(self): self.array = result_pool().new((1000, 1000), np.dtype("f8"))
            def __del__(self): self.array = None
        builtins.kept = Late()
        sys.kept = result_pool().new((1000, 1000), np.dtype("f8"))
        np.kept = Late()
        circle = Late()
        circle.itself = circle
    """)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not count page faults this way")
def test_calls_cause_no_page_faults_after_the_first_few():
    faults = run("""if True:
        import resource, numpy as np, weft
        @weft.function
        def softmax(x):
            e = np.exp(x - np.max(x, axis=-1, keepdims=True))
            return e / np.sum(e, axis=-1, keepdims=True)
        @weft.function
        def several(x):
            return {"a": x + 1, "b": [x.T, x[:200]], "c": x.sum()}
        x = np.ones((512, 1024), np.float32)
        for i in range(60):
            if i == 10:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            y = softmax(x)
            z = several(x)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    """)
    # Without the pool it is a thousand a call: 50,000. Python itself touches a new page now and then.
    assert int(faults) < 20


def test_results_of_dynamic_shapes_come_from_the_pool():
    @weft.function(input_signature=[weft.TensorSpec([None], "float32")])
    def double(x):
        return x + x

    assert handler(double(np.ones(100_000, np.float32))) == "weft result pool"
    assert handler(double(np.ones(10, np.float32))) == "default_allocator"


def test_results_whose_size_depends_on_data_own_their_memory():
    @weft.function
    def first(n):
        return np.arange(n) * 2.0

    for size in (0, 3, 1000, 200_000):
        result = first(np.int64(size))
        np.testing.assert_array_equal(result, np.arange(size) * 2.0)
        assert result.flags.owndata
        assert result.base is None
    assert handler(result) == "weft result pool"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not count page faults this way")
def test_results_that_grow_cause_no_page_faults_either():
    faults = run("""if True:
        import resource, numpy as np, weft
        @weft.function
        def squares(n):
            counts = weft.arange(n)
            return counts * counts, weft.sqrt(counts)
        for i in range(30):
            if i == 10:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            y = squares(np.int64(200_000))
        assert y[0][-1] == 199_999**2 and y[0].flags.owndata
        print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    """)
    assert int(faults) < 100  # 780 pages a call without it


def test_growing_memory_is_shrunk_when_it_becomes_a_result(pool):
    address = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(pool.allocate_address)(1 << 20)
    ctypes.memset(address, 7, 100_000)
    live = count(pool, "live")
    entry = (ctypes.c_int64 * 5)(address, address, 0, 1 << 20, 1)
    array = pool.take(ctypes.addressof(entry), (100, 1000), np.dtype("u1"))
    assert live - count(pool, "live") >= (1 << 20) - 110_000
    assert array.flags.owndata
    assert (array == 7).all()
    assert list(entry) == [0] * 5
    del array
    assert count(pool, "kept") >= 1 << 20


def test_small_results_are_copied_out_of_memory_that_stays(pool):
    address = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(pool.allocate_address)(1 << 20)
    ctypes.memset(address, 7, 100)
    entry = (ctypes.c_int64 * 5)(address, address, 0, 1 << 20, 1)
    array = pool.take(ctypes.addressof(entry), (2, 50), np.dtype("u1"))
    assert array.flags.owndata
    assert (array == 7).all()
    assert array.shape == (2, 50)
    assert list(entry) == [address, address, 0, 1 << 20, 1]
    pool.free(address)
    nothing = (ctypes.c_int64 * 5)()
    assert pool.take(ctypes.addressof(nothing), (0, 3), np.dtype("f8")).shape == (0, 3)
