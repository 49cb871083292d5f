"""Context managers that are entered and left while tracing: only those that do nothing else then are taken."""

from __future__ import annotations

from typing import Any

from .....dialect.errors import UnsupportedError
from ....guards.call_effects import Does, effect_of
from ....tracing.current import current_trace
from ..values.hidden_state import INSTEAD, has_hidden_state, require_own


def require_harmless(manager: Any) -> None:
    """Refuse a context manager, which no user has written, that locks, opens or changes something outside."""
    require_own(current_trace(), manager)
    if has_hidden_state(manager):
        return
    for name in ("__enter__", "__exit__"):
        method = getattr(manager, name, None)
        if method is None:
            continue
        effect = effect_of(method)
        if effect.does is Does.VARIES or effect.does is Does.UNKNOWN:
            kind = f"{type(manager).__module__}.{type(manager).__qualname__}"
            raise UnsupportedError(
                f"`with` enters a {kind} object, which {effect.why or 'does what nothing is known of'}, and would do "
                f"so once, while the function is traced: {INSTEAD.format('enter it')}"
            )
