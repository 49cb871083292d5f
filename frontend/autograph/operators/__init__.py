"""The operators that converted code calls: Python's statements and expressions, staged where arrays decide.

`branches` and `loops` record regions; `values` follows what bodies change, and joins the values that paths leave
behind. The other rooms say what each construct means in these terms.
"""

from __future__ import annotations

from ....dialect.lazy import lazy
from .branches import exits
from .builtins import unpacking
from .calls import calls, gathered_arguments, spread_calls, withs
from .exceptions import tries
from .interface import StagingOperators, install_operators
from .lists import computed_lengths, dynamic_lists, grown_tuples
from .objects import access, arithmetic, changed_classes, class_patterns
from .statements import comparisons, comprehensions, effects, expressions, for_loops, statements
from .tables import carried_tables, list_pools, making
from .values import resolve_grown_lists, sequence_iterators


class _Operators:
    """`weft_` in converted code; mypy holds it to the protocols."""

    BREAK = lazy(lambda _: exits.BREAK)
    CONTINUE = lazy(lambda _: exits.CONTINUE)
    RETURN = lazy(lambda _: exits.RETURN)
    if_ = lazy(lambda _: statements.if_)
    while_ = lazy(lambda _: statements.while_)
    for_ = lazy(lambda _: for_loops.for_)
    walked = lazy(lambda _: sequence_iterators.walked)
    try_ = lazy(lambda _: tries.try_)
    with_ = lazy(lambda _: withs.with_)
    then_ = lazy(lambda _: statements.then_)
    result = lazy(lambda _: statements.result)
    if_exp = lazy(lambda _: expressions.if_exp)
    and_ = lazy(lambda _: expressions.and_)
    or_ = lazy(lambda _: expressions.or_)
    not_ = lazy(lambda _: expressions.not_)
    is_ = lazy(lambda _: expressions.is_)
    is_not_ = lazy(lambda _: expressions.is_not_)
    compare = lazy(lambda _: comparisons.compare)
    in_ = lazy(lambda _: expressions.in_)
    not_in_ = lazy(lambda _: expressions.not_in_)
    load = lazy(lambda _: expressions.load)
    load_free = lazy(lambda _: expressions.load_free)
    class_made = lazy(lambda _: changed_classes.class_made)
    bound = lazy(lambda _: expressions.bound)
    latest = lazy(lambda _: resolve_grown_lists.resolve_grown_list)
    list_display = lazy(lambda _: unpacking.list_display)
    dict_display = lazy(lambda _: making.dict_display)
    set_display = lazy(lambda _: making.set_display)
    tuple_display = lazy(lambda _: unpacking.tuple_display)
    call_spread = lazy(lambda _: spread_calls.call_spread)
    gathered = lazy(lambda _: gathered_arguments.gathered)
    spread = lazy(lambda _: unpacking.spread)
    unpack = lazy(lambda _: unpacking.unpack)
    call = lazy(lambda _: calls.call)
    taken_apart = lazy(lambda _: class_patterns.taken_apart)
    class_parts = lazy(lambda _: class_patterns.class_parts)
    attr = lazy(lambda _: access.attr)
    item = lazy(lambda _: access.item)
    set_item = lazy(lambda _: access.set_item)
    del_item = lazy(lambda _: access.del_item)
    binary = lazy(lambda _: arithmetic.binary)
    unary = lazy(lambda _: arithmetic.unary)
    update = lazy(lambda _: arithmetic.update)
    update_item = lazy(lambda _: access.update_item)
    changed = lazy(lambda _: access.changed)
    update_attr = lazy(lambda _: access.update_attr)
    index = lazy(lambda _: access.index)
    fstring = lazy(lambda _: effects.fstring)
    percent = lazy(lambda _: effects.percent)
    assert_ = lazy(lambda _: effects.assert_)
    raise_ = lazy(lambda _: effects.raise_)
    comprehension = lazy(lambda _: comprehensions.comprehension)
    types_of = lazy(lambda _: carried_tables.types_of)
    columns_of = lazy(lambda _: carried_tables.columns_of)
    of_columns = lazy(lambda _: carried_tables.of_columns)
    as_walked = lazy(lambda _: computed_lengths.as_walked)
    lists_in_pool = lazy(lambda _: list_pools.lists_in_pool)
    join_tables = lazy(lambda _: carried_tables.join_tables)
    grown_tuple = lazy(lambda _: grown_tuples.grown_tuple)
    rows_of_array = lazy(lambda _: dynamic_lists.GrowingList.of_array)
    is_spread = lazy(lambda _: unpacking.is_spread)


OPERATORS: StagingOperators = _Operators()
install_operators(OPERATORS)

__all__ = ["OPERATORS"]
