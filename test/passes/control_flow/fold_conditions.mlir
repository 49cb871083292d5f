// RUN: weft-opt %s --fold-conditions --split-input-file | filecheck %s
// RUN: weft-opt %s --fold-conditions --canonicalize --split-input-file | filecheck %s --check-prefix=CANONICAL

// A constant condition becomes a constant of arith, and then the branch goes.
// CHECK-LABEL: func.func @constant_condition
// CHECK: %[[T:.*]] = arith.constant true
// CHECK: scf.if %[[T]]
// CANONICAL-LABEL: func.func @constant_condition
// CANONICAL-SAME: (%[[X:.*]]: tensor<f64>, %[[Y:.*]]: tensor<f64>)
// CANONICAL-NEXT: return %[[X]]
func.func @constant_condition(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %c = "weft.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<f64> {
    scf.yield %x : tensor<f64>
  } else {
    scf.yield %y : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// A loop that never runs, and one that runs once, are no loops.
// CANONICAL-LABEL: func.func @few_trips
// CANONICAL-SAME: (%[[X:.*]]: tensor<3xf64>)
// CANONICAL-NOT: scf.
// CANONICAL: %[[Y:.*]] = "weft.square"(%[[X]])
// CANONICAL-NOT: scf.
// CANONICAL: return %[[X]], %[[Y]], %[[X]]
func.func @few_trips(%x: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %n = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %s = tensor.extract %n[] : tensor<i64>
  %one = arith.index_cast %s : i64 to index
  %never = scf.for %k = %zero to %zero step %step iter_args(%a = %x) -> tensor<3xf64> {
    %0 = "weft.square"(%a) : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %0 : tensor<3xf64>
  }
  %once = scf.for %k = %zero to %one step %step iter_args(%a = %x) -> tensor<3xf64> {
    %0 = "weft.square"(%a) : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %0 : tensor<3xf64>
  }
  %f = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %no = scf.while (%a = %x) : (tensor<3xf64>) -> tensor<3xf64> {
    %b = tensor.extract %f[] : tensor<i1>
    scf.condition(%b) %a : tensor<3xf64>
  } do {
  ^bb0(%a: tensor<3xf64>):
    %0 = "weft.square"(%a) : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %0 : tensor<3xf64>
  }
  return %never, %once, %no : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// -----

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
