"""What it costs to let the host do something with arrays of a device, as far as it is known without either."""

SECONDS_OF_TRIP = 5e-5
"""To wait for the device, and for what it does not do meanwhile."""

SECONDS_OF_BYTE = 1e-10
"""To copy a byte there or back."""

LONG = 1e-3
"""From so many seconds on it is worth to say so, or to place work elsewhere."""


def seconds_of_trip(size: int) -> float:
    """How long it takes to let the host do something with arrays of so many bytes.

    >>> seconds_of_trip(0)
    5e-05
    """
    return SECONDS_OF_TRIP + 2 * size * SECONDS_OF_BYTE


__all__ = ["LONG", "SECONDS_OF_BYTE", "SECONDS_OF_TRIP", "seconds_of_trip"]
