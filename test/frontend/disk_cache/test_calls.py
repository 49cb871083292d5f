"""The disk cache of functions that call Python when they run, or change its state: they do the same in each process."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cached_programs import Project

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def _is_stored(project: Project, program: str, **plain: str) -> None:
    project.write_program(program)
    wanted = project.run(**(plain or {"WEFT_DISABLE_JIT": "1"}))
    cold, warm = project.run(), project.run()
    assert cold.output == warm.output == wanted.output
    assert cold.refused == 0, cold.errors
    assert warm.stored == 0, warm.errors
    assert not warm.mlir


def test_what_is_printed(project: Project) -> None:
    _is_stored(
        project,
        """
        import sys

        @weft.function
        def f(x, name):
            print("sum", x.sum(), [x, (2, 1.5)], {"a": x[0]}, sep=" | ", end=".\\n")
            print(f"{name}: {x.sum():>8.2f} {x[0]!r}", file=sys.stderr if len(name) > 3 else sys.stdout)
            if x.sum() > 3:
                print("large")
            return "<" + str(x.sum()) + ">", "%d items" % x.shape[0]

        for x in (np.ones(2), np.ones(5), np.ones(5)):
            print(f(x, "abc"), f(x, "abcd"))
        """,
    )


def test_results_whose_sizes_python_tells(project: Project) -> None:
    _is_stored(
        project,
        """
        import warnings
        warnings.simplefilter("ignore")

        @weft.function(input_signature=[weft.TensorSpec([None]), weft.TensorSpec([None])])
        def f(x, k):
            return np.convolve(x, k, mode="same") + 1

        for length in (3, 5):
            print(f(np.arange(9.0), np.arange(float(length))))
        """,
    )


def test_what_is_raised(project: Project) -> None:
    _is_stored(
        project,
        """
        import traceback

        class Plain(Exception):
            pass

        class Noted(ValueError):
            def __init__(self, value, note="n"):
                super().__init__(value)
                self.note = note

        @weft.function
        def message(x):
            if x.sum() > 9:
                raise ValueError(f"large {x.sum():.2f}", 3)
            return x

        @weft.function
        def cause(x):
            if x.sum() > 9:
                raise Plain(x.sum()) from KeyError("k")
            return x

        def check(x):
            if x.sum() > 9:
                raise Noted(x.sum(), note="m")

        def by_hand(x):
            check(x)
            return x

        by_hand = weft.function(by_hand)

        @weft.function
        def asserted(x):
            assert x.sum() < 3, "too large: %s" % x.sum()
            return x

        for f in (message, cause, asserted):
            for x in (np.zeros(2), np.full(2, 9.0)):
                try:
                    print(f(x))
                except Exception as error:
                    print(traceback.format_exc())
                    print(type(error), error.args, vars(error), repr(error.__cause__))
        """,
        WEFT_CACHE="0",  # eager calls have frames of weft in their tracebacks
    )


def test_what_is_caught(project: Project) -> None:
    _is_stored(
        project,
        """
        @weft.function
        def f(x):
            try:
                if x.sum() > 9:
                    raise ValueError(f"large {x.sum()}")
                return x + x[np.int64(x.sum())]
            except ValueError as error:
                print("caught", error)
                return x * 0
            except IndexError as error:
                print(type(error), error)
                return x - 1
            finally:
                print("done")

        for value in (0.0, 5.0, 1.0):
            print(f(np.full(3, value)))
        """,
    )


def test_functions_that_are_called(project: Project) -> None:
    project.write("other.py", "def half(value):\n    return value / 2\n")
    _is_stored(
        project,
        """
        import other

        seen = []

        def note(value):
            seen.append(value.tolist())

        class Log:
            def __init__(self, name):
                self.name = name

            def write(self, value):
                seen.append((self.name, float(value)))

        log = Log("a")
        scalar = weft.TensorSpec((), "float64")

        @weft.function
        def f(x):
            weft.py_call(note, x * 2)
            weft.py_call(log.write, x.sum())
            made = weft.py_call(other.half, x.sum(), result=scalar)
            return x + made

        print(f(np.ones(2)), f(np.ones(2)), seen)
        """,
    )
    project.write("other.py", "def half(value):\n    return value / 4\n")
    wanted = project.run(WEFT_DISABLE_JIT="1").output
    assert project.run().output == project.run().output == wanted


def test_generators(project: Project) -> None:
    _is_stored(
        project,
        """
        def items(x, n=3):
            for i in range(n):
                yield x * i

        @weft.function
        def f(x):
            total = x * 0
            for item in items(x):
                total = total + item
            return total, [item + 1 for item in items(x, 2)]

        print(f(np.ones(2)))
        """,
    )
    text = (project.path / "program.py").read_text()
    (project.path / "program.py").write_text(text.replace("yield x * i", "yield x * i + 1"))
    wanted = project.run(WEFT_DISABLE_JIT="1").output
    assert project.run().output == project.run().output == wanted


def test_changes_of_state(project: Project) -> None:
    _is_stored(
        project,
        """
        counter, kept, table, members = 0, [], {"n": 1}, {1}

        @weft.function
        def f(x):
            global counter
            counter += 1
            kept.append(x[0])
            table["n"] = x.sum()
            members.add(2)
            return x * 2

        @weft.function
        def stored_before_it_fails(x):
            global counter
            counter = 7
            if x.sum() > 3:
                raise ValueError(f"{x.sum()}")
            counter = 8
            return x

        for i in range(3):
            print(f(np.ones(2) * i), counter, kept, table, members)
        for x in (np.zeros(2), np.full(2, 9.0)):
            try:
                print(stored_before_it_fails(x), counter)
            except ValueError as error:
                print(error, counter)
        """,
    )


def test_exceptions_whose_constructors_run_while_tracing_are_not_stored(project: Project) -> None:
    project.write_program("""
        import sys

        class Noted(ValueError):
            def __init__(self, value):
                super().__init__(value + sys.argv[1])

        @weft.function
        def f(x):
            if x.sum() > 3:
                raise Noted("of ")
            return x

        try:
            f(np.full(2, 9.0))
        except ValueError as error:
            print(error)
    """)
    assert project.run("one").output == "of one\n"
    assert project.run("two").output == "of two\n"
