"""A file of the cache: data behind a checksum, which tells files that are cut off, damaged, foreign or misplaced.

The data is what `marshal` reads and writes without any class: numbers, strings, bytes, tuples, lists, dicts, None. It
is looked at only when the checksum is right, as `marshal` trusts what it reads.
"""

from __future__ import annotations

import marshal
from typing import Any, TypeAlias

from .digests import blake2b

Data: TypeAlias = Any
"""Nested tuples, lists and dicts of None, bool, int, float, complex, str and bytes."""

MAGIC = b"weft cache 2\n"
_DIGEST = 32
_MARSHAL_VERSION = 4


class DamagedFile(Exception):
    """A file is not what was written; it counts as not there."""


def pack(key: str, data: Data) -> bytes:
    """The content of a file for a key."""
    body = marshal.dumps(data, _MARSHAL_VERSION)
    return MAGIC + checksum(key, body) + body


def checksum(key: str, body: Any) -> bytes:
    """Tells a key together with what is stored under it."""
    name = key.encode()
    made = blake2b(len(name).to_bytes(8, "little") + name, digest_size=_DIGEST)
    made.update(body)
    return made.digest()


def unpack(key: str, content: bytes) -> Data:
    """The data of a file for a key; raises DamagedFile for anything but what `pack` made for it."""
    body = memoryview(content)[len(MAGIC) + _DIGEST :]
    digest = content[len(MAGIC) : len(MAGIC) + _DIGEST]
    if not content.startswith(MAGIC) or checksum(key, body) != digest:
        raise DamagedFile
    try:
        return marshal.loads(body)
    except (ValueError, EOFError, TypeError) as error:  # of another version of Python, under the same key
        raise DamagedFile from error


def digest(data: Data) -> str:
    """A name for data: equal data has equal names, in all processes. Sets and dicts must be sorted before."""
    content = data if isinstance(data, bytes) else repr(data).encode("utf-8", "surrogatepass")
    return blake2b(content, digest_size=20).hexdigest()
