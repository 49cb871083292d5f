// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s
// RUN: weft-opt %s --pass-pipeline='builtin.module(convert-weft-to-linalg,empty-tensor-to-alloc-tensor,one-shot-bufferize{bufferize-function-boundaries=true},canonicalize)' | filecheck %s --check-prefix=MEMORY

// Every place is written where the next true one belongs; what is behind the last is cleared. Nothing branches.
// CHECK-LABEL: func.func @places
// CHECK: %[[FOUND:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[OUT:.*]] = %{{.*}}, %[[COUNT:.*]] = %{{.*}}) -> (tensor<?xi64>, index)
// CHECK: %[[BYTE:.*]] = tensor.extract %arg0[%[[I]]]
// CHECK: %[[TRUE:.*]] = arith.cmpi ne, %[[BYTE]]
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[I]]
// CHECK: tensor.insert %[[PLACE]] into %[[OUT]][%[[COUNT]]]
// CHECK-NOT: scf.if
// CHECK: scf.for %[[J:.*]] = %[[FOUND]]#1 to
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[J]]]
// CHECK: tensor.from_elements

// MEMORY-LABEL: func.func @places
// MEMORY: memref.alloc(%{{.*}}) {{.*}} : memref<?xi64>
// MEMORY-NOT: memref.copy
// MEMORY: return
func.func @places(%mask: tensor<?xi1>) -> (tensor<?xi64>, tensor<i64>) {
  %0:2 = "weft.nonzero"(%mask) : (tensor<?xi1>) -> (tensor<?xi64>, tensor<i64>)
  return %0#0, %0#1 : tensor<?xi64>, tensor<i64>
}

// What selects between tensors needs no places.
// CHECK-LABEL: func.func @select
// CHECK: arith.select
// CHECK-NOT: scf.for
// CHECK: return
func.func @select(%mask: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {
  %0 = "weft.select"(%mask, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
