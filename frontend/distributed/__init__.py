"""`weft.distributed`: programs that several ranks run at once, and what these do together."""

from ...dialect.imports import names_on_first_use

_NAMES = {
    ".mesh": "Mesh",
    ".specs": "P PartitionSpec",
    ".sharded": "ShardedArray from_local load scatter",
    ".partitioned": "partition",
    ".warming": "warm",
    ".collectives": "all_gather all_reduce all_to_all barrier broadcast local rank reduce_scatter replicated "
    "send_receive size vary",
}
"""What is here, by module; all of it is loaded on first use."""

__getattr__, __dir__, __all__ = names_on_first_use(globals(), _NAMES)
