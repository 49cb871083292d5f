"""The ops of `vector`, without Python classes."""
