// RUN: weft-opt %s --unwrap-numbers --split-input-file | filecheck %s

// What a nest reads is the number, and what a kernel makes is filled where it belongs.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: (%[[X:.*]]: memref<100xf32>, %[[A:.*]]: f32
// CHECK-NOT: tensor.from_elements
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[A]] : tensor<100xf32>, f32)
// CHECK: %[[B:.*]] = arith.addf %[[A]], %[[A]]
// CHECK: linalg.fill ins(%[[B]] : f32)
// CHECK-NOT: tensor.from_elements
func.func private @kernel_0(%x: memref<100xf32>, %a: f32, %y: memref<100xf32>, %z: memref<f32>) {
  %0 = bufferization.to_tensor %x restrict : memref<100xf32> to tensor<100xf32>
  %1 = tensor.from_elements %a : tensor<f32>
  %2 = tensor.empty() : tensor<100xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%0, %1 : tensor<100xf32>, tensor<f32>) outs(%2 : tensor<100xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<100xf32>
  bufferization.materialize_in_destination %3 in restrict writable %y : (tensor<100xf32>, memref<100xf32>) -> ()
  %4 = arith.addf %a, %a : f32
  %5 = tensor.from_elements %4 : tensor<f32>
  bufferization.materialize_in_destination %5 in restrict writable %z : (tensor<f32>, memref<f32>) -> ()
  return
}

// -----

// What starts a sum is no input, and several elements are no number.
// CHECK-LABEL: func.func private @kernel_1
// CHECK: %[[S:.*]] = linalg.fill
// CHECK: linalg.generic {{.*}} outs(%[[S]] : tensor<f32>)
// CHECK: tensor.from_elements {{.*}} : tensor<2xf32>
func.func private @kernel_1(%x: memref<100xf32>, %a: f32, %y: memref<f32>, %z: memref<2xf32>) {
  %0 = bufferization.to_tensor %x restrict : memref<100xf32> to tensor<100xf32>
  %1 = tensor.from_elements %a : tensor<f32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%0 : tensor<100xf32>) outs(%1 : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  bufferization.materialize_in_destination %3 in restrict writable %y : (tensor<f32>, memref<f32>) -> ()
  %5 = tensor.from_elements %a, %a : tensor<2xf32>
  bufferization.materialize_in_destination %5 in restrict writable %z : (tensor<2xf32>, memref<2xf32>) -> ()
  return
}

// -----

// What is read of such a tensor is the number; one of several elements stays.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: %[[A:.*]]: i64
// CHECK-NOT: linalg.fill
// CHECK: arith.index_cast %[[A]] : i64 to index
// CHECK: %[[PAIR:.*]] = tensor.from_elements
// CHECK: tensor.extract %[[PAIR]]
func.func private @kernel_0(%a: i64, %x: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %0 = tensor.from_elements %a : tensor<i64>
  %1 = tensor.extract %0[] : tensor<i64>
  %2 = arith.index_cast %1 : i64 to index
  %3 = tensor.from_elements %a, %a : tensor<2xi64>
  %4 = tensor.extract %3[%c0] : tensor<2xi64>
  memref.store %4, %x[%2] : memref<?xi64>
  return
}
