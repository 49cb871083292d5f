"""State whose elements code that is traced as it is needs: what of it is compiled in, and what stays data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import weft


@weft.do_not_convert
def as_array(x):
    return np.asarray(x)


@weft.do_not_convert
def chosen(items, number):
    return items[int(number)]


def variable(*elements):
    return weft.Variable(np.array(elements))


def needing(what, name):
    return pytest.warns(
        weft.FallbackWarning,
        match=rf"{what} needs the elements of {name} while the function is traced: they are",
    )


class Box:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def test_a_needed_variable_is_compiled_in_and_the_others_are_data():
    w, shape = variable(1.0, 1.0, 1.0), variable(1.0, 2.0)

    @weft.function
    def f(x):
        with weft.GradientTape() as tape:
            y = np.sum(w * x) * as_array(shape.value)[1]
        return tape.gradient(y, [w]), y

    with needing("a conversion to a NumPy array", "shape") as caught:
        (gradient,), _ = f(np.full(3, 2.0))
    assert [warning.filename for warning in caught] == [__file__]
    assert warning_line(caught) == "return np.asarray(x)"
    assert gradient.tolist() == [4, 4, 4]
    w.assign([1, 2, 3])
    assert f(np.full(3, 2.0))[1] == 24
    traces = f.trace_count
    shape.assign([1, 3])
    assert f(np.full(3, 2.0))[1] == 36
    assert f.trace_count == traces + 1


def warning_line(caught):
    import linecache

    return linecache.getline(caught[0].filename, caught[0].lineno).strip()


def test_what_is_computed_of_a_variable_is_needed():
    v, w = variable(1, 2), variable(1.0, 2.0)

    @weft.function
    def f(x):
        k = v * 2
        if x > 0:
            k = k + v
        return chosen([x] * 10, np.sum(v.value)) * np.sum(w), k

    with needing(r"int\(\)", "v"):
        assert f(1.0)[0] == 3
    w.assign([2, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(1.0)[0] == 4


@pytest.mark.parametrize("how", ["assign", "value", "add", "out", "item"])
def test_a_needed_variable_that_is_written_is_refused(how):
    counter, w = variable(0.0, 1.0), variable(1.0)

    @weft.do_not_convert
    def library(x):
        y = [x, 2 * x][int(counter.value[0])]
        match how:
            case "assign":
                counter.assign_add(1)
            case "value":
                counter.value[0] += 1
            case "add":
                globals()["counter"] = counter.__iadd__(1)
            case "out":
                np.add(counter, 1, out=counter)
            case "item":
                counter[0] = 1
        return y * w

    message = r"int\(\) needs the value .*counter is not compiled in instead, as the function writes to it"
    for _ in range(2):
        with pytest.raises(TypeError, match=f"(?s){message}.*int\\(counter.value\\[0\\]\\)"):
            weft.function(library)(1.0)
    assert counter.value.tolist() == [0, 1]


def test_a_needed_variable_that_is_differentiated_is_refused():
    w = variable(1.0, 2.0)

    @weft.function
    def f(x):
        with weft.GradientTape() as tape:
            y = np.sum(as_array(w.value) * x)
        return tape.gradient(y, [w])

    with pytest.raises(TypeError, match="w is not compiled in instead, as a gradient by it is asked for"):
        f(2.0)


def test_arrays_in_attributes():
    box = Box(place=np.array([1, 2]), w=np.ones(3), scale=np.float64(2), items=[np.array([1])])

    @weft.function
    def f(x):
        with weft.GradientTape() as tape:
            y = chosen([x, 2 * x, 3 * x], box.place[0]) * np.sum(box.w) * box.scale
            y = chosen([y, 2 * y], box.items[0][0])
        return y, tape.gradient(y, box.w)

    def seen(y, gradient):
        found = f(np.float64(1))
        assert (found[0], found[1].tolist()) == (y, [gradient] * 3)

    seen(24, 8)
    box.w *= 2
    seen(48, 8)
    box.scale = np.float64(1)
    seen(24, 4)
    traces = f.trace_count
    box.place[0] = 2
    seen(36, 6)
    box.items[0][0] = 0
    seen(18, 3)
    assert f.trace_count == traces + 2
    box.w += 1
    seen(27, 3)


def test_an_array_in_an_attribute_that_is_needed_and_written_is_refused():
    box = Box(place=np.array([0, 2]), w=np.ones(3))

    @weft.function
    def f(x):
        y = chosen([x, 2 * x, 3 * x], box.place[0]) * np.sum(box.w)
        box.place[0] += 1
        return y

    with pytest.raises(
        TypeError, match=r"box.place is not compiled in instead, as the function writes to it"
    ):
        f(np.float64(1))
    assert box.place.tolist() == [0, 2]


def test_where_it_is_not_known_what_is_needed_variables_stay_data():
    w, box = variable(1.0, 2.0), Box(table=np.arange(3.0), is_on=np.bool_(True))

    @weft.do_not_convert
    def library(x):
        if not isinstance(box.table, np.ndarray):
            raise weft.UnsupportedError("this takes arrays of NumPy's")
        return x * box.table[2]

    @weft.function
    def f(x):
        with weft.GradientTape() as tape:
            table = box.table
            y = np.sum(w * library(x)) + np.sum(table)
        return tape.gradient(y, w)

    assert f(np.float64(3)).tolist() == [6, 6]
    w.assign([5, 5])
    box.table[2] = 3
    assert f(np.float64(3)).tolist() == [9, 9]


def test_a_failing_trace_changes_nothing_for_later_ones():
    w, box = variable(1.0, 2.0), Box(fails=True, scale=np.ones(2))

    @weft.function
    def f(x):
        if box.fails:
            raise weft.UnsupportedError("not now")
        return np.sum(w * x * box.scale)

    with pytest.raises(weft.UnsupportedError, match="not now"):
        f(1.0)
    box.fails = False
    assert f(1.0) == 3
    traces = f.trace_count
    box.scale *= 2
    assert f(1.0) == 6
    assert f.trace_count == traces


def test_a_value_that_is_needed_in_a_loop_and_a_branch():
    """What these had recorded is erased by the time that the state is looked for."""
    scale = variable(2.0, 3.0)

    @weft.function
    def f(x, n):
        total = 0.0
        for i in range(n):
            row = x * i
            for j in range(n):
                if row[j] > 0:
                    total += chosen([1.0, 10.0, 100.0], np.sum(np.sin(scale * 0) + scale) - 4)
        return total

    x, n = np.ones(20), np.int64(20)
    with needing(r"int\(\)", "scale"):
        assert f(x, n) == 3800.0
    scale.assign([2.0, 4.0])
    assert f(x, n) == 38000.0
