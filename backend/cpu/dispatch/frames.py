"""Native code: what one call of machine code at a time needs for itself, and how calls end that fail.

Frames that no call uses are in a list, which belongs to whoever has the interpreter's lock.
"""

from __future__ import annotations

from ..native_python.intrinsics import api, call, call_void, set_word, word
from ..native_python.layout import MISS, TYPE, WORD, Api, Code, Frame
from .python_calls import call_one


def taken(code: int) -> int:
    """A frame that is used by nobody else, made if there is none; 0 after an exception."""
    frame = word(code + Code.FRAMES)
    if frame != 0:
        set_word(code + Code.FRAMES, word(frame + Frame.NEXT))
        return frame
    number = call(api(Api.CALL_NONE), word(code + Code.NEW_FRAME))
    if number != 0:
        frame = call(api(Api.TO_INTEGER), number)
        call_void(api(Api.DECREF), number)
    return frame


def given_back(code: int, frame: int) -> None:
    """Let other calls use a frame."""
    set_word(frame + Frame.NEXT, word(code + Code.FRAMES))
    set_word(code + Code.FRAMES, frame)


def prepared(code: int, frame: int) -> int:
    """Make a frame ready for a call, whose arrays are in its table; 0 after an exception."""
    if word(code + Code.SIZES) != 0:
        sizes = word(frame + Frame.SIZES)
        call_void(word(code + Code.SIZES), word(frame + Frame.TABLE), sizes)
        size = word(sizes + word(code + Code.WORKSPACE_AT))
        if size > word(frame + Frame.CAPACITY) and not reserved(code, frame):
            return 0
    if word(code + Code.POLLS) != 0:
        record = word(frame + Frame.RECORD)
        set_word(record + word(code + Code.POLLS), 0)
        set_word(record + word(code + Code.POLLS) + WORD, 0)
    prepare = word(code + Code.PREPARE)
    if prepare != 0:
        return told(call_one(prepare, word(frame + Frame.OBJECT)))
    return 1


def reserved(code: int, frame: int) -> int:
    """Make the workspace of a frame as large as it must be; 0 after an exception."""
    return told(call_one(word(code + Code.RESERVE), word(frame + Frame.OBJECT)))


def told(answer: int) -> int:
    """Whether a function of Python did what it was asked to; its answer is given back."""
    if answer == 0:
        return 0
    call_void(api(Api.DECREF), answer)
    return 1


def failure(code: int, frame: int) -> int:
    """Raise what the error record of a frame tells: Python makes the exception, or None where it makes the call again.

    The result of the call: 0 after the exception, or MISS.
    """
    exception = call_one(word(code + Code.FAILURE), word(frame + Frame.OBJECT))
    if exception == 0:
        return 0
    result = MISS if exception == api(Api.NONE) else 0
    if result != MISS:
        call_void(api(Api.SET_ERROR), word(exception + TYPE), exception)
    call_void(api(Api.DECREF), exception)
    return result
