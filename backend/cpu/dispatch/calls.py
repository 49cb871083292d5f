"""Native code: a call through vectorcall, its binding to parameters, and the search for what was compiled for it."""

from __future__ import annotations

from ..native_python.intrinsics import api, call, call_int, call_void, set_word, stack, word
from ..native_python.layout import (
    COUNT_MASK,
    LIST_ITEMS,
    MISS,
    MOST_SLOTS,
    SIZE,
    TUPLE_ITEMS,
    WORD,
    WORDS,
    Api,
    Binding,
    Code,
    Descriptor,
    Turn,
)
from .checks import admitted
from .device_calls import run_on_device
from .python_calls import call_with
from .results import run_code, run_python


def weft_call(function: int, arguments: int, flagged: int, keywords: int) -> int:
    """Call a function: what `vectorcall` of its type points to."""
    dispatch = word(function + api(Api.DISPATCH_SLOT))
    if dispatch != 0 and api(Api.BYPASS) == 0 and not is_eager():
        result = dispatched(dispatch, arguments, flagged & COUNT_MASK, keywords)
        if result != MISS:
            return result
    return call_with(api(Api.SLOW), function, arguments, flagged, keywords)


def weft_call_bound(method: int, arguments: int, flagged: int, keywords: int) -> int:
    """Call a bound method: the function, with the instance before the arguments."""
    function = word(method + api(Api.FUNCTION_SLOT))
    instance = word(method + api(Api.SELF_SLOT))
    call_void(api(Api.INCREF), function)
    call_void(api(Api.INCREF), instance)
    result = call_with(function, instance, arguments, flagged, keywords)
    call_void(api(Api.DECREF), instance)
    call_void(api(Api.DECREF), function)
    return result


def is_eager() -> int:
    """Whether this context runs functions as plain Python; nobody asks before the first context does."""
    variable = api(Api.EAGER)
    if variable == 0:
        return 0
    place = stack(1)
    if call_int(api(Api.GET_VARIABLE), variable, 0, place) < 0:
        call_void(api(Api.CLEAR_ERROR))
        return 1
    value = word(place)
    call_void(api(Api.DECREF), value)
    return value != api(Api.FALSE)


def dispatched(dispatch: int, arguments: int, count: int, keywords: int) -> int:
    """The result of a call, or MISS."""
    entries = word(dispatch + api(Api.ENTRIES_SLOT))
    if entries == 0:
        return MISS
    binding = word(dispatch + WORDS)
    named = word(binding + Binding.PARAMETERS)
    if keywords == 0 and count == named and count == word(binding + Binding.POSITIONAL):
        return searched(entries, binding, arguments, count)
    positional = word(binding + Binding.POSITIONAL)
    further = count - positional if count > positional else 0
    room = named + further
    if keywords != 0 and word(binding + Binding.OPEN) != 0:
        room += 2 * word(keywords + SIZE)
    if (further > 0 and word(binding + Binding.VARIADIC) == 0) or room > MOST_SLOTS:
        return MISS
    slots = stack(room)
    total = bound(binding, arguments, count - further, keywords, slots, further)
    return MISS if total < 0 else searched(entries, binding, slots, total)


def bound(binding: int, arguments: int, direct: int, keywords: int, slots: int, further: int) -> int:
    """Sort arguments by parameter; behind them come those of `*args`, or names and values for `**kwargs`.

    Returns how many there are then, -1 if it is not possible.
    """
    named = word(binding + Binding.PARAMETERS)
    for index in range(named):
        set_word(slots + WORD * index, word(arguments + WORD * index) if index < direct else 0)
    for index in range(further):
        set_word(slots + WORD * (named + index), word(arguments + WORD * (direct + index)))
    total = named + further
    names = word(binding + Binding.NAMES)
    for index in range(word(keywords + SIZE) if keywords != 0 else 0):
        name = word(keywords + TUPLE_ITEMS + WORD * index)
        parameter = found_name(names, named, name)
        value = word(arguments + WORD * (direct + further + index))
        if parameter == named and word(binding + Binding.OPEN) != 0:
            set_word(slots + WORD * total, name)
            set_word(slots + WORD * total + WORD, value)
            total += 2
        elif parameter == named or word(slots + WORD * parameter) != 0:
            return -1
        else:
            set_word(slots + WORD * parameter, value)
    defaults = word(binding + Binding.DEFAULTS)
    for index in range(named):
        if word(slots + WORD * index) == 0:
            default = word(defaults + WORD * index)
            if default == 0:
                return -1
            set_word(slots + WORD * index, default)
    return total


def found_name(names: int, count: int, name: int) -> int:
    """The index of a name; their number if it is none of them. Names are mostly one object for one text."""
    for index in range(count):
        if word(names + WORD * index) == name:
            return index
    for index in range(count):
        known = word(names + WORD * index)
        if known != 0 and call_int(api(Api.COMPARE_TEXT), known, name) == 0:
            return index
    return count


def searched(entries: int, binding: int, slots: int, count: int) -> int:
    """Run the first entry of a list that is for these arguments, and put it in front; MISS where there is none."""
    call_void(api(Api.INCREF), entries)  # keeps alive what runs, whatever happens to the function
    result = MISS
    index = 0
    while index < word(entries + SIZE):
        place = word(entries + LIST_ITEMS) + WORD * index
        descriptor = word(place)
        result = attempted(descriptor, slots, count)
        if result != MISS:
            first = word(entries + LIST_ITEMS)
            if index > 0 and word(place) == descriptor:
                set_word(place, word(first))
                set_word(first, descriptor)
            count_call(binding + Binding.CALLS)
            count_call(word(descriptor + WORDS) + Descriptor.CALLS)
            break
        index += 1
    call_void(api(Api.DECREF), entries)
    return result


def count_call(place: int) -> None:
    """Add one to a number of calls."""
    set_word(place, word(place) + 1)


def attempted(descriptor: int, slots: int, count: int) -> int:
    """Run what a descriptor describes if it is for these arguments, else MISS."""
    words = word(descriptor + WORDS)
    if word(descriptor + api(Api.READY_SLOT)) == 0 or word(words + Descriptor.SLOTS) != count:
        return MISS
    if word(words + Descriptor.TURNS) == 0:
        return looked_at(words, slots, count)
    return looked_at_in_turn(words, slots, count)


def looked_at_in_turn(words: int, slots: int, count: int) -> int:
    """As `looked_at`, of what changes Python's state; MISS while another call does: that of Python waits.

    Guards may ask Python, which lets other threads run: from before they are asked nobody else changes the state.
    """
    native = api(Api.TURNS) + WORD * Turn.NATIVE
    if word(api(Api.TURNS) + WORD * Turn.GIVEN) != 0 or word(native) != 0:
        return MISS
    set_word(native, call(api(Api.THREAD_STATE)))
    result = looked_at(words, slots, count)
    set_word(native, 0)
    return result


def looked_at(words: int, slots: int, count: int) -> int:
    """Run what is described if the arguments and all that it relies on fit, else MISS."""
    values = stack(word(words + Descriptor.VALUES))
    owned = values + word(words + Descriptor.OWNED)
    set_word(values, owned)
    for index in range(count):
        set_word(values + WORD + WORD * index, word(slots + WORD * index))
    fits = admitted(word(words + Descriptor.OPERATIONS), values)
    result = MISS if fits == 0 else 0
    if fits > 0:
        result = run(words, values)
    while owned < word(values):
        call_void(api(Api.DECREF), word(owned))
        owned += WORD
    return result


def run(words: int, values: int) -> int:
    """Run what was compiled on values: by Python, where it has no code that is called here."""
    code = word(words + Descriptor.CODE)
    if code == 0:
        return run_python(words, values)
    if word(code + Code.DEVICE) != 0:
        return run_on_device(code, words, values)
    return run_code(code, words, values)
