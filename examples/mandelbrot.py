"""Draw the Mandelbrot set with a loop over every pixel, and write it to a PNG file.

The escape loop is plain Python with a `break`; compiled, it runs at machine speed. The eager function draws a small
picture for comparison, as it takes seconds for a large one. Run it with `make demo`; a path on the command line says
where the picture goes (build/mandelbrot.png by default).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from pictures import write_png

import weft

SMALL, LARGE = 128, 1024
STEPS = 200


def escape_times(image: Any, left: Any, top: Any, extent: Any, most: Any) -> Any:
    """Write after how many steps every pixel escapes, 0 if it does not, and return how many stay inside."""
    height, width = image.shape
    inside = 0
    for row in range(height):
        cy = top - extent * row / height
        for column in range(width):
            cx = left + extent * column / width
            x = y = 0.0
            steps = 0
            while steps < most:
                x, y = x * x - y * y + cx, 2 * x * y + cy
                steps += 1
                if x * x + y * y > 4.0:
                    image[row, column] = steps
                    break
            else:
                inside += 1
    return inside


def colours(image: Any) -> Any:
    """An RGB picture of escape times: black inside, dark blue to white outside."""
    level = np.where(image == 0, 0, np.sqrt(image / STEPS))[..., np.newaxis]
    ramp = np.concatenate([level**1.5, level, 0.25 + 0.75 * level**0.5], axis=-1)
    return np.where(image[..., np.newaxis] == 0, 0, 255 * np.clip(ramp, 0, 1)).astype(np.uint8)


def timed(function: Any, size: int) -> tuple[Any, Any, float]:
    """Draw a picture: it, the pixels inside, and the seconds."""
    image = np.zeros((size, size), np.int32)
    start = time.perf_counter()
    inside = function(image, np.float64(-2.1), np.float64(1.4), np.float64(2.8), np.int64(STEPS))
    return image, inside, time.perf_counter() - start


def main() -> None:
    """Draw both ways, compare, and write the large picture."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "build/mandelbrot.png")
    compiled = weft.function(escape_times)
    _, _, first_call = timed(compiled, SMALL)
    image, inside, compiled_time = timed(compiled, SMALL)
    eager_image, eager_inside, eager_time = timed(escape_times, SMALL)
    if inside != eager_inside or not np.array_equal(image, eager_image):
        raise SystemExit("the compiled function disagrees with Python")
    timed(compiled, LARGE)
    large, large_inside, large_time = timed(compiled, LARGE)
    write_png(colours(large), path)

    print("--- the Mandelbrot set, pixel by pixel ---")
    print(
        f"same pixels          {np.mean(image == eager_image):.4f} of {SMALL}x{SMALL}, {inside} inside both times"
    )
    print(f"first call           {first_call * 1e3:8.1f} ms (tracing and compiling included)")
    print(f"Python, {SMALL:4}x{SMALL:<4}    {eager_time * 1e3:8.2f} ms")
    ratio = eager_time / compiled_time
    print(f"weft,   {SMALL:4}x{SMALL:<4}    {compiled_time * 1e3:8.2f} ms   {ratio:.1f}x Python")
    print(f"weft,   {LARGE:4}x{LARGE:<4}    {large_time * 1e3:8.2f} ms   {large_inside} pixels inside")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
