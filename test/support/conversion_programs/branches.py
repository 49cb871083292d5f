"""Branches and early returns."""

from __future__ import annotations

import math

from support.conversion_programs.catalogue import program


@program(-1, 0, 1)
def if_elif_else(x):
    if x < 0:
        y = "negative"
    elif x == 0:
        y = "zero"
    else:
        y = "positive"
    return y


@program(0, 1)
def if_without_else(x):
    y = 1
    if x:
        y = 2
    return y


@program(0, 1)
def if_binds_a_name(x):
    if x:
        y = 2
    return y


@program(0, 1)
def if_binds_a_name_used_by_a_lambda(x):
    if x:
        y = 2
    return (lambda: y)()


@program(0, 1)
def if_deletes_a_name(x):
    y = 1
    if x:
        del y
    return y


@program(0, 1)
def if_deletes_an_unbound_name(x):
    if x:
        del y
        y = 1


@program(0, 1)
def update_of_an_unbound_name(x):
    if x:
        y = 1
    y += 1
    return y


@program(0, 1)
def if_with_only_pass(x):
    if x:
        pass
    else:
        pass


@program((0, 0), (0, 1), (1, 0), (1, 1))
def nested_ifs(x, y):
    z = 0
    if x:
        z = 1
        if y:
            z += 10
            x = y = 5
        else:
            y = 7
    elif y:
        z = 3
    return x, y, z


@program(0, 1, 2, 3)
def early_returns(x):
    if x == 0:
        return "zero"
    print("not zero")
    if x == 1:
        return "one"
    elif x == 2:
        print("two")
    else:
        return "other"
    return "two"


@program(0, 1)
def return_on_one_side(x):
    if x:
        return 1


@program(0, 1)
def return_on_both_sides(x):
    if x:
        return 1
    else:
        return 2
    print("never")


@program(0, 1)
def return_of_nothing(x):
    if x:
        return
    print("not x")
    return


@program(0, 1, 2)
def return_in_else_only(x):
    if x == 0:
        y = 5
    else:
        if x == 2:
            return "two"
        y = 6
    y += 1
    return y


@program(0, 1)
def code_after_return(x):
    return x
    y = 1


@program(0, 1)
def unreachable_assignment_makes_a_name_local(x):
    if x:
        return math
        math = 1
    return math


@program(0, 1)
def truth_with_effects(x):
    if print("test") or x:
        print("then")
