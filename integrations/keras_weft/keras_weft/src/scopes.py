"""Scopes in which variables are assigned aside."""

from __future__ import annotations

from typing import Any

from keras.src.backend.common.stateless_scope import StatelessScope, get_stateless_scope


class Assignments(StatelessScope):
    """Collects what is assigned to variables, over what the scope around it knows."""

    def __init__(self) -> None:
        self._outer = get_stateless_scope()
        super().__init__(collect_losses=self._outer is not None and self._outer.collect_losses)
        self.assigned: list[Any] = []

    def __enter__(self) -> Any:
        self.assigned.clear()  # `weft.checkpoint` runs the function once more for the reverse
        self.state_mapping.clear()
        return super().__enter__()

    def add_update(self, update: tuple[Any, Any]) -> None:
        variable, _ = update
        if super().get_current_value(variable) is None:
            self.assigned.append(variable)
        super().add_update(update)

    def get_current_value(self, variable: Any) -> Any:
        found = super().get_current_value(variable)
        return found if found is not None or self._outer is None else self._outer.get_current_value(variable)


__all__ = ["Assignments"]
