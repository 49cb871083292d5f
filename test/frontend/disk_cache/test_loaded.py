"""What was loaded from the disk cache is guarded, looked at and fails as what was compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cached_programs import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


LIVE = """
import other

RATE = 2
SMALL = np.ones(2)
LARGE = np.ones(500)
TABLE = [np.ones(2), [1]]
def helper(x): return x * 2

@weft.function
def f(x):
    return helper(x) * RATE + SMALL + LARGE.sum() + TABLE[0] * TABLE[1][0] + other.TABLE

x = np.zeros(2)
print(f(x))
SMALL[0] = 5
print(f(x))
other.TABLE[1] = 7
print(f(x))
LARGE[:] = 2
print(f(x))
LARGE = np.full(500, 3.0)
print(f(x))
TABLE[0][1] = 9
print(f(x))
TABLE[1][0] = 2
print(f(x))
RATE = 3
x = np.ones(2)
print(f(x))
RATE = 4
print(f(x))
def helper(x): return x * 3
print(f(x))
"""


def test_what_changes_after_it_was_loaded_is_seen(project: Project) -> None:
    project.write("other.py", "import numpy as np\nTABLE = np.zeros(2)\n")
    project.write_program(LIVE)
    wanted = project.run(WEFT_CACHE="0").output
    for _ in range(2):
        run = project.run()
        assert run.output == wanted
    assert run.found > 0


@pytest.mark.processor  # its stages
def test_programs_that_were_loaded_can_be_looked_at(project: Project) -> None:
    project.write_program("""
        @weft.function
        def f(x):
            return np.tanh(x) * 2

        f(np.ones(100))
        concrete = f.get_concrete_function(np.ones(100))
        print(concrete.cost_analysis())
        print(concrete.memory_analysis())
        print(sorted(concrete.compile_times) and "times")
        print(concrete.as_text("llvm").count("define"))
    """)
    first, second = project.run(), project.run()
    assert second.found == 1
    assert first.output.replace("times", "[]") == second.output.replace("times", "[]")


def test_errors_are_at_the_users_line(project: Project) -> None:
    program = """
        import traceback

        @weft.function
        def f(x, i):
            y = x * 2
            return y[i] + 1

        try:
            f(np.ones(3), np.int64(7))
        except IndexError:
            traceback.print_exc()
            print(traceback.format_exc())
    """
    project.write_program(program)
    wanted = project.run(WEFT_CACHE="0").output
    assert "return y[i] + 1" in wanted
    first, second = project.run(), project.run()
    assert first.output == second.output == wanted
    assert second.found == 1
    project.write_program("\n\n" + program)
    moved = project.run()
    assert moved.output == project.run(WEFT_CACHE="0").output != wanted


def test_concrete_functions_that_were_loaded_refuse_what_does_not_fit(project: Project) -> None:
    project.write_program("""
        RATE = 2

        @weft.function
        def f(x):
            return x * RATE

        concrete = f.get_concrete_function(weft.TensorSpec((3,), "float64"))
        print(concrete, concrete(np.ones(3)), concrete.result_types)
        for wrong in (np.ones(4), np.ones(3, int), 2):
            try:
                concrete(wrong)
            except weft.WeftError as error:
                print(type(error), error)
        RATE = 3
        try:
            concrete(np.ones(3))
        except weft.WeftError as error:
            print(type(error), error)
        f.clear_cache()
        RATE = 2
        print(f(np.ones(3)))
    """)
    wanted = project.run(WEFT_CACHE="0").output
    assert project.run().output == project.run().output == wanted


def test_settings_that_compiled_code_depends_on_are_told_apart(project: Project) -> None:
    project.write_program("""
        @weft.function
        def f(x):
            for i in range(4):
                x = x * 2
            return x

        print(f(np.ones(2)))
    """)
    assert project.run().stored == 1
    assert project.run(WEFT_UNROLL_LIMIT="2").stored == 1
    assert project.run(WEFT_UNROLL_LIMIT="2").found == 1
    assert project.run(WEFT_VERIFY="1", WEFT_RETRACING_WARNING="0").found == 1
