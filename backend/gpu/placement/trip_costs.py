"""From when on it is worth to speak of what the host does with arrays of a device."""

LONG = 1e-3
"""From so many seconds on it is worth to say so, or to place work elsewhere."""
