"""What a processor is like: the sizes of its caches and what pays on it, which schedules ask for.

`description` says what there is to know; `families` knows it by the names that LLVM gives to processors; `system` asks
the operating system; `measurements` times it where nobody knows. `cache.processor` puts that together for this machine,
and keeps it.
"""

from __future__ import annotations
