// RUN: weft-opt %s --thread-branches --canonicalize --split-input-file | filecheck %s

// A status that one branch leaves decides the second branch: an early return is if and else.
// CHECK-LABEL: func.func @early_return
// CHECK: %[[R:.*]] = scf.if
// CHECK: "weft.square"
// CHECK: } else {
// CHECK-NOT: scf.if
// CHECK: "weft.negative"
// CHECK-NOT: scf.if
// CHECK: return
func.func @early_return(%x: tensor<4xf64>, %c: tensor<i1>) -> tensor<4xf64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %b = tensor.extract %c[] : tensor<i1>
  %first:2 = scf.if %b -> (tensor<i64>, tensor<4xf64>) {
    %0 = "weft.square"(%x) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %one, %0 : tensor<i64>, tensor<4xf64>
  } else {
    scf.yield %zero, %x : tensor<i64>, tensor<4xf64>
  }
  %go = "weft.equal"(%first#0, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %bb = tensor.extract %go[] : tensor<i1>
  %second = scf.if %bb -> tensor<4xf64> {
    %0 = "weft.negative"(%first#1) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %first#1 : tensor<4xf64>
  }
  return %second : tensor<4xf64>
}

// -----

// Two early returns: the status of the first is known where it returned, and comes from the second otherwise.
// CHECK-LABEL: func.func @two_returns
// CHECK: scf.if
// CHECK: "weft.square"
// CHECK: } else {
// CHECK: "weft.isnan"
// CHECK: scf.if
// CHECK: "weft.negative"
// CHECK: } else {
// CHECK: "weft.floor"
// CHECK-NOT: scf.if
// CHECK: return
func.func @two_returns(%x: tensor<f64>, %c: tensor<i1>) -> tensor<f64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %b = tensor.extract %c[] : tensor<i1>
  %first:2 = scf.if %b -> (tensor<i64>, tensor<f64>) {
    %0 = "weft.square"(%x) : (tensor<f64>) -> tensor<f64>
    scf.yield %one, %0 : tensor<i64>, tensor<f64>
  } else {
    scf.yield %zero, %x : tensor<i64>, tensor<f64>
  }
  %go = "weft.equal"(%first#0, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %gob = tensor.extract %go[] : tensor<i1>
  %second:2 = scf.if %gob -> (tensor<i64>, tensor<f64>) {
    %d = "weft.isnan"(%x) : (tensor<f64>) -> tensor<i1>
    %db = tensor.extract %d[] : tensor<i1>
    %inner:2 = scf.if %db -> (tensor<i64>, tensor<f64>) {
      %0 = "weft.negative"(%x) : (tensor<f64>) -> tensor<f64>
      scf.yield %one, %0 : tensor<i64>, tensor<f64>
    } else {
      scf.yield %zero, %x : tensor<i64>, tensor<f64>
    }
    scf.yield %inner#0, %inner#1 : tensor<i64>, tensor<f64>
  } else {
    scf.yield %first#0, %first#1 : tensor<i64>, tensor<f64>
  }
  %last = "weft.equal"(%second#0, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %lastb = tensor.extract %last[] : tensor<i1>
  %third = scf.if %lastb -> tensor<f64> {
    %0 = "weft.floor"(%x) : (tensor<f64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  } else {
    scf.yield %second#1 : tensor<f64>
  }
  return %third : tensor<f64>
}

// -----

// Branches on one condition become one branch, and what stands between them moves.
// CHECK-LABEL: func.func @same_condition
// CHECK: "weft.exp"
// CHECK-COUNT-1: scf.if
// CHECK-NOT: scf.if
func.func @same_condition(%x: tensor<4xf64>, %c: tensor<i1>) -> (tensor<4xf64>, tensor<4xf64>) {
  %b = tensor.extract %c[] : tensor<i1>
  %p = scf.if %b -> tensor<4xf64> {
    %0 = "weft.square"(%x) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %x : tensor<4xf64>
  }
  %e = "weft.exp"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  %q = scf.if %b -> tensor<4xf64> {
    %0 = "weft.add"(%e, %p) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %e : tensor<4xf64>
  }
  return %p, %q : tensor<4xf64>, tensor<4xf64>
}

// -----

// Branches with nothing known stay, and so do branches with an effect between them.
// CHECK-LABEL: func.func @unrelated
// CHECK-COUNT-2: scf.if
func.func @unrelated(%x: tensor<4xf64>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<4xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  %e = tensor.extract %d[] : tensor<i1>
  %p = scf.if %b -> tensor<4xf64> {
    %0 = "weft.square"(%x) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %x : tensor<4xf64>
  }
  %q = scf.if %e -> tensor<4xf64> {
    %0 = "weft.exp"(%p) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %p : tensor<4xf64>
  }
  return %q : tensor<4xf64>
}

// CHECK-LABEL: func.func @effect_between
// CHECK: scf.if
// CHECK: weft.raise_if
// CHECK: scf.if
func.func @effect_between(%x: tensor<4xf64>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<4xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  scf.if %b {
    "weft.raise_if"(%c) {error = "ValueError", message = "first"} : (tensor<i1>) -> ()
  }
  "weft.raise_if"(%d) {error = "ValueError", message = "second"} : (tensor<i1>) -> ()
  %p = scf.if %b -> tensor<4xf64> {
    %0 = "weft.square"(%x) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %0 : tensor<4xf64>
  } else {
    scf.yield %x : tensor<4xf64>
  }
  return %p : tensor<4xf64>
}
