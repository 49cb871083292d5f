// RUN: weft-opt %s --hoist-invariants --split-input-file | filecheck %s
// RUN: weft-opt %s --hoist-invariants --split-input-file --mlir-pass-statistics -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// STATISTICS: hoist-invariants
// STATISTICS: (S) {{.*}} ops moved

// What depends on the loop stays; constants go along with their users only.
// CHECK-LABEL: func.func @invariant
// CHECK: "weft.constant"() {value = dense<2.000000e+00>
// CHECK: %[[S:.*]] = "weft.multiply"
// CHECK: %[[E:.*]] = "weft.exp"(%[[S]])
// CHECK: scf.for
// CHECK: "weft.constant"() {value = dense<3.000000e+00>
// CHECK: "weft.add"(%{{.*}}, %[[E]])
func.func @invariant(%x: tensor<4xf64>, %y: tensor<4xf64>, %nt: tensor<i64>) -> tensor<4xf64> {
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %x) -> tensor<4xf64> {
    %two = "weft.constant"() {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
    %three = "weft.constant"() {value = dense<3.0> : tensor<f64>} : () -> tensor<f64>
    %0 = "weft.multiply"(%y, %two) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %1 = "weft.exp"(%0) : (tensor<4xf64>) -> tensor<4xf64>
    %2 = "weft.add"(%a, %1) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %3 = "weft.multiply"(%2, %three) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    scf.yield %3 : tensor<4xf64>
  }
  return %r : tensor<4xf64>
}

// -----

// Out of two loops.
// CHECK-LABEL: func.func @nested
// CHECK: "weft.exp"
// CHECK: scf.for
// CHECK: scf.for
func.func @nested(%x: tensor<4xf64>, %y: tensor<?xf64>, %nt: tensor<i64>) -> tensor<4xf64> {
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %x) -> tensor<4xf64> {
    %s = scf.for %l = %zero to %n step %one iter_args(%b = %a) -> tensor<4xf64> {
      %1 = "weft.exp"(%y) : (tensor<?xf64>) -> tensor<?xf64>
      %2 = "weft.sum"(%1) {axes = array<i64: 0>, keepdims = false} : (tensor<?xf64>) -> tensor<f64>
      %3 = "weft.add"(%b, %2) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
      scf.yield %3 : tensor<4xf64>
    }
    scf.yield %s : tensor<4xf64>
  }
  return %r : tensor<4xf64>
}

// -----

// A check, and what relies on it, stays where the loop may not run.
// CHECK-LABEL: func.func @unsure
// CHECK: weft.dim
// CHECK: weft.find_out_of_bounds
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: weft.gather
// CHECK: "weft.add"
func.func @unsure(%x: tensor<?xf64>, %z: tensor<?xf64>, %i: tensor<i64>, %nt: tensor<i64>) -> (tensor<f64>, tensor<?xf64>) {
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%a = %c, %b = %x) -> (tensor<f64>, tensor<?xf64>) {
    %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %t = "weft.add"(%x, %z) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %s, %t : tensor<f64>, tensor<?xf64>
  }
  return %r#0, %r#1 : tensor<f64>, tensor<?xf64>
}

// -----

// Out of a loop that runs, both go, unless something that may end the call comes before.
// CHECK-LABEL: func.func @sure
// CHECK: weft.raise_if
// CHECK-SAME: "first
// CHECK: weft.gather
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK-SAME: "second
// CHECK: weft.raise_if
// CHECK-SAME: "third
func.func @sure(%x: tensor<?xf64>, %i: tensor<i64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 9 : index
  %c = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %limit = "weft.constant"() {value = dense<5.0> : tensor<f64>} : () -> tensor<f64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
  %m = "weft.equal"(%i, %e) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %c) -> tensor<f64> {
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "first {0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %p = "weft.greater"(%s, %limit) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    "weft.raise_if"(%p) {error = "ValueError", message = "second"} : (tensor<i1>) -> ()
    "weft.raise_if"(%m) {error = "ValueError", message = "third"} : (tensor<i1>) -> ()
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// The test of a while loop runs at least once, its body may not.
// CHECK-LABEL: func.func @in_while
// CHECK: weft.gather
// CHECK: scf.while
// CHECK: } do {
// CHECK: weft.gather
func.func @in_while(%x: tensor<9xf64>, %y: tensor<?xf64>, %z: tensor<f64>) -> tensor<f64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %half = "weft.constant"() {value = dense<5.0> : tensor<f64>} : () -> tensor<f64>
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %r = scf.while (%a = %z) : (tensor<f64>) -> tensor<f64> {
    %g = "weft.gather"(%x, %zero) {axes = array<i64: 0>, position = 0} : (tensor<9xf64>, tensor<i64>) -> tensor<f64>
    %m = "weft.minimum"(%g, %half) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %c = "weft.less"(%a, %m) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    scf.condition(%b) %a : tensor<f64>
  } do {
  ^bb0(%a: tensor<f64>):
    %e = "weft.dim"(%y) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %o = "weft.equal"(%e, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%o) {error = "ValueError", message = "empty"} : (tensor<i1>) -> ()
    %g = "weft.gather"(%y, %zero) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %p = "weft.absolute"(%g) : (tensor<f64>) -> tensor<f64>
    %q = "weft.add"(%p, %one) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %s = "weft.add"(%a, %q) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// A read of what has elements is safe at any index.
// CHECK-LABEL: func.func @any_index
// CHECK: weft.gather
// CHECK: scf.for
func.func @any_index(%x: tensor<4xf64>, %i: tensor<i64>, %nt: tensor<i64>) -> tensor<f64> {
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %four = "weft.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %o, %v = "weft.find_out_of_bounds"(%i, %four) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %c) -> tensor<f64> {
    "weft.raise_if"(%o, %v) {error = "IndexError", message = "{0}"} : (tensor<i1>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<4xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// What may not come to an end where elements are infinite stays behind what guards it.
// CHECK-LABEL: func.func @endless
// CHECK: "weft.svdvals"
// CHECK-NOT: "weft.svd"
// CHECK: scf.for
// CHECK: "weft.svd"
func.func @endless(%x: tensor<2x2xf64>, %nt: tensor<i64>) -> tensor<2x2xf64> {
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<2x2xf64>) {
    %0:2 = "weft.svdvals"(%x) : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<i1>)
    %1:4 = "weft.svd"(%x) {full = true} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<i1>)
    %2 = "weft.multiply"(%a, %0#0) : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
    %3 = "weft.multiply"(%2, %1#0) : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
    scf.yield %3 : tensor<2x2xf64>
  }
  return %r : tensor<2x2xf64>
}
