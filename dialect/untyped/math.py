"""The ops of `math`, without Python classes."""
