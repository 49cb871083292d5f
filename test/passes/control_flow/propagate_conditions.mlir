// RUN: weft-opt %s --propagate-conditions --split-input-file | filecheck %s
// RUN: weft-opt %s --propagate-conditions --weft-fold --canonicalize --split-input-file | filecheck %s --check-prefix=CANONICAL

// In a branch the condition is known, both parts of `and` are, and what it says an integer equals.
// CHECK-LABEL: func.func @known_inside
// CHECK: scf.if
// CHECK-DAG: %[[TRUE:.*]] = "weft.constant"() {value = dense<true> : tensor<i1>}
// CHECK-DAG: %[[SEVEN:.*]] = "weft.constant"() {value = dense<7> : tensor<i64>}
// CHECK: scf.yield %[[TRUE]], %[[SEVEN]]
// CHECK: } else {
// Neither part of `and` is known where it does not hold.
// CHECK-NOT: weft.constant
// CHECK: scf.yield %{{.*}}, %{{.*}}
// CANONICAL-LABEL: func.func @known_inside
// CANONICAL: scf.if
func.func @known_inside(%p: tensor<i1>, %n: tensor<i64>) -> (tensor<i1>, tensor<i64>) {
  %seven = "weft.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %q = "weft.equal"(%n, %seven) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %c = "weft.logical_and"(%p, %q) : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %b = tensor.extract %c[] : tensor<i1>
  %r:2 = scf.if %b -> (tensor<i1>, tensor<i64>) {
    scf.yield %p, %n : tensor<i1>, tensor<i64>
  } else {
    scf.yield %p, %n : tensor<i1>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<i1>, tensor<i64>
}

// -----

// A float that equals zero may be either zero.
// CHECK-LABEL: func.func @zeros
// CHECK: scf.if
// CHECK-NEXT: scf.yield %[[X:.*]] :
// CHECK: return
func.func @zeros(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c = "weft.equal"(%x, %zero) : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<f64> {
    scf.yield %x : tensor<f64>
  } else {
    scf.yield %y : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// A branch on the same condition inside a branch is decided, on its opposite, too.
// CHECK-LABEL: func.func @nested
// CANONICAL-LABEL: func.func @nested
// CANONICAL: scf.if
// CANONICAL-NOT: scf.if
// CANONICAL: return
func.func @nested(%x: tensor<99xf64>, %c: tensor<i1>) -> tensor<99xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<99xf64> {
    %d = "weft.logical_not"(%c) : (tensor<i1>) -> tensor<i1>
    %e = tensor.extract %d[] : tensor<i1>
    %s = scf.if %e -> tensor<99xf64> {
      scf.yield %x : tensor<99xf64>
    } else {
      %0 = "weft.square"(%x) : (tensor<99xf64>) -> tensor<99xf64>
      scf.yield %0 : tensor<99xf64>
    }
    scf.yield %s : tensor<99xf64>
  } else {
    scf.yield %x : tensor<99xf64>
  }
  return %r : tensor<99xf64>
}

// -----

// A check that went by goes by again, in regions, too.
// CANONICAL-LABEL: func.func @repeated
// CANONICAL-COUNT-1: weft.raise_if
// CANONICAL: scf.for
// CANONICAL-NEXT: weft.raise_if
// CANONICAL-NOT: weft.raise_if
// CANONICAL: return
func.func @repeated(%c: tensor<i1>, %d: tensor<i1>, %nt: tensor<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  "weft.raise_if"(%c) {error = "ValueError", message = "first"} : (tensor<i1>) -> ()
  scf.for %k = %zero to %n step %one {
    "weft.raise_if"(%c) {error = "ValueError", message = "second"} : (tensor<i1>) -> ()
    "weft.raise_if"(%d) {error = "ValueError", message = "another"} : (tensor<i1>) -> ()
  }
  "weft.raise_if"(%c) {error = "ValueError", message = "third"} : (tensor<i1>) -> ()
  return
}

// -----

// A check in a branch may not have been made; another condition is another check.
// CANONICAL-LABEL: func.func @may_not_run
// CANONICAL-COUNT-3: weft.raise_if
func.func @may_not_run(%c: tensor<i1>, %d: tensor<i1>, %e: tensor<i1>) {
  %b = tensor.extract %e[] : tensor<i1>
  scf.if %b {
    "weft.raise_if"(%c) {error = "ValueError", message = "first"} : (tensor<i1>) -> ()
  }
  "weft.raise_if"(%c) {error = "ValueError", message = "second"} : (tensor<i1>) -> ()
  "weft.raise_if"(%d) {error = "ValueError", message = "third"} : (tensor<i1>) -> ()
  return
}
