"""The hash function of the caches, without OpenSSL.

`hashlib` loads that, too, which takes longer than all else that reading from a cache needs.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b"]
