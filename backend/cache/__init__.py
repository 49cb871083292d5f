"""The disk cache: what was compiled once is read by the next process (docs/cache.md).

`objects.cached_object` is for object code that one key determines; `store.store()` is the directory itself.
"""
