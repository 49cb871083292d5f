// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s
// RUN: weft-opt %s --pass-pipeline='builtin.module(convert-weft-to-linalg,empty-tensor-to-alloc-tensor,one-shot-bufferize{bufferize-function-boundaries=true},canonicalize)' | filecheck %s --check-prefix=MEMORY

// The first element is taken as it is, every other one is combined with the one before it.
// CHECK-LABEL: func.func @running_sum
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<?x3xi16>)
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[OUT:.*]] = %{{.*}}) -> (tensor<?x3xi16>)
// CHECK: %[[X:.*]] = tensor.extract %arg0[%[[I]], %[[J]]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]]
// CHECK: scf.if %[[FIRST]] -> (i16)
// CHECK: scf.yield %[[X]]
// CHECK: %[[BEFORE:.*]] = tensor.extract %[[OUT]][%{{.*}}, %[[J]]]
// CHECK: arith.addi %[[BEFORE]], %[[X]] : i16
// CHECK: tensor.insert

// Everything happens in one memory.
// MEMORY-LABEL: func.func @running_sum
// MEMORY: memref.alloc
// MEMORY-NOT: memref.alloc
// MEMORY: scf.for
// MEMORY-NOT: memref.alloc
// MEMORY-NOT: memref.copy
// MEMORY: return
func.func @running_sum(%x: tensor<?x3xi16>) -> tensor<?x3xi16> {
  %0 = "weft.cumulative_sum"(%x) {axis = 0} : (tensor<?x3xi16>) -> tensor<?x3xi16>
  return %0 : tensor<?x3xi16>
}

// Narrow floats are rounded after every step, as in NumPy.
// CHECK-LABEL: func.func @running_product
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @running_product(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = "weft.cumulative_prod"(%x) {axis = 0} : (tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}
