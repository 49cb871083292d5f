// RUN: weft-opt %s --split-input-file --outline-kernels | filecheck %s

// Equal ops share a kernel; fills and empty tensors move into it.

// CHECK-LABEL: func.func @chain
// CHECK:       %[[E:.*]] = tensor.empty
// CHECK:       %[[Y:.*]] = call @kernel_0(%arg0, %arg1, %[[E]])
// CHECK:       %[[F:.*]] = tensor.empty
// CHECK:       call @kernel_0(%[[Y]], %arg1, %[[F]])
// CHECK-NOT:   linalg
// CHECK:       func.func private @kernel_0
// CHECK:       linalg.fill
// CHECK:       %[[P:.*]] = linalg.matmul
// CHECK:       bufferization.materialize_in_destination %[[P]] in %arg2
// CHECK-NOT:   @kernel_1
func.func @chain(%a: tensor<10x10xi32>, %b: tensor<10x10xi32>) -> tensor<10x10xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<10x10xi32>
  %c = linalg.fill ins(%zero : i32) outs(%e : tensor<10x10xi32>) -> tensor<10x10xi32>
  %y = linalg.matmul ins(%a, %b : tensor<10x10xi32>, tensor<10x10xi32>) outs(%c : tensor<10x10xi32>) -> tensor<10x10xi32>
  %z = linalg.matmul ins(%y, %b : tensor<10x10xi32>, tensor<10x10xi32>) outs(%c : tensor<10x10xi32>) -> tensor<10x10xi32>
  return %z : tensor<10x10xi32>
}

// -----

// A contraction and what is done with its elements is one kernel.

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func @layer
// CHECK-COUNT-1: call @kernel
// CHECK-NOT:   call
// CHECK:       func.func private @kernel_0
// CHECK:       linalg.matmul
// CHECK:       linalg.generic
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<4x5xf32>, tensor<5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%a: f32, %d: f32, %out: f32):
    %s = arith.addf %a, %d : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// The product is a result too, so it is stored anyway: two kernels.

#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @product_and_negative
// CHECK:       call @kernel_0
// CHECK:       call @kernel_1
func.func @product_and_negative(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %p, %r : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What a slice is updated with is computed where the slice is; the updated tensor is the destination.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @update
// CHECK:       call @kernel_0(%arg1, %c2{{.*}}, %arg0)
// CHECK-NOT:   call
// CHECK:       func.func private @kernel_0
// CHECK:       linalg.generic
// CHECK:       %[[N:.*]] = tensor.insert_slice %{{.*}} into %arg2
// CHECK:       bufferization.materialize_in_destination %[[N]] in %arg2
func.func @update(%x: tensor<8xf32>, %y: tensor<3xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%y : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<3xf32>
  %r = tensor.insert_slice %s into %x[2] [3] [1] : tensor<3xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Ops on rank-0 tensors become scalar arithmetic, which needs no kernel.

// CHECK-LABEL: func.func @scalars
// CHECK:       %[[X:.*]] = tensor.extract %arg0[]
// CHECK:       %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK:       %[[Z:.*]] = arith.addf %[[Y]], %[[X]]
// CHECK:       tensor.from_elements %[[Z]]
// CHECK-NOT:   call
#scalar = affine_map<() -> ()>
func.func @scalars(%x: tensor<f64>) -> tensor<f64> {
  %e = tensor.empty() : tensor<f64>
  %y = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%x : tensor<f64>) outs(%e : tensor<f64>) {
  ^bb0(%a: f64, %out: f64):
    %s = arith.mulf %a, %a : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  %z = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []}
      ins(%y, %x : tensor<f64>, tensor<f64>) outs(%e : tensor<f64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %s = arith.addf %a, %b : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  return %z : tensor<f64>
}

// -----

// An argument that gets the result of an elementwise op on it is overwritten: the kernel accumulates.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @increment
// CHECK:       %[[X:.*]] = bufferization.to_tensor %arg0
// CHECK-NEXT:  call @kernel_0(%arg1, %[[X]])
// CHECK:       func.func private @kernel_0
// CHECK:       outs(%arg1 : tensor<8xf32>)
// CHECK:       ^bb0(%{{.*}}: f32, %[[IN:.*]]: f32, %[[OUT:.*]]: f32)
// CHECK:       arith.addf %[[OUT]], %[[IN]]
func.func @increment(%m: memref<8xf32>, %y: tensor<8xf32>) {
  %x = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// An input is never overwritten, nor is a value that is read again.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @keep
// CHECK:       %[[E:.*]] = tensor.empty
// CHECK-NEXT:  %[[Y:.*]] = call @kernel_0(%arg0, %[[E]])
// CHECK:       %[[F:.*]] = tensor.empty
// CHECK-NEXT:  %[[Z:.*]] = call @kernel_0(%[[Y]], %[[F]])
// CHECK-NEXT:  return %[[Y]], %[[Z]]
func.func @keep(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

// -----

// Steps of an unrolled loop differ in the offset only: it is passed, and they share a kernel. The unit dimension is
// dropped in the slice, not by a copy.

// CHECK-LABEL: func.func @rows
// CHECK:       %[[A:.*]] = call @kernel_0(%arg0, %[[O:c0.*]], %{{.*}})
// CHECK:       %[[B:.*]] = call @kernel_0(%arg0, %[[P:c1.*]], %{{.*}})
// CHECK:       return %[[A]], %[[B]]
// CHECK:       func.func private @kernel_0
// CHECK:       tensor.extract_slice %arg0[%arg1, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
// CHECK-NOT:   @kernel_1
#id = affine_map<(i) -> (i)>
func.func @rows(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = tensor.extract_slice %x[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
  %b = tensor.collapse_shape %a [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %out: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %d = tensor.extract_slice %x[1, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
  %f = tensor.collapse_shape %d [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%f : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %out: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %c, %g : tensor<8xf32>, tensor<8xf32>
}

// -----

// Two slices of one tensor: that they do not overlap is known from static offsets, which stay.

// CHECK-LABEL: func.func @shift
// CHECK:       call @kernel_0(%arg0)
// CHECK:       func.func private @kernel_0
// CHECK:       tensor.extract_slice %arg0[0] [4] [1]
// CHECK:       tensor.insert_slice %{{.*}} into %arg0[4] [4] [1]
func.func @shift(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %b = tensor.insert_slice %a into %x[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

// One element is no slice: it is read and written as a scalar, without a kernel.

// CHECK-LABEL: func.func @element
// CHECK:       %[[V:.*]] = tensor.extract %arg0[%c2
// CHECK:       %[[W:.*]] = arith.negf %[[V]]
// CHECK:       %[[X:.*]] = tensor.insert %[[W]] into %arg0[%c3
// CHECK:       return %[[X]]
// CHECK-NOT:   call
#scalar = affine_map<() -> ()>
func.func @element(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.extract_slice %x[2] [1] [1] : tensor<8xf32> to tensor<1xf32>
  %v = tensor.extract %a[%c0] : tensor<1xf32>
  %t = tensor.from_elements %v : tensor<f32>
  %e = tensor.empty() : tensor<f32>
  %n = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%t : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%p: f32, %out: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %w = tensor.expand_shape %n [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %b = tensor.insert_slice %w into %x[3] [1] [1] : tensor<1xf32> into tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

// Clusters that differ in constants alone have kernels of their own while they are few; the others share one, which
// gets the constants that vary, and knows those that do not.
// CHECK-LABEL: func.func @many_constants
// CHECK-DAG: %[[FIVE:.*]] = arith.constant 5.000000e+00
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6.000000e+00
// CHECK: call @kernel_0(%{{[^,]*}}, %{{[^,]*}})
// CHECK: call @kernel_3(%{{[^,]*}}, %{{[^,]*}})
// CHECK: call @kernel_4(%{{[^,]*}}, %[[FIVE]], %{{[^,]*}})
// CHECK: call @kernel_4(%{{[^,]*}}, %[[SIX]], %{{[^,]*}})
// CHECK: func.func private @kernel_4(%{{.*}}: tensor<8x8xf32>, %[[SCALE:.*]]: f32, %{{.*}}: tensor<8x8xf32>)
// CHECK: %[[SAME:.*]] = arith.constant 5.000000e-01
// CHECK: arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: arith.addf %{{.*}}, %[[SAME]]
#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
func.func @many_constants(%x0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %empty = tensor.empty() : tensor<8x8xf32>
  %same = arith.constant 0.5 : f32
  %c1 = arith.constant 1.0 : f32
  %c2 = arith.constant 2.0 : f32
  %c3 = arith.constant 3.0 : f32
  %c4 = arith.constant 4.0 : f32
  %c5 = arith.constant 5.0 : f32
  %c6 = arith.constant 6.0 : f32
  %x1 = linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x0 : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %scaled = arith.mulf %a, %c1 : f32
    %sum = arith.addf %scaled, %same : f32
    linalg.yield %sum : f32
  } -> tensor<8x8xf32>
  %x2 = linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x1 : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %scaled = arith.mulf %a, %c2 : f32
    %sum = arith.addf %scaled, %same : f32
    linalg.yield %sum : f32
  } -> tensor<8x8xf32>
  %x3 = linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x2 : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %scaled = arith.mulf %a, %c3 : f32
    %sum = arith.addf %scaled, %same : f32
    linalg.yield %sum : f32
  } -> tensor<8x8xf32>
  %x4 = linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x3 : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %scaled = arith.mulf %a, %c4 : f32
    %sum = arith.addf %scaled, %same : f32
    linalg.yield %sum : f32
  } -> tensor<8x8xf32>
  %x5 = linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x4 : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %scaled = arith.mulf %a, %c5 : f32
    %sum = arith.addf %scaled, %same : f32
    linalg.yield %sum : f32
  } -> tensor<8x8xf32>
  %x6 = linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x5 : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %scaled = arith.mulf %a, %c6 : f32
    %sum = arith.addf %scaled, %same : f32
    linalg.yield %sum : f32
  } -> tensor<8x8xf32>
  return %x6 : tensor<8x8xf32>
}
