"""Exceptions and context managers."""

from __future__ import annotations

import contextlib

from support.conversion_programs.catalogue import program, swallow


@program(0, 1, "a", None)
def try_except_else_finally(x):
    try:
        y = 1 / x
    except ZeroDivisionError as error:
        print("zero", error)
        y = None
    except (TypeError, ValueError):
        print("type")
        return "type"
    else:
        print("fine")
        if y == 1:
            return "one"
    finally:
        print("finally")
    return y


@program(0, 1)
def exception_name_is_unbound_afterwards(x):
    error = "before"
    try:
        if x:
            raise ValueError("raised")
    except ValueError as error:
        print(error)
    return error


@program(0, 1)
def exception_name_may_be_deleted(x):
    try:
        1 / x
    except ZeroDivisionError as error:
        del error
        return "zero"
    return "fine"


@program(0, 1, 2)
def finally_returns(x):
    try:
        if x == 0:
            return "try"
        if x == 1:
            raise KeyError(x)
    finally:
        if x:
            return "finally"
        print("finally")


@program(3)
def finally_breaks(n):
    for i in range(n):
        try:
            return i
        finally:
            if i == 0:
                continue
            break
    return "end", i


@program(0, 1)
def return_value_is_kept_by_finally(x):
    try:
        return x
    finally:
        x = 99
        print(x)


@program(0, 1)
def jumps_out_of_try(x):
    out = []
    for i in range(4):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            out.append(10 // (x * i))
        except ZeroDivisionError:
            if i == 2:
                return "zero", out
        else:
            out.append("else")
        finally:
            out.append(i)
    return out


@program(0, 1)
def reraise(x):
    try:
        try:
            1 / x
        except ZeroDivisionError:
            print("handling")
            raise
    except ArithmeticError as error:
        return type(error), error.__context__
    return x


@program(0, 1, 2, 3)
def causes_and_contexts(x):
    try:
        raise KeyError("first")
    except KeyError as error:
        if x == 0:
            raise ValueError("second") from error
        if x == 1:
            raise ValueError("second") from None
        if x == 2:
            raise ValueError
        raise ValueError("second")


@program(0)
def raise_nothing(x):
    raise


@program(0)
def raise_what_is_no_exception(x):
    raise 5


@program(0, 1)
def unbound_after_try(x):
    try:
        1 / x
        y = 1
    except ZeroDivisionError:
        pass
    return y


@program(0, 1)
def handler_types_are_evaluated_late(x):
    def types():
        print("types")
        return ZeroDivisionError

    try:
        1 / x
    except KeyError:
        pass
    except types():
        return "handled"


@program(0)
def wrong_handler_type(x):
    try:
        1 / x
    except "not a class":
        pass


@program(0, 1, 2)
def asserts(x):
    assert x != 0
    assert x != 1, f"x is {x}"
    assert print("tested") is None, print("not evaluated")
    return x


@program(0, 1)
def nested_try(x):
    try:
        try:
            return 1 / x
        finally:
            print("inner")
    except ZeroDivisionError:
        print("caught")
    finally:
        print("outer")
    return "end"


@program(0, 1)
def with_that_returns(x):
    with swallow(ZeroDivisionError) as entered:
        return 1 / x
    return entered


@program(0, 1, 2)
def with_that_may_return(x):
    with swallow(ZeroDivisionError) as entered:
        if x == 1:
            return entered
        y = 1 / x
    print(entered)
    return y


@program(3)
def with_in_a_loop(n):
    out = []
    for i in range(n):
        with swallow(ZeroDivisionError, ValueError), contextlib.suppress(KeyError) as nothing:
            if i == 1:
                continue
            if i == 3:
                break
            out.append(1 / i)
        out.append(i)
    return out, nothing


@program(0, 1)
def with_swallows_before_a_return(x):
    with swallow(ZeroDivisionError):
        if 1 / x:
            return "returned"
        else:
            return "else"
    return "swallowed"


@program({})
def with_target_is_an_item(d):
    with swallow() as d["entered"]:
        pass
    return d
