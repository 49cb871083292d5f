"""Context managers: they are entered and left while tracing, so only those that do nothing else then are taken."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from .....dialect.errors import UnsupportedError
from ....guards.call_effects import Does, effect_of
from ....source.modules import is_users_module
from ....tracing.current import current_trace
from ..values.hidden_state import INSTEAD, has_hidden_state, require_own


def manager(value: Any) -> Any:
    """The object after `with`; one that locks, opens or changes something outside of the function is refused."""
    trace = current_trace()
    if trace is None:
        return value
    require_own(trace, value)
    if has_hidden_state(value):
        return value
    for name in ("__enter__", "__exit__"):
        method = getattr(value, name, None)
        plain = getattr(method, "__func__", None)
        is_users = isinstance(plain, FunctionType) and is_users_module(plain.__module__)
        if method is None or is_users:
            continue
        effect = effect_of(method)
        if effect.does is Does.VARIES or effect.does is Does.UNKNOWN:
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise UnsupportedError(
                f"`with` enters a {kind} object, which {effect.why or 'does what nothing is known of'}, and would do "
                f"so once, while the function is traced: {INSTEAD.format('enter it')}"
            )
    return value


__all__ = ["manager"]
