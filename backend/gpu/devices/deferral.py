"""Whether calls wait at their end for checks of the device: the setting `deferred_errors`."""

from __future__ import annotations


class _Deferral:
    is_wanted = False


_deferral = _Deferral()


def defer_errors(wanted: bool) -> None:
    """Let calls whose results stay on the device return before it is known whether their checks have failed."""
    _deferral.is_wanted = wanted


def errors_are_deferred() -> bool:
    """Whether they do."""
    return _deferral.is_wanted


__all__ = ["defer_errors", "errors_are_deferred"]
