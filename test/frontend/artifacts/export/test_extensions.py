"""The project in examples/extension: its wheel is built, and its module is used where there is no weft."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

PROJECT = Path(__file__).parents[4] / "examples" / "extension"
CC = shutil.which("cc")

pytestmark = [
    pytest.mark.optimised,
    pytest.mark.skipif(CC is None, reason="there is no C compiler"),
]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(PROJECT, folder / "project")
    code = "import setuptools.build_meta as m, sys; m.build_wheel(sys.argv[1])"
    built = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        cwd=folder / "project",
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-4000:]
    (wheel,) = folder.glob("*.whl")
    if sys.version_info >= (3, 11):
        assert "cp311-abi3" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, program: str) -> str:
    """What a program prints whose process has the wheel and NumPy, and not weft."""
    head = f"""
        import sys
        sys.path[:] = [p for p in sys.path if "weft" not in p]
        sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in repr(f)]
        sys.path.insert(0, {str(installed)!r})
    """
    text = textwrap.dedent(head) + textwrap.dedent(program) + "\nassert 'weft' not in sys.modules\n"
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=installed, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_results_and_errors(installed: Path) -> None:
    shown = run(
        installed,
        """
        import array
        import signals
        from signals import _kernels
        assert signals.pick is _kernels.pick
        print(signals.pick(array.array("d", [1, 2, 3]), 1), signals.pick(i=-1, x=memoryview(array.array("d", [5]))))
        assert "numpy" not in sys.modules
        import numpy as np
        from signals import kernels
        rng = np.random.default_rng(0)
        x = rng.normal(size=50)
        np.testing.assert_allclose(signals.smooth(x, 0.3), kernels.smooth(x, 0.3))
        np.testing.assert_allclose(signals.smooth(x[::2], 0.3), kernels.smooth(x[::2], 0.3))
        for found, wanted in zip(signals.peaks(x), kernels.peaks(x), strict=True):
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype
        assert [a.size for a in signals.peaks(np.zeros(5))] == [0, 0]
        a = rng.normal(size=(9, 2)); b = a.copy()
        found, wanted = signals.normalize(a), kernels.normalize(b)
        np.testing.assert_allclose(a, b)
        np.testing.assert_allclose(found["scale"], wanted["scale"])
        assert list(found) == ["scale", "largest"] and type(found["largest"]) is float
        print(signals.pick.__doc__, signals.pick.__text_signature__)
        read_only = x.view(); read_only.flags.writeable = False
        signals.smooth(read_only, 0.5)
        fixed = np.zeros((2, 2)); fixed.flags.writeable = False
        for call in [
            lambda: signals.pick(x, 50),
            lambda: signals.smooth(x, 2.5),
            lambda: signals.pick(x.astype("f4"), 1),
            lambda: signals.pick(np.zeros((2, 2)), 1),
            lambda: signals.pick("text", 1),
            lambda: signals.pick(x, 1.5),
            lambda: signals.pick(x, 2**70),
            lambda: signals.smooth(x, "a"),
            lambda: signals.pick(x),
            lambda: signals.pick(x, 1, 2),
            lambda: signals.pick(x, 1, x=x),
            lambda: signals.pick(x, j=1),
            lambda: signals.normalize(fixed),
            lambda: signals.normalize(np.zeros((4, 4))[::2]),
            lambda: signals.pick(x.astype(">f8"), 1),
        ]:
            try:
                print("none", call())
            except Exception as error:
                print(type(error).__name__, error)
        """,
    )
    assert shown.splitlines() == [
        "4.0 10.0",
        "x: f64[?], i: i64[] (x, i)",
        "IndexError index 50 is out of bounds for axis 0 with size 50",
        "ValueError the weight is between 0 and 1, not 2.5",
        "TypeError x: f64[?] is wanted, not an array of the format 'f' with 1 axes",
        "TypeError x: f64[?] is wanted, not an array of the format 'd' with 2 axes",
        "TypeError x: f64[?] is wanted, not <class 'str'>",
        "TypeError i: an integer is wanted, not <class 'float'>",
        f"OverflowError i: {2**70} is not in the range of i64[]",
        "TypeError weight: a number is wanted, not <class 'str'>",
        "TypeError pick() missing a required argument: 'i'",
        "TypeError pick() takes 2 arguments but 3 were given",
        "TypeError pick() got multiple values for argument 'x'",
        "TypeError pick() got an unexpected keyword argument 'j'",
        "ValueError assignment destination is read-only: x",
        "ValueError x is written, and is not contiguous: pass a copy",
        "TypeError x: f64[?] is wanted, not an array of the format '>d' with 1 axes",
    ]


def test_nothing_is_lost_or_freed_twice(installed: Path) -> None:
    run(
        installed,
        """
        import gc
        import numpy as np
        import signals
        x = np.sin(np.arange(1000.0))
        def once():
            signals.peaks(x), signals.smooth(x[::2], 0.5), signals.pick(x, 1)
            signals.normalize(x.reshape(500, 2).copy())
            for bad in (lambda: signals.smooth(x, 2.0), lambda: signals.pick(x, 10**6), lambda: signals.pick("", 1)):
                try: bad()
                except (ValueError, IndexError, TypeError): pass
        once()
        before = sys.getrefcount(x), sys.getrefcount(None)
        for _ in range(3000): once()
        gc.collect()
        assert sys.getrefcount(x) == before[0]
        assert sys.getrefcount(None) - before[1] < 50
        """,
    )


def test_all_kinds_of_arguments_and_results(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(
        textwrap.dedent("""
            import weft
            from setuptools import setup
            every = ("kinds:every", ["i8", "u64", "bool", "f32", "c64", "c128[2]", "f16[?]", "f64[]"])
            setup(
                name="kinds", py_modules=["kinds"],
                ext_modules=[
                    weft.build.extension("_kinds", {"every": every, "count": ("kinds:count", ["i64"])}),
                    weft.build.extension(
                        "_few",
                        {"first": ("kinds:first", "f64[?]"), "fill": ("kinds:fill", "f64[?,?], f64[?,?]")},
                    ),
                ],
                cmdclass={"build_ext": weft.build.build_ext},
            )
        """)
    )
    (tmp_path / "kinds.py").write_text(
        textwrap.dedent("""
            import numpy as np
            class Counter:
                def __init__(self):
                    self.n, self.rng = 0, np.random.default_rng(1)
            counter = Counter()
            def every(result, code, names, args, given, words, module, objects):
                last = {"a": objects, "b": None, "c": "d"}
                return [(result, code), names, (args * 2, given + 1), words * 2, module + 1, last]
            def first(x):
                return x[0]
            def fill(a, b):
                for i in range(len(a)):
                    a[i] = b[i] * 2
            def count(k):
                counter.n += k
                return counter.n, counter.rng.normal(size=2)
        """)
    )
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr
    shown = run(
        tmp_path,
        """
        import numpy as np, _kinds
        got = _kinds.every(-3, 2**64 - 1, True, 1.5, 1 + 2j, np.array([1j, 2]), np.ones(3, "f2"), np.array(2.5))
        print(got[:3], got[3].dtype, got[3].tolist(), got[4].dtype, got[4].tolist(), got[5])
        rng = np.random.default_rng(1)
        for k in (2, 5):
            n, drawn = _kinds.count(k)
            assert (drawn == rng.normal(size=2)).all()
            print(n)
        for bad in (200, -129, 1.0, "a"):
            try: _kinds.every(bad, 1, True, 1.5, 1j, np.zeros(2, "c16"), np.ones(3, "f2"), np.array(2.5))
            except (OverflowError, TypeError) as error: print(error)
        """,
    )
    assert shown.splitlines() == [
        "[(-3, 18446744073709551615), True, (3.0, (2+2j))] complex128 [2j, (4+0j)] float16 [2.0, 2.0, 2.0] "
        "{'a': array(2.5), 'b': None, 'c': 'd'}",
        "2",
        "7",
        "result: 200 is not in the range of i8[]",
        "result: -129 is not in the range of i8[]",
        "result: an integer is wanted, not <class 'float'>",
        "result: an integer is wanted, not <class 'str'>",
    ]

    shown = run(
        tmp_path,
        """
        import numpy as np, _few
        def filled(a, b):
            try:
                _few.fill(a, b)
                return a.tolist()
            except ValueError as error:
                return error
        a, m = np.arange(4.0).reshape(2, 2), np.arange(16.0).reshape(4, 4)
        print(_few.first(np.arange(4.0)[::-2]))
        print(filled(a, a[::-1]), filled(a, a.T), filled(a, a), a.tolist(), sep="\\n")
        print(filled(a, a[::-1].copy()), filled(a, np.arange(8.0).reshape(2, 4)[:, ::2]))
        print(filled(m[1:2], m[::2]), filled(m[1:2], m[:, ::-1]), sep="\\n")
        print(filled(a, m[:, 4:]))
        """,
    )
    behind = "b and a of fill() overlap in memory, and a is written: pass a copy of one"
    assert shown.splitlines() == [
        "3.0",
        behind,
        behind,
        "arrays 0 and 1 of the call overlap, and one of them is written",
        "[[0.0, 1.0], [2.0, 3.0]]",
        "[[4.0, 6.0], [0.0, 2.0]] [[0.0, 4.0], [8.0, 12.0]]",
        "[[0.0, 2.0, 4.0, 6.0]]",
        behind,
        "could not broadcast input array from shape (0,) into shape (2,)",
    ]


def test_what_has_no_form_in_c_is_refused(tmp_path: Path) -> None:
    from weft.frontend.artifacts.export.exporting import Options, write_extension_sources

    def refused(function: Any, *examples: Any) -> str:
        concrete = weft.function(function).get_concrete_function(*examples)
        with pytest.raises(weft.NotPortable) as error:
            write_extension_sources(tmp_path / "out", "module", {"f": concrete}, Options("object"))
        assert not (tmp_path / "out").exists()
        return str(error.value)

    assert "takes arrays in containers" in refused(lambda d: d["a"], {"a": np.ones(2)})
    assert "number of float16" in refused(lambda x: x[0], np.ones(2, "f2"))
    assert "calls Python" in refused(lambda x: weft.py_call(print, x), np.ones(2))
    with pytest.raises(ValueError, match="'int' is no name"):
        weft.build.extension("a.b", {"int": "a:b"})


@pytest.mark.parametrize("reference", [3, "a.b", ("a:b",), ["a:b", "f64"], ("a.b", ["f64"]), (3, ["f64"])])
def test_what_is_no_reference_is_refused_before_anything_is_built(reference: Any) -> None:
    with pytest.raises(TypeError, match=r"f is no 'package.module:function', nor a pair of that and types"):
        weft.build.extension("a.b", {"f": reference})


def test_an_extension_has_functions_and_their_types() -> None:
    with pytest.raises(ValueError, match="name a function, as in"):
        weft.build.extension("a.b", {})
    known = weft.build.extension(
        "a.b", {"f": "a:f", "g": ("a:g", ["f64", "i64"]), "h": ("a:h", "f64[?], i64")}
    )
    assert known.functions == {"f": ("a:f", []), "g": ("a:g", ["f64", "i64"]), "h": ("a:h", ["f64[?], i64"])}


def test_a_setup_without_the_command_says_so(tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path / "project")
    script = tmp_path / "project" / "setup.py"
    text = script.read_text().replace('cmdclass={"build_ext": weft.build.build_ext},', "")
    script.write_text(text)
    done = subprocess.run(
        [sys.executable, "setup.py", "build_ext"],
        cwd=script.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode
    assert "cmdclass={'build_ext': weft.build.build_ext}" in done.stdout + done.stderr
