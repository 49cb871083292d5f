"""Compiled functions in other processes: by name, or with all that they read."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import weft

cloudpickle = pytest.importorskip("cloudpickle")

PROGRAM = textwrap.dedent("""\
    import sys

    import cloudpickle
    import numpy as np

    import weft

    SCALE = 3.0
    TABLE = np.arange(4.0)

    def helper(x):
        if x.sum() > 0:
            return x * SCALE
        return x - SCALE

    @weft.function
    def f(x, n=2):
        if x.sum() > 100:
            return helper(x) + n
        return helper(x) - n

    @weft.function
    def reads_an_array(x):
        return x + TABLE[0]

    @weft.function
    def recursive(x, n=3):
        return x if n <= 0 else recursive(x * 2, n - 1)

    def counting():
        count = 0
        @weft.function
        def counted(x):
            nonlocal count
            count += 1
            return x + count
        return counted

    class Model:
        def __init__(self):
            self.w = np.ones(4)

        @weft.function
        def step(self, x):
            return self.w * x

    plain = weft.function(helper, name="renamed")
    x = np.arange(4.0)
    functions = [f, reads_an_array, recursive, counting(), plain, Model().step, weft.function(lambda x: x * 7)]
    concrete = f.get_concrete_function(weft.TensorSpec((None,)), 5)
    expected = [function(x) for function in functions[:3]] + [x + 1] + [function(x) for function in functions[4:]]
    wanted = f(x, 5)
    sys.stdout.buffer.write(cloudpickle.dumps([x, functions, expected, concrete, wanted]))
    """)

READER = textwrap.dedent("""\
    import pickle, sys
    import numpy as np
    data = sys.stdin.buffer.read()
    kept = []
    for turn in range(2):
        x, functions, expected, concrete, wanted = pickle.loads(data)
        for function, value in zip(functions, expected, strict=True):
            np.testing.assert_array_equal(function(x), value)
        np.testing.assert_array_equal(concrete(x, 5), wanted)
        kept.append([getattr(function, "function", function) for function in functions])
    print([one is other for one, other in zip(*kept)], [f.name for f in kept[0]], kept[0][0].__qualname__)
    """)


def ran(*arguments: str, **options):
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, check=False, timeout=120, **options
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("is_notebook", [pytest.param(False, marks=pytest.mark.soak), True])
def test_functions_of_a_program_go_with_all_that_they_read(tmp_path, is_notebook):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    arguments = [str(path)]
    if is_notebook:  # whose cells have names that are no files
        path.write_text(
            "import linecache\n"
            f"text = {PROGRAM!r}\n"
            "linecache.cache['<cell 1>'] = (len(text), None, text.splitlines(True), '<cell 1>')\n"
            "exec(compile(text, '<cell 1>', 'exec'))\n"
        )
    data = ran(*arguments, env={**os.environ, "WEFT_CACHE": "0"})
    path.unlink()
    printed = ran("-c", READER, input=data, env={**os.environ, "WEFT_CACHE": "0"}).decode()
    shared = [True, False, True, False, True, True, True]
    names = ["f", "reads_an_array", "recursive", "counted", "renamed", "step", "lambda"]
    assert printed.split() == f"{shared} {names} f".split()


def test_functions_that_differ_in_constants_keep_their_own_files(tmp_path):
    texts = {
        name: "import weft\n@weft.function\ndef f(x, k='a'):\n"
        f"    if x[0] > 0 and k in {{'a', 'b', 'c'}}:\n        return x + {number}\n    return x\n"
        for number, name in enumerate(["one", "other"], 1)
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    write = """
        import sys, cloudpickle
        sys.path.insert(0, sys.argv[1])
        import one, other
        for module in (one, other):
            cloudpickle.register_pickle_by_value(module)
        sys.stdout.buffer.write(cloudpickle.dumps([one.f, other.f]))
        """
    read = """
        import sys, pickle
        import numpy as np
        one, other = pickle.loads(sys.stdin.buffer.read())
        print(one(np.ones(1)), other(np.full(1, 2.0)))
        """
    data = ran("-c", textwrap.dedent(write), str(tmp_path), env={**os.environ, "WEFT_CACHE": "0"})
    assert (
        ran("-c", textwrap.dedent(read), input=data, env={**os.environ, "WEFT_CACHE": "0"}) == b"[2.] [4.]\n"
    )


def plain_function(x):
    return np.sum(x * x)


decorated_function = weft.function(lambda x: np.sum(x * x * x))
decorated_function.__qualname__ = "decorated_function"


@weft.function
def module_level(x):
    return x + 1


class Owner:
    @weft.function
    def method(self, x):
        return x + 2


class TestByName:
    def test_what_a_module_has_is_that(self):
        for function in (module_level, Owner.method):
            for dumps in (pickle.dumps, cloudpickle.dumps):
                assert pickle.loads(dumps(function)) is function
            assert copy.deepcopy(function) is function
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(Owner().method))(np.ones(1)), [3])

    def test_modules_whose_functions_are_to_go_by_value(self):
        module = sys.modules[__name__]
        cloudpickle.register_pickle_by_value(module)
        try:
            other = pickle.loads(cloudpickle.dumps(module_level))
        finally:
            cloudpickle.unregister_pickle_by_value(module)
        assert other is not module_level
        np.testing.assert_array_equal(other(np.ones(1)), [2])

    def test_inner_functions_cannot_be_named(self):
        with pytest.raises((AttributeError, pickle.PicklingError), match="local object"):
            pickle.dumps(weft.function(lambda x: x))

    @pytest.mark.parametrize("transform", [weft.grad, weft.value_and_grad, weft.jacobian, weft.hessian])
    def test_gradients_go_as_what_they_are_made_of(self, transform):
        x = np.array([1.0, 2.0])
        for function in (plain_function, decorated_function):
            ours = transform(function)
            for dumps in (pickle.dumps, cloudpickle.dumps):
                theirs = pickle.loads(dumps(ours))
                assert theirs.name == ours.name
                np.testing.assert_array_equal(np.hstack(theirs(x)), np.hstack(ours(x)))
        with pytest.raises((AttributeError, pickle.PicklingError), match=r"local object|lambda"):
            pickle.dumps(transform(lambda x: np.sum(x)))

    def test_attributes_and_options_go_along(self):
        f = weft.function(lambda x: x, name="named", max_specialisations=3, autograph=False)
        f.unit = "m"
        other = pickle.loads(cloudpickle.dumps(f))
        assert (other.name, other.max_specialisations, other.autograph, other.unit) == (
            "named",
            3,
            False,
            "m",
        )

    def test_a_concrete_function_is_its_function_and_signature(self):
        concrete = module_level.get_concrete_function(weft.TensorSpec((None, 2), "float32"))
        other = pickle.loads(pickle.dumps(concrete))
        assert other is concrete
        same = weft.function(lambda x, y, n: x + y + n)
        x = np.ones(2)
        made = pickle.loads(cloudpickle.dumps(same.get_concrete_function(x, x, np.float32(1))))
        assert made.pretty_printed_signature() == "lambda(x: f64[2], y: f64[2], n: f32[])\n  returns f64[2]"
        np.testing.assert_array_equal(made(x, x, np.float32(1)), [3, 3])


def test_workers_of_joblib():
    joblib = pytest.importorskip("joblib")
    scale = 2.0
    f = weft.function(lambda x: x * scale if x.sum() > 0 else x)
    results = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(f)(np.full(2, n)) for n in range(3))
    joblib.externals.loky.get_reusable_executor().shutdown(kill_workers=True)
    np.testing.assert_array_equal(results, [[0, 0], [2, 2], [4, 4]])


def test_workers_of_dask():
    dask = pytest.importorskip("dask")
    scale = 2.0
    f = weft.function(lambda x: x * scale if x.sum() > 0 else x)
    tasks = [dask.delayed(f)(np.full(2, n)) for n in range(3)]
    with dask.config.set({"multiprocessing.context": "spawn"}):
        results = dask.compute(*tasks, scheduler="processes", num_workers=1)
    np.testing.assert_array_equal(results, [[0, 0], [2, 2], [4, 4]])


def test_workers_of_ray():
    ray = pytest.importorskip("ray")
    scale = 2.0
    f = weft.function(lambda x: x * scale if x.sum() > 0 else x)
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    try:
        remote = ray.remote(num_cpus=1)(lambda x: f(x))
        results = ray.get([remote.remote(np.full(2, n)) for n in range(3)])
    finally:
        ray.shutdown()
    np.testing.assert_array_equal(results, [[0, 0], [2, 2], [4, 4]])
