// RUN: weft-opt %s --convert-weft-to-linalg --split-input-file | filecheck %s

// A boolean is a byte in memory: what is read of it is compared with 0.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: (%[[C:.*]]: tensor<i8>, %[[X:.*]]: tensor<?xi8>, %[[Y:.*]]: tensor<?xi8>) -> tensor<?xi8>
// CHECK: %[[BYTE:.*]] = tensor.extract %[[C]][] : tensor<i8>
// CHECK: %[[HOLDS:.*]] = arith.cmpi ne, %[[BYTE]]
// CHECK: %[[R:.*]] = scf.if %[[HOLDS]] -> (tensor<?xi8>) {
// CHECK-NEXT: scf.yield %[[X]]
// CHECK: else
// CHECK-NEXT: scf.yield %[[Y]]
// CHECK: return %[[R]]
func.func @branch(%c: tensor<i1>, %x: tensor<?xui8>, %y: tensor<?xui8>) -> tensor<?xui8> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> (tensor<?xui8>) {
    scf.yield %x : tensor<?xui8>
  } else {
    scf.yield %y : tensor<?xui8>
  }
  return %r : tensor<?xui8>
}

// -----

// A loop that carries booleans carries bytes; the number of the iteration stays what it is.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %arg0, %[[N:.*]] = %{{.*}}) -> (tensor<3xi8>, tensor<i64>) {
// CHECK: linalg.generic {{.*}} ins(%[[A]] : tensor<3xi8>)
// CHECK: %[[J:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: %[[K:.*]] = tensor.from_elements %[[J]] : tensor<i64>
// CHECK: scf.yield %{{.*}}, %[[K]] : tensor<3xi8>, tensor<i64>
func.func @loop(%x: tensor<3xi1>, %n: tensor<i64>) -> (tensor<3xi1>, tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %e : i64 to index
  %r:2 = scf.for %i = %c0 to %m step %c1 iter_args(%a = %x, %k = %n) -> (tensor<3xi1>, tensor<i64>) {
    %b = "weft.logical_not"(%a) : (tensor<3xi1>) -> tensor<3xi1>
    %j = arith.index_cast %i : index to i64
    %l = tensor.from_elements %j : tensor<i64>
    scf.yield %b, %l : tensor<3xi1>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<3xi1>, tensor<i64>
}

// -----

// A while loop, a cast, and a boolean made of a scalar.
// CHECK-LABEL: func.func @while
// CHECK: %[[CAST:.*]] = tensor.cast %arg0 : tensor<3xi8> to tensor<?xi8>
// CHECK: scf.while (%[[A:.*]] = %[[CAST]], %[[C:.*]] = %arg1) : (tensor<?xi8>, tensor<i8>) -> tensor<?xi8> {
// CHECK: scf.condition(%{{.*}}) %[[A]] : tensor<?xi8>
// CHECK: ^bb0(%[[B:.*]]: tensor<?xi8>):
// CHECK: %[[BYTE:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK: %[[FALSE:.*]] = tensor.from_elements %[[BYTE]] : tensor<i8>
// CHECK: scf.yield %[[B]], %[[FALSE]] : tensor<?xi8>, tensor<i8>
func.func @while(%x: tensor<3xi1>, %c: tensor<i1>) -> tensor<?xi1> {
  %y = tensor.cast %x : tensor<3xi1> to tensor<?xi1>
  %r = scf.while (%a = %y, %d = %c) : (tensor<?xi1>, tensor<i1>) -> tensor<?xi1> {
    %b = tensor.extract %d[] : tensor<i1>
    scf.condition(%b) %a : tensor<?xi1>
  } do {
  ^bb0(%a: tensor<?xi1>):
    %false = arith.constant false
    %f = tensor.from_elements %false : tensor<i1>
    scf.yield %a, %f : tensor<?xi1>, tensor<i1>
  }
  return %r : tensor<?xi1>
}

// -----

// Calls, also of the function itself, and constants of upstream's.
// CHECK-LABEL: func.func private @again(%arg0: tensor<i8>, %arg1: memref<3xi8>) -> tensor<i8>
// CHECK: call @again(%arg0, %arg1) : (tensor<i8>, memref<3xi8>) -> tensor<i8>
// CHECK: arith.constant dense<1> : tensor<2xi8>
func.func private @again(%c: tensor<i1>, %ref: !weft.ref<tensor<3xui8>>) -> tensor<i1> {
  %r = call @again(%c, %ref) : (tensor<i1>, !weft.ref<tensor<3xui8>>) -> tensor<i1>
  %k = arith.constant dense<true> : tensor<2xi1>
  %s = "weft.logical_not"(%k) : (tensor<2xi1>) -> tensor<2xi1>
  return %r : tensor<i1>
}

// -----

// A choice between tensors is a branch; one between scalars stays.
// CHECK-LABEL: func.func @choice
// CHECK: %[[T:.*]] = scf.if %arg0 -> (tensor<?xf64>) {
// CHECK-NEXT: scf.yield %arg1
// CHECK: else
// CHECK-NEXT: scf.yield %arg2
// CHECK: %[[S:.*]] = arith.select %arg0, %arg3, %arg4 : i64
// CHECK: return %[[T]], %[[S]]
func.func @choice(%c: i1, %x: tensor<?xf64>, %y: tensor<?xf64>, %m: i64, %n: i64) -> (tensor<?xf64>, i64) {
  %t = arith.select %c, %x, %y : tensor<?xf64>
  %s = arith.select %c, %m, %n : i64
  return %t, %s : tensor<?xf64>, i64
}
