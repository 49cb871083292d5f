"""Objects of SciPy's that are made in compiled functions, of values that are known when these run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

pytest.importorskip("scipy")
from scipy.interpolate import CubicSpline, RegularGridInterpolator, interp1d
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation
from scipy.stats import gaussian_kde, multivariate_normal

pytestmark = pytest.mark.filterwarnings("ignore::weft.FallbackWarning")

OUTSIDE = Rotation.from_euler("z", 0.7)
X = np.array([0.0, 1, 2, 3])


def turned(angle: Any) -> Any:
    """A matrix, a product of rotations, one that a loop carries, one of a branch, and one from outside."""
    first = Rotation.from_euler("z", angle)
    both = first.inv() * Rotation.from_euler("xyz", [angle, 2 * angle, 0.1])
    carried = Rotation.identity()
    for _ in range(3):
        carried = carried * first
    matrix = Rotation.from_euler("x", angle).as_matrix() if angle > 0 else np.eye(3)
    return (
        first.as_matrix()[:2, :2],
        both.magnitude(),
        both.apply(np.array([1.0, 0, 0])),
        carried.as_quat(),
        matrix,
        OUTSIDE.as_matrix() * angle,
    )


def splines(x: Any, y: Any) -> Any:
    spline = CubicSpline(x, y)
    return spline(np.linspace(0, 3, 7)), spline(1.5), spline.derivative()(1.5), spline.c, interp1d(x, y)(1.5)


def on_grids(x: Any, y: Any) -> Any:
    return RegularGridInterpolator((x, x), np.outer(y, y))([[0.5, 1.5], [2.0, 2.5]])


def nearest(x: Any, y: Any) -> Any:
    distances, places = cKDTree(np.stack([x, y], axis=1)).query(np.array([1.1, 0.9]), k=2)
    return distances, places


def density(x: Any, y: Any) -> Any:
    return gaussian_kde(x + y)(np.array([0.0, 1.0]))


def of_a_covariance(x: Any, y: Any) -> Any:
    normal = multivariate_normal(x[:2], np.outer(y, y)[:2, :2] + np.eye(2))
    return normal.logpdf(y[:2]), normal.mean


def changed_later(x: Any, y: Any) -> Any:
    rotation = Rotation.from_rotvec(x[1:])
    x[1] = 100.0
    return rotation.as_rotvec(), y


def leaves_of(result: Any) -> list[Any]:
    return [leaf for part in result for leaf in leaves_of(part)] if isinstance(result, tuple) else [result]


def assert_same(result: Any, expected: Any) -> None:
    for mine, its in zip(leaves_of(result), leaves_of(expected), strict=True):
        assert type(mine) is type(its)
        assert np.asarray(mine).dtype == np.asarray(its).dtype
        np.testing.assert_allclose(mine, its, rtol=1e-12, atol=1e-14)


def test_rotations_of_numbers_that_become_data() -> None:
    compiled = weft.function(turned)
    for angle in (0.3, 0.4, -0.2, 0.5):
        assert_same(compiled(angle), turned(angle))


@pytest.mark.parametrize("made", [splines, on_grids, nearest, density, of_a_covariance, changed_later])
def test_objects_of_arrays(made: Callable[[Any, Any], Any]) -> None:
    compiled = weft.function(made)
    for scale in (1.0, 2.0):
        assert_same(compiled(X.copy(), X**2 * scale), made(X.copy(), X**2 * scale))


def test_a_call_is_announced() -> None:
    with pytest.warns(weft.FallbackWarning, match=r"Rotation\.as_matrix is not compiled"):
        weft.function(lambda x: Rotation.from_rotvec(x).as_matrix())(np.ones(3))


def test_objects_that_change_are_refused() -> None:
    @weft.function
    def changes(x: Any) -> Any:
        kernel = gaussian_kde(x)
        kernel.set_bandwidth(0.3)
        return kernel(x)

    with pytest.raises(weft.UnsupportedError, match="set_bandwidth gives nothing: it changes its object"):
        changes(X)

    @weft.function
    def assigns(x: Any) -> Any:
        spline = CubicSpline(x, x)
        spline.c = x
        return spline(x)

    with pytest.raises(weft.UnsupportedError, match="'c' of a CubicSpline of run-time values is changed"):
        assigns(X)


def test_writes_through_an_attribute_are_refused() -> None:
    @weft.function
    def writes(x: Any) -> Any:
        spline = CubicSpline(x, x)
        spline.c[3, 1] = 50.0
        return spline(1.5)

    with pytest.raises(weft.UnsupportedError, match=r"this writes to CubicSpline\.c, .* write to a copy"):
        writes(X)


def test_draws_of_objects_are_refused() -> None:
    with pytest.raises(weft.UnsupportedError, match="resample draws random numbers"):
        weft.function(lambda x: gaussian_kde(x).resample(3))(X)


def test_what_no_example_makes_is_refused() -> None:
    with pytest.raises(weft.UnsupportedError, match="what it gives could not be found while tracing"):
        weft.function(lambda x: Rotation.from_euler("q", x).as_matrix())(X)


def test_errors_of_a_call_are_those_of_scipy() -> None:
    compiled = weft.function(lambda x, y: CubicSpline(x, y)(0.5))
    assert_same(compiled(X, X), CubicSpline(X, X)(0.5))
    with pytest.raises(ValueError, match="strictly increasing"):
        compiled(X[::-1].copy(), X)


def test_numbers_stay_pythons_in_copies() -> None:
    import copy

    class Counted:
        steps = 0

    @weft.function
    def steps(counted: Any) -> Any:
        return copy.deepcopy({"n": counted.steps})["n"], copy.copy(counted.steps)

    counted = Counted()
    for count in range(4):
        counted.steps = count
        assert [type(part) for part in steps(counted)] == [int, int]


def test_objects_are_of_their_classes() -> None:
    """What stands for an object while tracing is of the class that the object has."""

    @weft.function
    def classes(angle: Any) -> Any:
        found: Any = Rotation.from_euler("z", angle)
        return isinstance(found, Rotation), isinstance(found, list), type(found) is Rotation

    assert classes(np.float64(0.5)) == (True, False, True)
