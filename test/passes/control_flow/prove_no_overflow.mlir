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
