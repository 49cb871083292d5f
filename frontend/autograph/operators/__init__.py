"""The operators that converted code calls: Python's statements and expressions, staged where arrays decide.

`branches` and `loops` record regions; `places` follows what bodies change, and `abstract` joins the values that
paths leave behind. The other modules say what each construct means in these terms.
"""

from __future__ import annotations

from .branches import exits
from .builtins import unpacking
from .calls import calls
from .exceptions import tries
from .namespace import OPERATORS
from .statements import comprehensions, effects, expressions, for_loops, statements
from .values import access, class_patterns, resolve_grown_lists

vars(OPERATORS).update(
    BREAK=exits.BREAK,
    CONTINUE=exits.CONTINUE,
    RETURN=exits.RETURN,
    if_=statements.if_,
    while_=statements.while_,
    for_=for_loops.for_,
    try_=tries.try_,
    then_=statements.then_,
    result=statements.result,
    if_exp=expressions.if_exp,
    and_=expressions.and_,
    or_=expressions.or_,
    not_=expressions.not_,
    is_=expressions.is_,
    is_not_=expressions.is_not_,
    in_=expressions.in_,
    not_in_=expressions.not_in_,
    load=expressions.load,
    bound=expressions.bound,
    latest=resolve_grown_lists.latest,
    list_display=unpacking.list_display,
    spread=unpacking.spread,
    unpack=unpacking.unpack,
    call=calls.call,
    class_parts=class_patterns.class_parts,
    watch=class_patterns.watch,
    attr=access.attr,
    item=access.item,
    set_item=access.set_item,
    update_item=access.update_item,
    update_attr=access.update_attr,
    index=access.index,
    fstring=effects.fstring,
    percent=effects.percent,
    assert_=effects.assert_,
    raise_=effects.raise_,
    comprehension=comprehensions.comprehension,
)
__all__ = ["OPERATORS"]
