"""Mistakes of a user: each message says what happened, where, and what to write instead."""

from __future__ import annotations

import inspect
import math
import queue
import re
import sys
import traceback

import numpy as np
import pytest

import weft
from support.package import ROOT
from weft.dialect import errors


def message_of(function, *arguments, error=Exception, **options):
    with pytest.raises(error) as caught:
        weft.function(function, **options)(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.array([None]), "object"),
        (np.array(["a" * 40]), "<U40"),
        (np.zeros(2, [("a", "S4")]), r"\[\('a', 'S4'\)\]"),
        (np.zeros(2, np.longdouble), "float128"),
    ],
)
def test_unknown_dtype_names_the_argument_and_the_dtypes_there_are(array, dtype):
    with pytest.raises(
        TypeError,
        match=rf"argument 'data\['x'\]' has dtype {dtype}, which .*; the dtypes there are: bool, int8, .*complex128",
    ):
        weft.function(lambda data: data["x"])({"x": array})


def test_shape_mismatch_shows_shapes_names_and_line():
    def product(left, right):
        return left + 2 * right

    message = message_of(product, np.ones(3, np.float32), np.ones(4, np.float32), error=ValueError)
    line = inspect.getsourcelines(product)[1] + 1
    assert message.startswith("operands could not be broadcast together with shapes (3,) (4,)")
    assert f'test_errors.py", line {line}, in product' in message
    assert "return left + 2 * right" in message
    assert "left is f32[3], right is f32[4]" in message


def test_caret_is_under_the_expression():
    def product(left, right):
        return np.sin(left) + (left @ right)

    message = message_of(product, np.ones((3, 2)), np.ones((3, 2)), error=ValueError)
    lines = message.splitlines()
    source = next(i for i, text in enumerate(lines) if "np.sin(left)" in text)
    # Python 3.10 does not tell columns: the whole line is marked.
    marked = "left @ right" if sys.version_info >= (3, 11) else lines[source].strip()
    assert lines[source + 1].strip() == "^" * len(marked)
    assert lines[source + 1].index("^") == lines[source].index(marked)


@pytest.mark.parametrize(
    ("function", "what", "advice"),
    [
        (lambda x: 1 if x.sum() > 0 else 2, "the truth of an array", "np.where"),
        (lambda x: int(x[0]), "int()", "astype"),
        (lambda x: float(x[0]), "float()", "astype"),
        (lambda x: math.sin(x[0]), "float()", "np.sin(x) instead of math.sin(x)"),
        (lambda x: complex(x[0]), "complex()", "astype"),
        (lambda x: x[x > 0].tolist(), "tolist()", "outside"),
        (lambda x: x.tobytes(), "tobytes()", "outside"),
        (lambda x: len(x[: x.astype(int)[0]]), "len()", "x.shape[0]"),
        (lambda x: [1, 2, 3][x[0].astype(int)], "an index or size in Python", "np.stack(list)[i]"),
        (lambda x: list(range(x[0].astype(int))), "an index or size in Python", "Python int"),
        (lambda x: f"{x[0]:.3f}", "formatting", "outside"),
        (lambda x: np.asarray(x), "a conversion to a NumPy array", "weft.zeros"),
        (lambda x: np.from_dlpack(x), "an exchange through DLPack", "outside"),
    ],
)
def test_a_value_that_python_needs_says_what_to_write(function, what, advice):
    message = message_of(function, np.ones(3), error=TypeError, autograph=False)
    assert message.startswith(f"{what} ")
    assert "known only when the compiled function runs" in message
    assert advice in message
    assert "test_errors.py" in message


def test_writing_traced_values_into_a_numpy_array_points_to_weft():
    def f(x):
        buffer = np.zeros(3)
        buffer[0] = x[1]
        return buffer

    assert "weft.zeros" in message_of(f, np.ones(3), error=TypeError, autograph=False)


def test_methods_that_give_python_values_are_refused_in_converted_code():
    message = message_of(lambda x: x[x > 0].tobytes(), np.ones(3), error=TypeError)
    assert message.startswith("tobytes() needs the value of a traced array (f64[?])")


def test_code_without_a_source_says_that_it_cannot_be_converted():
    namespace = {}
    exec("def choose(x):\n    return 1 if x.sum() > 0 else 2", namespace)
    message = message_of(namespace["choose"], np.ones(3), error=TypeError)
    assert message.startswith("the truth of an array (if, while, and, or, not, assert) needs the value")
    assert "choose is traced as it is" in message


def test_leaked_array_says_where_it_was_made():
    leaked = queue.SimpleQueue()
    keep = weft.do_not_convert(lambda value: leaked.put(value))

    @weft.function
    def f(x):
        keep(x + 1)
        return x * 2

    f(np.ones(2))
    line = inspect.getsourcelines(f.python_function)[1] + 2
    with pytest.raises(
        ValueError,
        match=rf"of f is used after the tracing of f has ended; it was made at .*test_errors.py:{line}",
    ):
        leaked.get() + 1


def test_leaked_array_in_another_trace():
    leaked = queue.SimpleQueue()
    keep = weft.do_not_convert(lambda value: leaked.put(value))
    weft.function(lambda x: keep(x * 1))(np.ones(2))
    found = leaked.get()
    with pytest.raises(ValueError, match="is used after the tracing"):
        weft.function(lambda x: x + found)(np.ones(2))
    with pytest.raises(weft.LeakedArrayError, match="is used after the tracing"):
        found[0] = 1.0


def test_endless_recursion_names_the_line():
    def count_down(n):
        return count_down(n - 1)

    message = message_of(count_down, np.ones(2), error=RecursionError)
    assert "count_down recursed without end while it was traced" in message
    assert "return count_down(n - 1)" in message


@pytest.mark.parametrize("is_converted", [True, False])
def test_enormous_unrolled_trace_names_the_line(is_converted):
    def long(x):
        for _ in weft.unroll(range(10**9)):
            x = x + 1
        return x

    with weft.settings.scope(max_trace_ops=1000):
        message = message_of(long, np.ones(2), error=NotImplementedError, autograph=is_converted)
    assert "the trace of long has more than 1000 operations" in message
    assert "x = x + 1" in message


def test_unsupported_numpy_function_names_the_closest():
    with weft.settings.scope(fallback=False):
        message = message_of(lambda x: np.nanargmax(x), np.ones(3), error=NotImplementedError)
    assert "numpy.nanargmax" in message
    assert "argmax" in message


def test_index_errors_are_numpys():
    for function in (lambda x: x[5], lambda x: x[1, 2], lambda x: x["a"], lambda x: x[0.5]):
        with pytest.raises(IndexError) as expected:
            function(np.ones(3))
        message = message_of(function, np.ones(3), error=IndexError)
        assert message.startswith(str(expected.value))


def test_index_out_of_bounds_at_run_time():
    def pick(x, i):
        return x[i] * 2

    f = weft.function(pick)
    x = np.arange(5.0)
    assert f(x, np.int64(-5)) == 0.0
    for index in (5, -6, 2**40):
        with pytest.raises(IndexError) as expected:
            pick(x, np.int64(index))
        with pytest.raises(IndexError) as caught:
            f(x, np.int64(index))
        assert str(caught.value).startswith(str(expected.value))
    assert f.trace_count == 1


def test_nothing_happens_after_a_run_time_error_and_what_came_before_is_kept():
    def f(x, i):
        x[0] = 1
        y = x[i]
        x[1] = 2
        return y

    got, expected = np.zeros(3), np.zeros(3)
    for function, x in ((weft.function(f), got), (f, expected)):
        with pytest.raises(IndexError):
            function(x, np.int64(7))
    np.testing.assert_array_equal(got, expected)


def test_tracebacks_show_user_frames_only():
    def inner(x):
        return x + np.ones(4)

    def outer(x):
        return inner(x)

    with pytest.raises(ValueError, match="broadcast") as caught:
        weft.function(outer)(np.ones(3))
    own = [
        f
        for f in traceback.extract_tb(caught.value.__traceback__)
        if not f.filename.endswith("test_errors.py")
    ]
    assert [f.name for f in own] == ([] if sys.version_info >= (3, 11) else ["__call__"])
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-2:] == ["outer", "inner"]
    with weft.settings.scope(full_traceback=True), pytest.raises(ValueError, match="broadcast") as caught:
        weft.function(outer)(np.ones(3))
    own = [
        f
        for f in traceback.extract_tb(caught.value.__traceback__)
        if not f.filename.endswith("test_errors.py")
    ]
    assert len(own) > 5


def test_errors_of_the_user_pass_unchanged():
    class Odd(Exception):
        def __init__(self, a, b):
            super().__init__(a, b)

    def f(x):
        raise Odd(1, 2)

    with pytest.raises(Odd) as caught:
        weft.function(f)(np.ones(1))
    assert caught.value.args == (1, 2)


def test_not_callable():
    with pytest.raises(TypeError, match=r"weft\.function compiles callables, not 3"):
        weft.function(3)


def test_specs_are_checked():
    with pytest.raises(TypeError, match="'f33' is not a dtype; the dtypes there are"):
        weft.TensorSpec([2], "f33")
    for extent in (-1, 2.5, "a", True, np.float64(2)):
        for shape in ([extent], extent):
            with pytest.raises(
                ValueError, match=re.escape(f"an extent is None or a non-negative int, not {extent!r}")
            ):
                weft.TensorSpec(shape)
    assert weft.TensorSpec(np.int64(3)) == weft.TensorSpec([3]) == weft.TensorSpec(3)
    with pytest.raises(TypeError, match="TensorSpec: a name is a string, not 3"):
        weft.TensorSpec([2], "float32", 3)
    with (
        pytest.raises(ValueError, match="there is no setting 'typo'; the settings are"),
        weft.settings.scope(typo=1),
    ):
        pass


def test_python_integer_out_of_range():
    message = message_of(lambda x: x + 300, np.ones(2, np.uint8), error=OverflowError)
    assert "300 out of bounds for uint8" in message


@pytest.mark.skipif(sys.version_info < (3, 11), reason="notes came with Python 3.11")
@pytest.mark.parametrize(
    "function",
    [
        lambda left: left.sum(axis=5),
        lambda left: ~left,
        lambda left: np.add(left, 1, out=left.astype("int64")),
        lambda left: left.astype("uint8") + 300,
    ],
)
def test_errors_in_the_words_of_numpy_name_line_and_arrays_in_a_note(function):
    with pytest.raises((TypeError, ValueError, OverflowError)) as expected:
        function(np.ones((2, 3)))
    with pytest.raises(type(expected.value)) as caught:
        weft.function(function)(np.ones((2, 3)))
    assert str(caught.value) == str(expected.value)
    (note,) = caught.value.__notes__
    assert "test_errors.py" in note
    assert "^^^" in note
    assert note.endswith("  where left is f64[2,3]")


def test_errors_at_run_time_come_through_the_lines_of_the_function():
    def pick(x, i):
        return x[i] * 2

    def twice(x, i):
        return pick(x, i) * 2

    with pytest.raises(IndexError) as caught:
        weft.function(twice)(np.ones(3), np.array([0, 7]))
    first = inspect.getsourcelines(pick)[1] + 1
    entries = traceback.extract_tb(caught.value.__traceback__)[-2:]
    assert [(e.name, e.lineno, e.line) for e in entries] == [
        ("twice", first + 3, "return pick(x, i) * 2"),
        ("pick", first, "return x[i] * 2"),
    ]
    if sys.version_info >= (3, 11):
        assert [(e.colno, e.end_colno) for e in entries] == [(15, 25), (15, 19)]
    assert not hasattr(caught.value, "__notes__")
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.broadcast_to(x, (2**40, 2**40, 3)),
        lambda x: weft.ones((2**31, 2**33), dtype="int8") * x.astype("int8")[0],
        lambda x: np.repeat(x, 2**62),
        lambda x: np.pad(x, 2**63),
        lambda x: weft.zeros(2**70) + x[0],
        lambda x: weft.arange(2**62) + x[0],
    ],
)
def test_arrays_that_cannot_be_addressed_name_the_line(function):
    message = message_of(function, np.ones(3), error=ValueError)
    assert re.search(r"array is too big|Maximum allowed size exceeded", message)
    assert "test_errors.py" in message
    assert "^^^" in message


def test_sizes_that_wrap_around_at_run_time_are_not_allocated():
    def smallest(x):
        n = x.shape[0]
        return np.sort(np.broadcast_to(x[:, None, None, None, None], (n, n, n, n, n)), axis=0)[0, 0, 0, 0, 0]

    def grid(x):
        n = x.shape[0]
        return np.broadcast_to(x[:, None, None, None, None], (n, n, n, n, n)) + 1

    for function, error in ((smallest, MemoryError), (grid, ValueError)):
        f = weft.function(function, input_signature=[weft.TensorSpec([None], "float32")])
        small = np.arange(1.0, 4.0, dtype=np.float32)
        np.testing.assert_array_equal(f(small), function(small))
        for exponent in (13, 16):  # 2**65 and 2**80 elements, of which 64 bits show none
            with pytest.raises(
                error, match=r"the intermediate arrays of smallest need|array is too big|Maximum allowed"
            ):
                f(np.ones(2**exponent, np.float32))
        np.testing.assert_array_equal(f(small), function(small))


CAUGHT_INSIDE = {
    "MayBeAnother": "an `UnsupportedError` by name, told apart as short loops are then recorded once",
    "NotScheduled": "a kernel goes to the host",
    "NotStamped": "a profile goes without the times of kernels",
    "Refused": "a node of ONNX, whose message is put into the error of its model",
    "RowsRefused": "an `UnsupportedError` by name, told apart as objects are then tried without rows",
    "RuntimeFailure": "becomes the exception that the program raises",
    "TooLongError": "indices are checked when the program runs",
    "WritesOthers": "a loop goes without a picture of its permutation",
}
"""The errors that are no public names, and what becomes of them."""


def test_every_error_that_a_user_meets_is_public_and_in_the_reference() -> None:
    own = {n for n, v in {**vars(errors), "AxisError": errors.AxisError}.items() if isinstance(v, type)}
    own = {name for name in own if issubclass(getattr(errors, name), Exception)}
    assert own <= set(weft.__all__)
    assert all(getattr(weft, name) is getattr(errors, name) for name in own)
    sections = re.split(r"^## (\w+)\n", (ROOT / "docs" / "errors.md").read_text(), flags=re.MULTILINE)[1:]
    told = dict(zip(sections[::2], sections[1::2], strict=True))
    assert set(told) == own
    bases = {base.__name__ for name in own for base in getattr(errors, name).__bases__}
    for name in own - bases:
        assert "**Cause.**" in told[name], name
        assert "**Cure.**" in told[name], name


def test_other_classes_of_errors_stay_inside() -> None:
    found: dict[str, str] = {}
    for room in ("dialect", "passes", "backend", "frontend", "tools"):
        for file in (ROOT / room).rglob("*.py"):
            for base in re.findall(
                r"^class (\w+)\((?:\w+, )*(\w*Error|RefusedOperation)\b", file.read_text(), re.MULTILINE
            ):
                if file.name != "errors.py" and hasattr(errors, base[1]):
                    found[base[0]] = str(file)
    assert set(found) == set(CAUGHT_INSIDE), found
