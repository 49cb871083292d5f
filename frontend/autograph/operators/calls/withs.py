"""`with` statements: context managers that users write are converted, others are entered and left while tracing.

What a user's `__enter__` and `__exit__` do happens at each call, also for exceptions that come when the program runs.
The function under `contextlib.contextmanager` runs around the block: its `yield` is the block.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....guards.call_effects import Does, effect_of
from ....source.modules import is_users_module
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from ...library import stacks
from ..branches.exits import Exit, codes_of, exit_from, status_of
from ..builtins import process_settings
from ..exceptions.tries import raise_, record_try
from ..interface import operators
from ..statements.generators import Codes, Generator
from ..statements.statements import if_
from ..values.hidden_state import INSTEAD, has_hidden_state, require_own
from ..values.own_variables import Variables, variables_named
from ..values.special_methods import users_method

Block = Callable[[Any], Exit]


def with_(manager: Any, body: Block, dead: str = "") -> Exit:
    """`with manager as entered: body(entered)`."""
    trace = current_trace()
    if trace is None:
        return _in_python(manager, body)
    function = getattr(manager, "func", None)
    if isinstance(manager, contextlib._GeneratorContextManager) and _is_users(function):
        return _around(manager, body)
    unread = variables_named(dead, (body,))
    if type(manager) is contextlib.closing:
        return _managed(trace, manager, _thing_of(manager), _close, body, unread)
    if isinstance(manager, stacks.ExitStack):
        exit_ = _managed(trace, manager, manager, stacks.ExitStack.leave, body, unread)
        manager.pop_all()
        return exit_
    enter, leave = users_method(manager, "__enter__"), users_method(manager, "__exit__")
    if enter is None and leave is None:
        require_harmless(manager)
        settings = process_settings.settings_of(trace, manager)
        if settings is None:
            return _in_python(manager, body)
        with settings:
            return _in_python(manager, body)
    kind = type(manager)
    leave = leave or kind.__exit__
    return _managed(trace, manager, operators().call(enter or kind.__enter__, manager), leave, body, unread)


def _in_python(manager: Any, body: Block) -> Exit:
    exit_: Exit = None  # where it takes an exception
    with manager as entered:
        exit_ = body(entered)
    return exit_


def _close(manager: Any, *_: Any) -> None:
    operators().call(operators().attr(_thing_of(manager), "close"))


def _thing_of(manager: Any) -> Any:
    return manager.thing


def _managed(trace: Recorder, manager: Any, entered: Any, leave: Any, body: Block, dead: Variables) -> Exit:
    """Record a block, and what a manager does when it is left: with the exception, unless there is none."""
    took: Any = False

    def block() -> Exit:
        return body(entered)

    def take(error: BaseException) -> Exit:
        nonlocal took
        took = True
        kind = operators().call(type, error)
        is_swallowed = operators().call(leave, manager, kind, error, error.__traceback__)
        return if_(is_swallowed, lambda: None, lambda: raise_(error))

    def finish() -> Exit:
        return if_(took, lambda: None, end)

    def end() -> None:
        operators().call(leave, manager, None, None, None)

    return record_try(trace, block, [(lambda: BaseException, "error", take)], None, finish, dead)


def _around(manager: Any, body: Block) -> Exit:
    """Run the generator function of a manager, whose `yield` is the block."""
    made = operators().call(manager.func, *manager.args, **manager.kwds)
    if not isinstance(made, Generator):
        raise UnsupportedError(
            f"the function {manager.func.__qualname__}(), which is a context manager, cannot be converted, and would "
            "run while the function is traced: write a class with __enter__ and __exit__"
        )
    status: Any = np.int64(0)
    codes = Codes()

    def block(entered: Any) -> bool:
        nonlocal status
        exit_ = body(entered)
        status = status_of(exit_)
        codes.found |= codes_of(exit_)
        return False

    made.feed(block)
    if not codes.found:
        raise RuntimeError("generator didn't yield")
    return exit_from(status, codes.found)


def _is_users(function: Any) -> bool:
    return isinstance(function, FunctionType) and is_users_module(function.__module__)


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
