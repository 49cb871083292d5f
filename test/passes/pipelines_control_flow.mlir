// RUN: weft-opt %s --weft-optimize --split-input-file | filecheck %s
// RUN: weft-opt %s --weft-optimize --weft-to-linalg --split-input-file | filecheck %s --check-prefix=LINALG

// A branch whose condition is known goes, and what it was computed from; a branch that chooses between tensors stays
// one, so that nothing is computed for nothing.
// CHECK-LABEL: func.func @decided
// CHECK-NEXT: %[[N:.*]] = "weft.negative"(%arg0)
// CHECK-NEXT: return %[[N]]
func.func @decided(%x: tensor<?xf64>) -> tensor<?xf64> {
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %c = "weft.less"(%one, %two) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> (tensor<?xf64>) {
    %n = "weft.negative"(%x) : (tensor<?xf64>) -> tensor<?xf64>
    scf.yield %n : tensor<?xf64>
  } else {
    scf.yield %x : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// CHECK-LABEL: func.func @chosen
// CHECK: scf.if
// LINALG-LABEL: func.func @chosen
// LINALG: scf.if
// LINALG-NOT: arith.select
func.func @chosen(%c: tensor<i1>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> (tensor<?xf64>) {
    scf.yield %x : tensor<?xf64>
  } else {
    scf.yield %y : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// What a loop carries without changing it is not carried.
// CHECK-LABEL: func.func @carried_for_nothing
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg1) -> (tensor<3xf64>)
// CHECK-NEXT: "weft.add"(%[[A]], %arg0)
func.func @carried_for_nothing(%x: tensor<3xf64>, %y: tensor<3xf64>, %n: index) -> tensor<3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y, %b = %x) -> (tensor<3xf64>, tensor<3xf64>) {
    %s = "weft.add"(%a, %b) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %s, %b : tensor<3xf64>, tensor<3xf64>
  }
  return %r#0 : tensor<3xf64>
}
