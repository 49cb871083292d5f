"""A sweep over parameters, on all processors: joblib's workers run a compiled function.

    pip install joblib
    python examples/sweep_joblib.py

The function goes to the workers with its source, with what it reads, and with its compiled code: one call here, before
the sweep, is all that is compiled.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import joblib
import numpy as np

import weft


@weft.function
def population(growth: Any, harvest: Any, years: Any) -> Any:
    """The fish that are left of a stock that grows and is harvested, and the catch of all years."""
    stock, total = 1.0, 0.0
    for _ in range(years):
        taken = harvest * stock
        stock = stock + growth * stock * (1 - stock) - taken
        total = total + taken
        if stock < 1e-3:
            stock = 0.0
            break
    return stock, total


def catch(growth: float, harvest: float) -> tuple[float, float, float, float]:
    """One point of the sweep."""
    stock, total = population(np.float64(growth), np.float64(harvest), np.int64(10_000))
    return growth, harvest, float(stock), float(total)


def main() -> None:
    """Print the best harvest for each growth."""
    growths, harvests = np.linspace(0.1, 0.9, 5), np.linspace(0.0, 0.5, 51)
    catch(0.5, 0.1)  # compiled here, once
    found = joblib.Parallel(n_jobs=2)(
        joblib.delayed(catch)(growth, harvest) for growth, harvest in product(growths, harvests)
    )
    for growth in growths:
        best = max((row for row in found if row[0] == growth), key=lambda row: row[3])
        print(f"growth {growth:.1f}: harvest {best[1]:.2f} a year, stock {best[2]:.2f}, catch {best[3]:,.0f}")


if __name__ == "__main__":
    main()
