"""Writes: views, cells, arguments, `out=`, and that what NumPy shares is shared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from support.differential import check


def test_slice_assignment_to_an_argument_is_seen_by_the_caller():
    def f(x):
        x[1:-1] = x[:-2] + x[2:]

    check(f, np.arange(6.0))


def test_views_see_writes_to_their_base():
    def f(x):
        row, column = x[0], x[:, 1]
        x[0, 1] = 7
        column[2] = -1
        row += column[0]
        return row, column, x.T

    check(f, np.arange(12.0).reshape(3, 4))


def test_reads_before_a_write_keep_their_values():
    def f(x):
        before = x + 0
        total = x.sum()
        x *= 2
        return before, total, x.sum()

    check(f, np.arange(4.0))


def test_elements_at_evenly_spaced_places_are_copies():
    def picked(x):
        forth, back = x[np.arange(0, len(x), 2)], x[np.arange(len(x) - 1, -1, -3)]
        x[0] += 7
        forth[1] = 5
        return forth, back, x[[1, 3]] + x[[3, 1]]

    x = np.arange(10.0)
    eager, given = x.copy(), x.copy()
    wanted, got = picked(eager), weft.function(picked)(given)
    for one, other in zip((*wanted, eager), (*got, given), strict=True):
        np.testing.assert_array_equal(one, other)


def test_local_arrays():
    def f(x):
        y = x * 2
        z = y
        y[::-2] = 0
        y[0] += 3
        return y, z, z.sum()

    check(f, np.arange(5))


def test_reshape_is_a_view_where_numpy_makes_one():
    def f(x):
        flat = x.reshape(-1)
        flat[1] = 50
        turned = x.T.reshape(-1)
        turned[2] = 60
        return flat, turned, x

    check(f, np.arange(6).reshape(2, 3))


def test_out_and_augmented_operators():
    def f(x, y):
        np.add(x, y, out=x)
        y -= x
        y **= 2
        np.multiply(x[1:2], 2, out=y[:1])
        return x @ y

    check(f, np.arange(4.0), np.ones(4))


def test_in_place_keeps_the_dtype():
    def f(x):
        x += 3
        x[0] = 2.9
        return x

    check(f, np.arange(4, dtype=np.int16))
    check(lambda x: np.add(x, 0.5, out=x), np.arange(3))  # UFuncTypeError, and nothing is written


def test_fancy_assignment():
    def f(x, i, mask):
        x[i] = [10, 20, 30]
        x[i] += 1
        x[mask] = -1
        x[x > 25] = x[0] * 0
        return x

    check(f, np.arange(8), np.array([5, 0, -2]), np.arange(8) % 3 == 0)


def test_last_write_wins():
    def f(x, i):
        x[i] = np.arange(4)

    check(f, np.zeros(3, int), np.array([1, 1, 0, 1]))


def test_add_at_places_from_the_end_without_reading_them_twice():
    def f(h, places, values):
        np.add.at(h, places, values)
        np.subtract.at(h, (places,), 2.0)
        return h

    h, places = np.arange(6.0), np.array([0, -1, 3, -6, 5, 0], np.int32)
    compiled = weft.function(f)
    np.testing.assert_array_equal(compiled(h.copy(), places, h), f(h.copy(), places, h))
    assert "weft.gather" not in compiled.get_concrete_function(h, places, h).as_text("optimized")
    with pytest.raises(IndexError, match="index -7 is out of bounds for axis 0 with size 6"):
        compiled(h.copy(), places - 1, h)


def test_add_at():
    def f(x, i):
        np.add.at(x, i, 1)

    check(f, np.zeros(3), np.array([0, 2, 0, 0]))


def test_swap_rows():
    def f(x):
        x[[0, 1]] = x[[1, 0]]
        x[2], x[3] = x[3], x[2]
        return x

    def swap_of_views(x):
        a, b = x[0].copy(), x[1].copy()
        x[0], x[1] = b, a
        return x

    check(f, np.arange(8).reshape(4, 2))
    check(swap_of_views, np.arange(8).reshape(4, 2))


def test_overlapping_assignment_reads_first():
    def f(x):
        x[1:] = x[:-1]
        x[:-1] += x[1:]
        return x

    check(f, np.arange(6.0))


def test_real_and_imaginary_parts_are_views():
    def f(z):
        z.real[0] = 5
        z.imag[:] = 1
        return z, z.real, abs(z)

    check(f, np.array([1 + 2j, 3 - 4j]), rtol=1e-15)


def test_fill_sort_and_put():
    def f(x, y):
        x.sort()
        y.fill(3)
        y[1:2].fill(4)
        return x, y

    check(f, np.array([3.0, 1.0, np.nan, 2.0]), np.zeros(4))


def test_broadcast_views_are_read_only():
    def f(x):
        np.broadcast_to(x, (2, 3))[0] = 1

    check(f, np.zeros(3))


def test_writes_through_an_index_that_changes_later():
    def f(x, i):
        row = x[i]
        i = i + 1
        row[0] = 9
        return x[i], row

    check(f, np.arange(6).reshape(3, 2), np.int64(1))


SLICES = st.builds(
    slice,
    st.none() | st.integers(-7, 7),
    st.none() | st.integers(-7, 7),
    st.none() | st.sampled_from([1, 2, 3, -1, -2]),
)


@settings(max_examples=15, deadline=None)
@given(first=SLICES, second=SLICES, third=SLICES)
def test_any_chain_of_slices(first, second, third):
    def f(x):
        view = x[first, second]
        view[third] = view[third] * 10
        part = view.T[third]
        part += 1
        return view, part

    check(f, np.arange(30.0).reshape(5, 6))


def test_masked_updates_from_masked_reads():
    def f(x, y):
        x[x > 25] *= 2
        x[y < 0] = -y[y < 0] + x[y < 0]
        mask = y > 1
        y[mask] = np.sqrt(y[mask]) + 1
        return np.sum(x[mask]), y[y > 0].mean(), (x[mask] > 3).any()

    check(f, np.arange(20.0, 30.0), np.arange(-5.0, 5.0), rtol=1e-14)


def test_masked_rows():
    def f(x, scale):
        x[x[:, 0] > 3] *= scale
        x[x[:, 1] > 9] += np.arange(3)
        x[:, x[0] > 1] -= 1
        return x

    check(f, np.arange(12).reshape(4, 3), 2)


def test_scalars_are_never_written():
    def running(x, start):
        total, kept = start, []
        for row in x:
            kept.append(total)
            total += row.sum()
            total *= 2
        first = x[0, 0]
        before = first
        first -= 1
        return kept, total, first, before, start

    check(running, np.arange(6.0).reshape(2, 3), np.float64(3))


def test_arrays_without_dimensions_are_written():
    def count(n, x):
        alias = n
        n += 1
        x[1, 2, ...] += n
        return alias * 2

    check(count, np.array(3.0), np.ones((2, 3)))


def test_a_scalar_may_become_another_type():
    def grow(n):
        n += 0.5
        return n

    check(grow, np.int64(3))


def test_input_signature_takes_scalars_and_arrays_for_one_trace():
    f = weft.function(lambda n: n * 2, input_signature=[weft.TensorSpec((), "float64")])
    assert [f(3.0), f(np.float64(3)), f(np.array(3.0))] == [6.0] * 3
    assert f.trace_count == 1
