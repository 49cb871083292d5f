// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s
// RUN: weft-opt %s --pass-pipeline='builtin.module(convert-weft-to-linalg,cse,empty-tensor-to-alloc-tensor,one-shot-bufferize{bufferize-function-boundaries=true},canonicalize)' | filecheck %s --check-prefix=MEMORY

// Rows are sorted in scratch memory for a power of two; keys of floats are integers.
// CHECK-LABEL: func.func @argsort
// CHECK: tensor.empty() : tensor<2x1x8xi32>
// CHECK: tensor.empty() : tensor<2x1x1x8xi64>
// CHECK: linalg.fill ins(%c2147483647_i32
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NOT: arith.cmpf
// CHECK: return

// The result and two scratch memories, although the result and the positions have one type.
// MEMORY-LABEL: func.func @argsort
// MEMORY-COUNT-3: memref.alloc
// MEMORY-NOT: memref.alloc
// MEMORY-NOT: memref.copy
// MEMORY: return
func.func @argsort(%x: tensor<2x5xf32>) -> tensor<2x5xi64> {
  %0 = "weft.argsort"(%x) {axis = 1, descending = false} : (tensor<2x5xf32>) -> tensor<2x5xi64>
  return %0 : tensor<2x5xi64>
}

// CHECK-LABEL: func.func @sort_unknown
// CHECK: math.ctlz
// CHECK: linalg.fill ins(%c0_i8
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i8
func.func @sort_unknown(%x: tensor<?xui8>) -> tensor<?xui8> {
  %0 = "weft.sort"(%x) {axis = 0, descending = true} : (tensor<?xui8>) -> tensor<?xui8>
  return %0 : tensor<?xui8>
}

// Seven elements have eight places for a value: three halvings.
// CHECK-LABEL: func.func @search
// CHECK: %[[STEPS:.*]] = arith.constant 3 : index
// CHECK: linalg.generic
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[STEPS]]
// CHECK: tensor.extract %arg0
func.func @search(%x: tensor<7xi32>, %v: tensor<?xi32>) -> tensor<?xi64> {
  %0 = "weft.searchsorted"(%x, %v) {side = "right"} : (tensor<7xi32>, tensor<?xi32>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}
