"""`np.poly1d` of coefficients that the program computes: how many are left without leading zeros, values decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import InPlaceOf


class Poly1d(InPlaceOf):
    """What compiled code has in the place of a `numpy.poly1d`: the same operators, methods and messages.

    >>> line = Poly1d(np.array([0.0, 2.0, 1.0]))
    >>> line(3.0), line.order, (line * line).coeffs
    (np.float64(7.0), 1, array([4., 4., 1.]))
    """

    python_type = np.poly1d
    coeffs: Any
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        self.variable = "x"
        if isinstance(c_or_r, Poly1d | np.poly1d):
            self.variable = c_or_r.variable
            c_or_r = c_or_r.coeffs
        elif r:
            c_or_r = _with_roots(np.asarray(c_or_r))
        if variable is not None:
            self.variable = variable
        coefficients = np.atleast_1d(c_or_r)
        if coefficients.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        self.coeffs = _without_leading_zeros(coefficients)

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        variable = self.variable
        return (self.coeffs,), lambda parts: np.poly1d(parts[0], variable=variable)

    def items_of(self) -> Any:
        return self.coeffs

    @property
    def order(self) -> Any:
        """The degree."""
        return len(self.coeffs) - 1

    @property
    def roots(self) -> Any:
        """Where the polynomial is zero."""
        return np.roots(self.coeffs)

    @property
    def c(self) -> Any:
        """The coefficients, the highest power first."""
        return self.coeffs

    coef = coefficients = c
    r, o = roots, order

    def __call__(self, val: Any) -> Any:
        if isinstance(val, Poly1d):
            composed: Any = Poly1d(0)
            for coefficient in self.coeffs:
                composed = composed * val + coefficient
            return composed
        x = np.asarray(val)[()]
        value = np.zeros_like(x, np.result_type(self.coeffs, x))[()]
        for coefficient in self.coeffs:
            value = value * x + coefficient
        return value

    def deriv(self, m: int = 1) -> Poly1d:
        """The derivative."""
        if m < 0:
            raise ValueError("Order of derivative must be positive (see polyint)")
        coefficients = self.coeffs
        for _ in range(m):
            coefficients = coefficients[:-1] * np.arange(len(coefficients) - 1, 0, -1)
        return Poly1d(coefficients)

    def integ(self, m: int = 1, k: Any = 0) -> Poly1d:
        """The antiderivative."""
        if m < 0:
            raise ValueError("Order of integral must be positive (see polyder)")
        constants = np.atleast_1d(k)
        if len(constants) == 1 and m > 1:
            constants = constants[0] * np.ones(m, float)
        if len(constants) < m:
            raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
        coefficients = self.coeffs
        for i in range(m):
            coefficients = np.append(coefficients / np.arange(len(coefficients), 0, -1), constants[i])
        return Poly1d(coefficients)

    # Operators

    def __neg__(self) -> Poly1d:
        return Poly1d(-self.coeffs)

    def __pos__(self) -> Poly1d:
        return self

    def __mul__(self, other: Any) -> Poly1d:
        if np.isscalar(other):
            return Poly1d(self.coeffs * other)
        return Poly1d(_product(self.coeffs, Poly1d(other).coeffs))

    def __rmul__(self, other: Any) -> Poly1d:
        if np.isscalar(other):
            return Poly1d(other * self.coeffs)
        return Poly1d(_product(self.coeffs, Poly1d(other).coeffs))

    def __add__(self, other: Any) -> Poly1d:
        return Poly1d(_sum(self.coeffs, Poly1d(other).coeffs))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Poly1d:
        return Poly1d(_sum(self.coeffs, -Poly1d(other).coeffs))

    def __rsub__(self, other: Any) -> Poly1d:
        return Poly1d(_sum(Poly1d(other).coeffs, -self.coeffs))

    def __truediv__(self, other: Any) -> Any:
        if np.isscalar(other):
            return Poly1d(self.coeffs / other)
        quotient, remainder = _divided(self.coeffs, Poly1d(other).coeffs)
        return Poly1d(quotient), Poly1d(remainder)

    def __pow__(self, val: int) -> Poly1d:
        if val < 0:
            raise ValueError("Power to non-negative integers only.")
        power = Poly1d(1)
        for _ in range(val):
            power = self * power
        return power

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Poly1d | np.poly1d):
            return NotImplemented
        if len(self.coeffs) != len(other.coeffs):
            return False
        return (self.coeffs == other.coeffs).all()

    def __ne__(self, other: object) -> Any:
        if not isinstance(other, Poly1d | np.poly1d):
            return NotImplemented
        return not self == other

    # Coefficients

    def __len__(self) -> Any:
        return self.order

    def __iter__(self) -> Iterator[Any]:
        return iter(self.coeffs)

    def __getitem__(self, val: Any) -> Any:
        if val > self.order or val < 0:
            return self.coeffs.dtype.type(0)
        return self.coeffs[self.order - val]

    def __setitem__(self, key: Any, val: Any) -> None:
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            zeros = np.zeros(key - self.order, self.coeffs.dtype)
            self.coeffs = np.concatenate((zeros, self.coeffs))
        self.coeffs[self.order - key] = val


def _without_leading_zeros(coefficients: Any) -> Any:
    if len(coefficients) == 0:
        return np.array([0], dtype=coefficients.dtype)
    return _from_first(coefficients, coefficients != 0)


def _from_first(coefficients: Any, is_wanted: Any) -> Any:
    """From the first one that is wanted on; the last one alone if none is."""
    return coefficients[np.where(np.any(is_wanted), np.argmax(is_wanted), len(coefficients) - 1) :]


def _with_roots(roots: Any) -> Any:
    """Coefficients of a polynomial with some roots, as `numpy.poly` has them."""
    if roots.ndim != 1 or roots.dtype.kind == "c":
        return np.poly(roots)
    coefficients = np.zeros(len(roots) + 1, np.result_type(roots, float))
    coefficients[0] = 1.0
    for i in range(len(roots)):
        coefficients[1 : i + 2] -= roots[i] * coefficients[: i + 1]
    return coefficients


def _sum(one: Any, other: Any) -> Any:
    """Coefficients of a sum, as `numpy.polyadd` has them."""
    total = np.zeros(np.maximum(len(one), len(other)), np.result_type(one, other))
    total[len(total) - len(one) :] += one
    total[len(total) - len(other) :] += other
    return total


def _product(one: Any, other: Any) -> Any:
    """Coefficients of a product, as `numpy.polymul` has them."""
    product = np.zeros(len(one) + len(other) - 1, np.result_type(one, other))
    for i in range(len(other)):
        product[i : i + len(one)] += one * other[i]
    return product


def _divided(dividend: Any, divisor: Any) -> Any:
    """Quotient and remainder, as `numpy.polydiv` has them."""
    rest, divisor = dividend + 0.0, divisor + 0.0
    rest = rest.astype(np.result_type(rest, divisor))
    count, width = len(rest) - len(divisor) + 1, len(divisor)
    quotient = np.zeros(max(count, 1), rest.dtype)
    for k in range(count):
        quotient[k] = rest[k] / divisor[0]
        rest[k : k + width] -= quotient[k] * divisor
    return quotient, _from_first(rest, np.logical_not(np.isclose(rest, 0, rtol=1e-14)))


IN_PLACE = (Poly1d,)
