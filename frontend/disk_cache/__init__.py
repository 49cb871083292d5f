"""Compiled functions on disk: what is stored of one, and when it may be used again (docs/cache.md)."""
