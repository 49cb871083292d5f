"""What traced arrays do: index expressions from `views`, everything else from the array namespace."""

from __future__ import annotations

from .array import Behaviour
from .numpy_api.dispatch import call_function, call_ufunc, namespace_function
from .storage import Storage
from .views import read_item, write_back, write_item


def _is_visible(storage: Storage) -> bool:
    from .autograph.operators.aliases import is_visible

    return is_visible(storage)


BEHAVIOUR = Behaviour(
    read_item, write_item, write_back, call_ufunc, call_function, namespace_function, _is_visible
)
