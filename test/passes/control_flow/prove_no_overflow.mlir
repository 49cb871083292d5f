// RUN: weft-opt %s --prove-no-overflow --split-input-file | filecheck %s

// A counter up to an extent, of which a multiple is taken; a product of two numbers from outside may be anything.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[N:[a-z0-9]+]]: tensor<i64>
// CHECK-NOT: weft.raise_if
// CHECK: weft.multiply_overflows"(%[[N]], %[[N]])
// CHECK-NEXT: weft.raise_if
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @sums(%x: tensor<?xf64>, %n: tensor<i64>) {
  %axis = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %c8 = "weft.constant"() {value = dense<8> : tensor<i64>} : () -> tensor<i64>
  %0 = "weft.multiply_overflows"(%axis, %c8) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%0) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
  %1 = "weft.remainder"(%n, %c8) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %2 = "weft.subtract_overflows"(%1, %axis) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%2) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
  %3 = "weft.multiply_overflows"(%n, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%3) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
  return
}

// -----

// Checks of other errors go as well, where they never come; those of other things stay.
// CHECK-LABEL: func.func @other
// CHECK-NOT: weft.raise_if
// CHECK: weft.find_out_of_bounds
// CHECK-NEXT: weft.raise_if
// CHECK: return
func.func @other(%x: tensor<?xf64>) {
  %axis = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %0 = "weft.add_overflows"(%axis, %axis) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%0) {error = "ValueError", message = "long"} : (tensor<i1>) -> ()
  %1:2 = "weft.find_out_of_bounds"(%axis, %axis) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
  "weft.raise_if"(%1#0) {error = "IndexError", message = "out"} : (tensor<i1>) -> ()
  return
}

// -----

// What a loop counts while it is below a number is at most that behind the loop; below a number that only the program
// knows it may be anything.
// CHECK-LABEL: func.func @counted
// CHECK: scf.while
// CHECK-NOT: weft.raise_if
// CHECK: scf.while
// CHECK: weft.raise_if
// CHECK: return
func.func @counted(%n: tensor<i64>, %x: tensor<i1>) {
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c100 = "weft.constant"() {value = dense<100> : tensor<i64>} : () -> tensor<i64>
  %most = "weft.constant"() {value = dense<2147483647> : tensor<i64>} : () -> tensor<i64>
  %k = scf.while (%a = %c0) : (tensor<i64>) -> tensor<i64> {
    %less = "weft.less"(%a, %c100) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %both = "weft.logical_and"(%less, %x) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %go = tensor.extract %both[] : tensor<i1>
    scf.condition(%go) %a : tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    %next = "weft.add"(%a, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next : tensor<i64>
  }
  %0 = "weft.greater"(%k, %most) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%0) {error = "OverflowError", message = "large"} : (tensor<i1>) -> ()
  %l = scf.while (%a = %c0) : (tensor<i64>) -> tensor<i64> {
    %less = "weft.less"(%a, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %go = tensor.extract %less[] : tensor<i1>
    scf.condition(%go) %a : tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    %next = "weft.add"(%a, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next : tensor<i64>
  }
  %1 = "weft.greater"(%l, %most) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%1) {error = "OverflowError", message = "large"} : (tensor<i1>) -> ()
  return
}

// -----

// What a check let by is known behind it, not in front of it.
// CHECK-LABEL: func.func @behind
// CHECK: weft.add_overflows
// CHECK-NEXT: weft.raise_if
// CHECK: weft.greater
// CHECK-NEXT: weft.raise_if
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @behind(%n: tensor<i64>) {
  %c3 = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %0 = "weft.add_overflows"(%n, %c3) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%0) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
  %1 = "weft.greater"(%n, %c3) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%1) {error = "ValueError", message = "large"} : (tensor<i1>) -> ()
  %2 = "weft.add_overflows"(%n, %c3) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%2) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
  return
}

// -----

// A loop counts, and adds up remainders: both stay small, however often it runs. What it doubles does not.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: weft.add_overflows"(%[[DOUBLED:[a-z0-9]+]], %[[DOUBLED]])
// CHECK-NEXT: weft.raise_if
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @loop(%turns: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %t = tensor.extract %turns[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c10 = "weft.constant"() {value = dense<10> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%a = %c1, %b = %c1) -> (tensor<i64>, tensor<i64>) {
    %d = "weft.add_overflows"(%b, %b) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%d) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %twice = "weft.add"(%b, %b) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %digit = "weft.remainder"(%twice, %c10) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = "weft.add_overflows"(%a, %digit) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%s) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %sum = "weft.add"(%a, %digit) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %o = "weft.multiply_overflows"(%i, %c10) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%o) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    scf.yield %sum, %twice : tensor<i64>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}

// -----

// What a loop or branch asks holds in its body only: `while i < m` and, behind it, `if i < 100`.
// CHECK-LABEL: func.func @while
// CHECK: do {
// CHECK-NOT: weft.raise_if
// CHECK: scf.yield
// CHECK: scf.if
// CHECK-NOT: weft.raise_if
// CHECK: } else {
// CHECK: weft.raise_if
// CHECK: return
func.func @while(%m: tensor<i64>, %start: tensor<i64>) {
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c100 = "weft.constant"() {value = dense<100> : tensor<i64>} : () -> tensor<i64>
  %r = scf.while (%i = %start) : (tensor<i64>) -> tensor<i64> {
    %less = "weft.less"(%i, %m) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %i : tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>):
    %o = "weft.add_overflows"(%i, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%o) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %next = "weft.add"(%i, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next : tensor<i64>
  }
  %small = "weft.less"(%m, %c100) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %flag = tensor.extract %small[] : tensor<i1>
  scf.if %flag {
    %o = "weft.add_overflows"(%m, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%o) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
  } else {
    %o = "weft.add_overflows"(%m, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%o) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
  }
  return
}

// -----

// An index that begins below an extent and falls is in bounds while it is not negative: in the second half of the
// test, which is asked where the first holds, in the body, and one place further up. Behind the loop it may be -1.
// CHECK-LABEL: func.func @falling
// CHECK: scf.while
// CHECK-NOT: weft.raise_if
// CHECK: scf.yield
// CHECK: scf.yield %{{.*}} : tensor<i64>
// CHECK: weft.raise_if
// CHECK: return
func.func @falling(%x: tensor<400xf64>, %least: tensor<f64>) {
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %false = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %extent = "weft.constant"() {value = dense<400> : tensor<i64>} : () -> tensor<i64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = arith.constant 399 : index
  scf.for %i = %zero to %last step %one {
    %number = arith.index_cast %i : index to i64
    %start = tensor.from_elements %number : tensor<i64>
    %more = "weft.add"(%start, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %first = "weft.subtract"(%more, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %end = scf.while (%j = %first) : (tensor<i64>) -> tensor<i64> {
      %positive = "weft.greater_equal"(%j, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %is_positive = tensor.extract %positive[] : tensor<i1>
      %both = scf.if %is_positive -> (tensor<i1>) {
        %0:2 = "weft.find_out_of_bounds"(%j, %extent) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
        "weft.raise_if"(%0#0) {error = "IndexError", message = "out"} : (tensor<i1>) -> ()
        %1 = "weft.gather"(%x, %j) {axes = array<i64: 0>, position = 0 : i64} : (tensor<400xf64>, tensor<i64>) -> tensor<f64>
        %2 = "weft.greater"(%1, %least) : (tensor<f64>, tensor<f64>) -> tensor<i1>
        scf.yield %2 : tensor<i1>
      } else {
        scf.yield %false : tensor<i1>
      }
      %go = tensor.extract %both[] : tensor<i1>
      scf.condition(%go) %j : tensor<i64>
    } do {
    ^bb0(%j: tensor<i64>):
      %above = "weft.add"(%j, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %0:2 = "weft.find_out_of_bounds"(%j, %extent) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
      "weft.raise_if"(%0#0) {error = "IndexError", message = "out"} : (tensor<i1>) -> ()
      %1:2 = "weft.find_out_of_bounds"(%above, %extent) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
      "weft.raise_if"(%1#0) {error = "IndexError", message = "out"} : (tensor<i1>) -> ()
      %next = "weft.subtract"(%j, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      scf.yield %next : tensor<i64>
    }
    %beyond = "weft.subtract"(%end, %extent) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2:2 = "weft.find_out_of_bounds"(%beyond, %extent) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%2#0) {error = "IndexError", message = "out"} : (tensor<i1>) -> ()
  }
  return
}

// -----

// An index that may rise in the loop, or whose lower bound is not asked first, is checked.
// CHECK-LABEL: func.func @rising
// CHECK: scf.if
// CHECK: weft.raise_if
// CHECK: } do {
// CHECK: weft.raise_if
// CHECK: return
func.func @rising(%x: tensor<400xf64>, %n: tensor<i64>, %c: tensor<i1>) {
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %true = "weft.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %extent = "weft.constant"() {value = dense<400> : tensor<i64>} : () -> tensor<i64>
  %end = scf.while (%j = %c2) : (tensor<i64>) -> tensor<i64> {
    %below = "weft.less"(%j, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %is_below = tensor.extract %below[] : tensor<i1>
    %either = scf.if %is_below -> (tensor<i1>) {
      %0:2 = "weft.find_out_of_bounds"(%j, %extent) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
      "weft.raise_if"(%0#0) {error = "IndexError", message = "out"} : (tensor<i1>) -> ()
      scf.yield %c : tensor<i1>
    } else {
      scf.yield %true : tensor<i1>
    }
    %go = tensor.extract %either[] : tensor<i1>
    scf.condition(%go) %j : tensor<i64>
  } do {
  ^bb0(%j: tensor<i64>):
    %0:2 = "weft.find_out_of_bounds"(%j, %extent) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%0#0) {error = "IndexError", message = "out"} : (tensor<i1>) -> ()
    %next = "weft.add"(%j, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return
}
