"""The hash function of the caches, without OpenSSL.

`hashlib` loads that, too, which takes longer than all else that reading from a cache needs.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b
try:
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found]  # before 3.12
    except ImportError:
        from hashlib import sha256 as _sha256

_SMALL = 1 << 20


def sha256(content: bytes) -> str:
    """The digest that other tools know, in hexadecimal digits.

    >>> sha256(b"")[:16]
    'e3b0c44298fc1c14'
    """
    if len(content) > _SMALL:
        from hashlib import sha256 as quick  # by instructions of the processor

        return quick(content).hexdigest()
    made: str = _sha256(content).hexdigest()
    return made


__all__ = ["blake2b", "sha256"]
