"""The operators that converted code calls: Python's statements and expressions, staged where arrays decide.

`branches` and `loops` record regions; `values` follows what bodies change, and joins the values that paths leave
behind. The other rooms say what each construct means in these terms.
"""

from __future__ import annotations

from .branches import exits
from .builtins import unpacking
from .calls import calls, withs
from .exceptions import tries
from .interface import StagingOperators, install_operators
from .lists import dynamic_lists
from .objects import access, arithmetic, class_patterns
from .statements import comparisons, comprehensions, effects, expressions, for_loops, statements
from .values import resolve_grown_lists, sequence_iterators


class _Operators:
    """`weft_` in converted code; mypy holds it to the protocols."""

    BREAK = exits.BREAK
    CONTINUE = exits.CONTINUE
    RETURN = exits.RETURN
    if_ = staticmethod(statements.if_)
    while_ = staticmethod(statements.while_)
    for_ = staticmethod(for_loops.for_)
    walked = staticmethod(sequence_iterators.walked)
    try_ = staticmethod(tries.try_)
    with_ = staticmethod(withs.with_)
    then_ = staticmethod(statements.then_)
    result = staticmethod(statements.result)
    if_exp = staticmethod(expressions.if_exp)
    and_ = staticmethod(expressions.and_)
    or_ = staticmethod(expressions.or_)
    not_ = staticmethod(expressions.not_)
    is_ = staticmethod(expressions.is_)
    is_not_ = staticmethod(expressions.is_not_)
    compare = staticmethod(comparisons.compare)
    in_ = staticmethod(expressions.in_)
    not_in_ = staticmethod(expressions.not_in_)
    load = staticmethod(expressions.load)
    bound = staticmethod(expressions.bound)
    latest = staticmethod(resolve_grown_lists.resolve_grown_list)
    list_display = staticmethod(unpacking.list_display)
    spread = staticmethod(unpacking.spread)
    unpack = staticmethod(unpacking.unpack)
    call = staticmethod(calls.call)
    class_parts = staticmethod(class_patterns.class_parts)
    watch = staticmethod(class_patterns.watch)
    attr = staticmethod(access.attr)
    item = staticmethod(access.item)
    set_item = staticmethod(access.set_item)
    del_item = staticmethod(access.del_item)
    binary = staticmethod(arithmetic.binary)
    unary = staticmethod(arithmetic.unary)
    update = staticmethod(arithmetic.update)
    update_item = staticmethod(access.update_item)
    changed = staticmethod(access.changed)
    update_attr = staticmethod(access.update_attr)
    index = access.index
    fstring = staticmethod(effects.fstring)
    percent = staticmethod(effects.percent)
    assert_ = staticmethod(effects.assert_)
    raise_ = staticmethod(effects.raise_)
    comprehension = staticmethod(comprehensions.comprehension)
    columns_of_list = staticmethod(dynamic_lists.columns_of_list)
    list_of_columns = staticmethod(dynamic_lists.list_of_columns)


OPERATORS: StagingOperators = _Operators()
install_operators(OPERATORS)

__all__ = ["OPERATORS"]
