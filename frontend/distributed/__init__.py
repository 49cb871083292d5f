"""`weft.distributed`: programs that several ranks run at once, and what these do together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect.imports import names_on_first_use

if TYPE_CHECKING:
    from .collectives import (
        all_gather,
        all_reduce,
        all_to_all,
        barrier,
        broadcast,
        local,
        rank,
        reduce_scatter,
        replicated,
        send_receive,
        size,
        vary,
    )
    from .mesh import Mesh
    from .partitioned import partition
    from .sharded import ShardedArray, from_local, load, scatter
    from .specs import P, PartitionSpec
    from .warming import warm

_NAMES = {
    "Mesh": ".mesh",
    "P": ".specs",
    "PartitionSpec": ".specs",
    **dict.fromkeys(("ShardedArray", "from_local", "load", "scatter"), ".sharded"),
    "partition": ".partitioned",
    "warm": ".warming",
    **dict.fromkeys(
        (
            "all_gather",
            "all_reduce",
            "all_to_all",
            "barrier",
            "broadcast",
            "local",
            "rank",
            "reduce_scatter",
            "replicated",
            "send_receive",
            "size",
            "vary",
        ),
        ".collectives",
    ),
}
"""What is here, by module; it is loaded on first use."""

if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_first_use(globals(), _NAMES)

__all__ = [
    "Mesh",
    "P",
    "PartitionSpec",
    "ShardedArray",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "barrier",
    "broadcast",
    "from_local",
    "load",
    "local",
    "partition",
    "rank",
    "reduce_scatter",
    "replicated",
    "scatter",
    "send_receive",
    "size",
    "vary",
    "warm",
]
