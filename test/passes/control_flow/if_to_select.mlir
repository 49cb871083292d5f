// RUN: weft-opt %s --if-to-select --split-input-file | filecheck %s
// RUN: weft-opt %s --if-to-select=max-elements=1 --split-input-file | filecheck %s --check-prefix=SCALARS

// Scalar work is cheap and safe: both branches are computed.
// CHECK-LABEL: func.func @scalars
// CHECK-SAME: (%[[X:.*]]: tensor<f64>, %[[C:.*]]: tensor<i1>)
// CHECK-DAG: %[[P:.*]] = "weft.square"(%[[X]])
// CHECK-DAG: %[[N:.*]] = "weft.negative"(%[[X]])
// CHECK: %[[R:.*]] = "weft.select"(%[[C]], %[[P]], %[[N]])
// CHECK-NEXT: return %[[R]]
func.func @scalars(%x: tensor<f64>, %c: tensor<i1>) -> tensor<f64> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<f64> {
    %0 = "weft.square"(%x) : (tensor<f64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  } else {
    %0 = "weft.negative"(%x) : (tensor<f64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// So is the work of a nested branch, and a choice among a few elements.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.if
// CHECK-COUNT-2: "weft.select"
// CHECK-NOT: scf.if
// SCALARS-LABEL: func.func @nested
// SCALARS: scf.if
func.func @nested(%x: tensor<3xui8>, %y: tensor<3xui8>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<3xui8> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<3xui8> {
    %e = tensor.extract %d[] : tensor<i1>
    %s = scf.if %e -> tensor<3xui8> {
      scf.yield %x : tensor<3xui8>
    } else {
      scf.yield %y : tensor<3xui8>
    }
    scf.yield %s : tensor<3xui8>
  } else {
    %0 = "weft.invert"(%x) : (tensor<3xui8>) -> tensor<3xui8>
    scf.yield %0 : tensor<3xui8>
  }
  return %r : tensor<3xui8>
}

// -----

// A status leaves a branch that stays; one value from both branches needs no choice, however large.
// CHECK-LABEL: func.func @status
// CHECK-SAME: (%[[X:.*]]: tensor<100xf64>, %[[C:.*]]: tensor<i1>)
// CHECK-DAG: %[[ONE:.*]] = "weft.constant"() {value = dense<1> : tensor<i64>}
// CHECK-DAG: %[[ZERO:.*]] = "weft.constant"() {value = dense<0> : tensor<i64>}
// CHECK: %[[S:.*]] = "weft.select"(%[[C]], %[[ONE]], %[[ZERO]])
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<100xf64>) {
// CHECK: return %[[S]], %[[R]], %[[X]]
func.func @status(%x: tensor<100xf64>, %c: tensor<i1>) -> (tensor<i64>, tensor<100xf64>, tensor<100xf64>) {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %b = tensor.extract %c[] : tensor<i1>
  %r:3 = scf.if %b -> (tensor<i64>, tensor<100xf64>, tensor<100xf64>) {
    %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %0 = "weft.square"(%x) : (tensor<100xf64>) -> tensor<100xf64>
    scf.yield %one, %0, %x : tensor<i64>, tensor<100xf64>, tensor<100xf64>
  } else {
    scf.yield %zero, %x, %x : tensor<i64>, tensor<100xf64>, tensor<100xf64>
  }
  return %r#0, %r#1, %r#2 : tensor<i64>, tensor<100xf64>, tensor<100xf64>
}

// -----

// What costs more than a branch, is large, may raise, or reads what a check protects, stays in its branch.
// CHECK-LABEL: func.func @dear
// CHECK: scf.if
func.func @dear(%x: tensor<f64>, %c: tensor<i1>) -> tensor<f64> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<f64> {
    %0 = "weft.exp"(%x) : (tensor<f64>) -> tensor<f64>
    %1 = "weft.sin"(%0) : (tensor<f64>) -> tensor<f64>
    scf.yield %1 : tensor<f64>
  } else {
    scf.yield %x : tensor<f64>
  }
  return %r : tensor<f64>
}

// CHECK-LABEL: func.func @large
// CHECK: scf.if
func.func @large(%x: tensor<?xf64>, %y: tensor<?xf64>, %c: tensor<i1>) -> tensor<?xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<?xf64> {
    scf.yield %x : tensor<?xf64>
  } else {
    scf.yield %y : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// CHECK-LABEL: func.func @raising
// CHECK: scf.if
func.func @raising(%x: tensor<f64>, %c: tensor<i1>, %d: tensor<i1>) -> tensor<f64> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<f64> {
    "weft.raise_if"(%d) {error = "ValueError", message = "no"} : (tensor<i1>) -> ()
    scf.yield %x : tensor<f64>
  } else {
    %0 = "weft.negative"(%x) : (tensor<f64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  }
  return %r : tensor<f64>
}

// CHECK-LABEL: func.func @checked_read
// CHECK: scf.if
func.func @checked_read(%x: tensor<?xf64>, %y: tensor<f64>) -> tensor<f64> {
  %n = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c = "weft.greater"(%n, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<f64> {
    %0 = "weft.gather"(%x, %zero) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  } else {
    scf.yield %y : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// A check of an int asks then whether its branch is taken.
// CHECK-LABEL: func.func @check_of_int
// CHECK-NOT: scf.if
// CHECK: %[[ELSE:.*]] = "weft.logical_not"(%arg2)
// CHECK: %[[BOTH:.*]] = "weft.logical_and"(%[[ELSE]], %arg1)
// CHECK: weft.raise_if"(%[[BOTH]])
// CHECK: weft.select
func.func @check_of_int(%x: tensor<i64>, %long: tensor<i1>, %c: tensor<i1>) -> tensor<i64> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<i64> {
    scf.yield %x : tensor<i64>
  } else {
    "weft.raise_if"(%long) {error = "PythonNumberError", message = "no"} : (tensor<i1>) -> ()
    %0 = "weft.negative"(%x) : (tensor<i64>) -> tensor<i64>
    scf.yield %0 : tensor<i64>
  }
  return %r : tensor<i64>
}
