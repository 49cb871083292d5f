"""Loops on scalars read an element once where the test of the loop and its body both ask for it."""

from __future__ import annotations

from weft.backend.cpu.machine import llvm

TEXT = """
define i64 @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %look, label %decide
look:
  %from = getelementptr i64, ptr %x, i64 %i
  %seen = load i64, ptr %from
  %holds = icmp ne i64 %seen, 32
  br label %decide
decide:
  %found = phi i1 [ false, %test ], [ %holds, %look ]
  br i1 %found, label %body, label %end
body:
  %again = getelementptr i64, ptr %x, i64 %i
  %value = load i64, ptr %again
  %to = getelementptr i64, ptr %y, i64 %i
  store i64 %value, ptr %to
  %next = add i64 %i, 1
  br label %test
end:
  ret i64 %i
}
"""


def test_what_the_test_of_a_loop_read_is_known_in_its_body() -> None:
    text = str(llvm.optimise(TEXT, llvm.ScalarLoops(others={"f"})))
    assert text.count("load i64") == 1


def test_what_the_body_may_change_is_read_again() -> None:
    changed = TEXT.replace("ptr noalias", "ptr").replace("  %again =", "  store i64 7, ptr %y\n  %again =")
    text = str(llvm.optimise(changed, llvm.ScalarLoops(others={"f"})))
    assert text.count("load i64") == 2


TURNED = """
define i64 @f(ptr noalias %x, double %v, i64 %n) {
entry:
  %first = getelementptr double, ptr %x, i64 %n
  %begun = load double, ptr %first
  %some = fcmp ogt double %begun, %v
  br i1 %some, label %body, label %end
body:
  %i = phi i64 [ %n, %entry ], [ %next, %look ]
  %from = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %from
  %to = getelementptr double, ptr %from, i64 1
  store double %value, ptr %to
  %next = sub i64 %i, 1
  %more = icmp sge i64 %next, 0
  br i1 %more, label %look, label %end
look:
  %following = getelementptr double, ptr %x, i64 %next
  %seen = load double, ptr %following
  %holds = fcmp ogt double %seen, %v
  br i1 %holds, label %body, label %end
end:
  ret i64 0
}
"""


def test_what_the_test_of_the_next_iteration_read_is_handed_on() -> None:
    text = str(llvm.optimise(TURNED, llvm.ScalarLoops(others={"f"})))
    assert text.count("load double") == 2  # one in front of the loop, and one in it
