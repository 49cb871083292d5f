"""Dicts and sets whose keys only the program knows: what they become, and what they can do."""

from .....dialect.imports import load_on_first_use

load_on_first_use(
    __name__,
    "becoming",
    "carried_tables",
    "constant_tables",
    "counter_tables",
    "dict_tables",
    "hash_tables",
    "list_pools",
    "making",
    "object_pools",
    "set_tables",
    "table_walks",
)
