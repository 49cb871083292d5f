// RUN: weft-opt %s --convert-weft-to-linalg --expand-sorts | filecheck %s
// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s --check-prefix=LEFT
// RUN: weft-opt %s --pass-pipeline='builtin.module(convert-weft-to-linalg,expand-sorts,cse,empty-tensor-to-alloc-tensor,one-shot-bufferize{bufferize-function-boundaries=true},canonicalize)' | filecheck %s --check-prefix=MEMORY

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

// Numbers of 32 and 64 bits are left to the backend, bytes are not.
// LEFT-LABEL: func.func @argsort
// LEFT-NEXT: "weft.argsort"(%arg0) {axis = 1 : i64, descending = false} : (tensor<2x5xf32>) -> tensor<2x5xi64>
// LEFT-NEXT: return
// LEFT-LABEL: func.func @sort_unknown
// LEFT-NOT: weft.sort
// LEFT: return
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

// Long rows are sorted digit by digit: four tables of 256 counts for keys of 32 bits. Nothing is compared but counts.
// CHECK-LABEL: func.func @sort_long
// CHECK: tensor.empty() : tensor<2x1x200xi32>
// CHECK: tensor.empty() : tensor<4x1x1x1x256xi64>
// CHECK: arith.shrui
// CHECK-NOT: arith.cmpi slt
// CHECK: return

// MEMORY-LABEL: func.func @sort_long
// MEMORY-COUNT-3: memref.alloc
// MEMORY-NOT: memref.alloc
// MEMORY-NOT: memref.copy
// MEMORY: return
func.func @sort_long(%x: tensor<3x200xi32>) -> tensor<3x200xi32> {
  %0 = "weft.sort"(%x) {axis = 1, descending = false} : (tensor<3x200xi32>) -> tensor<3x200xi32>
  return %0 : tensor<3x200xi32>
}

// Three digits of eleven bits for a million keys, and none for complex numbers, which have no integer keys.
// CHECK-LABEL: func.func @sort_million
// CHECK: tensor<3x1x1x2048xi64>
// CHECK-LABEL: func.func @sort_complex
// CHECK-NOT: arith.shrui
// CHECK: return
func.func @sort_million(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %0 = "weft.sort"(%x) {axis = 0, descending = false} : (tensor<1000000xf32>) -> tensor<1000000xf32>
  return %0 : tensor<1000000xf32>
}
func.func @sort_complex(%x: tensor<1000xcomplex<f32>>) -> tensor<1000xcomplex<f32>> {
  %0 = "weft.sort"(%x) {axis = 0, descending = false} : (tensor<1000xcomplex<f32>>) -> tensor<1000xcomplex<f32>>
  return %0 : tensor<1000xcomplex<f32>>
}

// Another axis than the last one is made the last one, and put back.
// CHECK-LABEL: func.func @sort_columns
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<300x4xi64>) outs(%{{.*}} : tensor<4x300xi64>)
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x300xi64>) outs(%{{.*}} : tensor<300x4xi64>)

// LEFT-LABEL: func.func @sort_columns
// LEFT: linalg.generic
// LEFT: "weft.sort"({{.*}}) {axis = 1 : i64, descending = false} : (tensor<4x300xi64>) -> tensor<4x300xi64>
// LEFT: linalg.generic
// LEFT: return
func.func @sort_columns(%x: tensor<300x4xi64>) -> tensor<300x4xi64> {
  %0 = "weft.sort"(%x) {axis = 0, descending = false} : (tensor<300x4xi64>) -> tensor<300x4xi64>
  return %0 : tensor<300x4xi64>
}
