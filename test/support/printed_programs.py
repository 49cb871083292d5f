"""What `six_programs.c` prints of the exported programs, by eager NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .exported_programs import Net, lu, mlp, pick, softmax, stencil


class Drawn:
    """The numbers that the program draws."""

    def __init__(self) -> None:
        self._state = 1

    def __call__(self, *shape: int, dtype: Any = np.float64) -> Any:
        numbers = []
        for _ in range(int(np.prod(shape))):
            self._state = (self._state * 6364136223846793005 + 1442695040888963407) % 2**64
            numbers.append((self._state >> 33) / 2147483648.0 - 0.5)
        return np.array(numbers).reshape(shape).astype(dtype)


def expected() -> Iterator[tuple[str, int, Any]]:
    """Names, result codes, and numbers or messages."""
    draw, f32 = Drawn(), np.float32
    x, w1, b1, w2, b2 = (draw(*s, dtype=f32) for s in ((64, 8), (8, 16), (16,), (16, 4), (4,)))
    yield "mlp_sizes", 0, [64]
    yield "mlp", 0, mlp(x, w1, b1, w2, b2)
    yield "mlp", 0, mlp(x[:1], w1, b1, w2, b2)
    yield "mlp", 0, []
    s = draw(5, 333, dtype=f32)
    yield "softmax_sizes", 0, [5, 333]
    yield "softmax", 0, softmax(s)
    yield "softmax", 2, "zero-size array to reduction operation maximum which has no identity"
    a, b = draw(40, 50), draw(40, 50)
    stencil(a, b, 7)
    yield "stencil", 0, a
    yield "stencil", 0, b
    yield "stencil", 20, "the call was cancelled"
    tx, ty, net = draw(32, 8), draw(32), Net()
    losses = [net.train(tx, ty) for _ in range(3)]
    yield from (("train", 0, [loss]) for loss in losses)
    yield "net.w", 0, net.w
    yield "net.steps", 0, [3]
    yield "other", 0, losses[:1]
    yield "load", 0, []
    yield "loaded", 0, losses[2:]
    yield "load", 2, [2]
    yield "train", 2, "operands could not be broadcast together with shapes (32,) (31,) "
    m = draw(20, 20)
    p = lu(m)
    yield "lu", 0, m
    yield "lu", 0, p
    yield "lu", 4, "matrix is singular"
    v = np.arange(1.0, 5.0)
    yield "pick", 0, [pick(v, 2)]
    yield "pick", 0, [pick(v, -1)]
    message = "index 9 is out of bounds for axis 0 with size 4"
    yield "pick", 1, message
    yield "pick", 1, []
    yield "cut", len(message), "in"


def compare(printed: str) -> None:
    """Hold what was printed to what NumPy computes."""
    lines = printed.splitlines()
    wanted = list(expected())
    assert len(lines) == len(wanted), printed
    for line, (name, code, result) in zip(lines, wanted, strict=True):
        found, number, *rest = line.split(" ")
        assert (found, int(number)) == (name, code), line[:200]
        if isinstance(result, str):
            assert " ".join(rest) == result
        else:
            np.testing.assert_allclose([float(n) for n in rest], np.ravel(result), rtol=2e-5, atol=1e-6)
