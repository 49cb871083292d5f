// RUN: weft-opt %s --split-input-file --outline-kernels --plan-buffers | filecheck %s

// Intermediates take turns in the workspace; the result is made in its out-parameter.

// CHECK-LABEL: func.func @chain
// CHECK-SAME:  %arg2: memref<10x10xi32>, %arg3: memref<896xi8>
// CHECK-DAG:   %[[A:.*]] = memref.view %arg3[%c0][]
// CHECK:       call @kernel_0(%arg0, %arg1, %[[A]])
// CHECK:       %[[B:.*]] = memref.view %arg3[%c448][]
// CHECK:       call @kernel_0(%[[A]], %arg1, %[[B]])
// CHECK:       call @kernel_0(%[[B]], %arg1, %[[A]])
// CHECK:       call @kernel_0(%[[A]], %arg1, %arg2)
// CHECK-NOT:   memref.copy
func.func @chain(%a: tensor<10x10xi32>, %b: tensor<10x10xi32>) -> tensor<10x10xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<10x10xi32>
  %c = linalg.fill ins(%zero : i32) outs(%e : tensor<10x10xi32>) -> tensor<10x10xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<10x10xi32>, tensor<10x10xi32>) outs(%c : tensor<10x10xi32>) -> tensor<10x10xi32>
  %1 = linalg.matmul ins(%0, %b : tensor<10x10xi32>, tensor<10x10xi32>) outs(%c : tensor<10x10xi32>) -> tensor<10x10xi32>
  %2 = linalg.matmul ins(%1, %b : tensor<10x10xi32>, tensor<10x10xi32>) outs(%c : tensor<10x10xi32>) -> tensor<10x10xi32>
  %3 = linalg.matmul ins(%2, %b : tensor<10x10xi32>, tensor<10x10xi32>) outs(%c : tensor<10x10xi32>) -> tensor<10x10xi32>
  return %3 : tensor<10x10xi32>
}

// -----

// A slice of an argument is written in the argument's own memory.

// CHECK-LABEL: func.func @in_place
// CHECK-NOT:   memref.copy
// CHECK:       call @kernel_0(%arg1, %c2{{.*}}, %arg0)
// CHECK-NOT:   memref.copy
// CHECK:       return
func.func @in_place(%m: memref<8xf32>, %y: tensor<3xf32>) {
  %x = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %r = tensor.insert_slice %y into %x[2] [3] [1] : tensor<3xf32> into tensor<8xf32>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// An error may be raised before the argument is written, so the update happens elsewhere.

// CHECK-LABEL: func.func @error_before_effect
// CHECK:       %[[T:.*]] = memref.view
// CHECK:       memref.copy %arg0, %[[T]]
// CHECK:       call @kernel_0(%arg1, %c2{{.*}}, %[[T]])
// CHECK:       scf.if
// CHECK:         memref.store %{{.*}}, %arg{{[0-9]}}
// CHECK:         func.call @weft_exit()
// CHECK:       memref.copy %[[T]], %arg0
func.func @error_before_effect(%m: memref<8xf32>, %y: tensor<3xf32>, %bad: tensor<i8>) {
  %x = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %r = tensor.insert_slice %y into %x[2] [3] [1] : tensor<3xf32> into tensor<8xf32>
  "weft.raise_if"(%bad) {error = "ValueError", message = "bad"} : (tensor<i8>) -> ()
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// The old value is a result: it is saved before the argument is overwritten.

// CHECK-LABEL: func.func @old_value_is_a_result
// CHECK:       memref.copy %arg0, %arg2
// CHECK-NEXT:  memref.copy %arg1, %arg0
func.func @old_value_is_a_result(%m: memref<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %x = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  return %x : tensor<8xf32>
}

// -----

// Dynamic sizes: slots behind each other, and a function that tells result and workspace sizes.

// CHECK-LABEL: func.func @dynamic
// CHECK:       memref.view %arg2[%{{.*}}][%{{.*}}, %{{.*}}] : memref<?xi8> to memref<?x?xf32>
// CHECK-LABEL: func.func @dynamic_sizes
// CHECK-NOT:   memref.view
// CHECK:       return %{{.*}}, %{{.*}}, %{{.*}} : index, index, index
#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
func.func @dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %f = tensor.empty(%n, %m) : tensor<?x?xf32>
  %z = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// Until a result is made, its memory holds intermediates.

// CHECK-LABEL: func.func @scratch_in_a_result
// CHECK-SAME:  %arg2: memref<40x40xf32>, %arg3: memref<6400xi8>
// CHECK:       call @kernel_0(%arg0, %arg1, %arg2)
// CHECK:       %[[T:.*]] = memref.view %arg3[%c0][]
// CHECK:       call @kernel_0(%arg2, %arg1, %[[T]])
// CHECK:       call @kernel_0(%[[T]], %arg1, %arg2)
func.func @scratch_in_a_result(%a: tensor<40x40xf32>, %b: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x40xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<40x40xf32>) -> tensor<40x40xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  %2 = linalg.matmul ins(%1, %b : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  return %2 : tensor<40x40xf32>
}

// -----

// Not so when the result is made before the intermediate is dead, nor in a result of another element type.

// CHECK-LABEL: func.func @results_made_early
// CHECK-SAME:  %arg2: memref<40x40xf32>, %arg3: memref<40x40xf32>, %arg4: memref<6400xi32>, %arg5: memref<6400xi8>
// CHECK:       %[[T:.*]] = memref.view %arg5[%c0][]
// CHECK:       call @kernel_0(%arg0, %arg1, %[[T]])
// CHECK:       call @kernel_0(%[[T]], %arg1, %arg2)
// CHECK:       call @kernel_0(%[[T]], %arg2, %arg3)
// CHECK:       call @kernel_1(%arg4)
func.func @results_made_early(%a: tensor<40x40xf32>, %b: tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>, tensor<6400xi32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<40x40xf32>
  %i = tensor.empty() : tensor<6400xi32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<40x40xf32>) -> tensor<40x40xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  %2 = linalg.matmul ins(%0, %1 : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  %3 = linalg.fill ins(%one : i32) outs(%i : tensor<6400xi32>) -> tensor<6400xi32>
  return %1, %2, %3 : tensor<40x40xf32>, tensor<40x40xf32>, tensor<6400xi32>
}

// -----

// What is made while the old value of an argument is read is a temporary; the argument is written from it, without a copy.

// CHECK-LABEL: func.func @argument_last
// CHECK:       %[[T:.*]] = memref.view %{{.*}} to memref<40x40xf32>
// CHECK:       call @kernel_0(%arg0, %arg1, %[[T]])
// CHECK:       %[[S:.*]] = memref.view %{{.*}} to memref<f32>
// CHECK:       call @kernel_1(%[[T]], %[[S]])
// CHECK:       call @kernel_2(%[[T]], %[[S]], %arg0)
// CHECK-NOT:   memref.copy
#map = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>
func.func @argument_last(%m: memref<40x40xf32>, %b: tensor<40x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = bufferization.to_tensor %m restrict writable : memref<40x40xf32> to tensor<40x40xf32>
  %e = tensor.empty() : tensor<40x40xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<40x40xf32>) -> tensor<40x40xf32>
  %0 = linalg.matmul ins(%w, %b : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  %s = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#map, #scalar], iterator_types = ["reduction", "reduction"]} ins(%0 : tensor<40x40xf32>) outs(%s0 : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<f32>
  %2 = linalg.generic {indexing_maps = [#map, #scalar, #map], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<40x40xf32>, tensor<f32>) outs(%e : tensor<40x40xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<40x40xf32>
  bufferization.materialize_in_destination %2 in restrict writable %m : (tensor<40x40xf32>, memref<40x40xf32>) -> ()
  return
}

// -----

// Where nobody reads the old value then, the temporary has the memory of the argument, and is overwritten there.

// CHECK-LABEL: func.func @argument_first
// CHECK:       call @kernel_0(%arg1, %arg0)
// CHECK:       %[[S:.*]] = memref.view
// CHECK:       call @kernel_1(%arg0, %[[S]])
// CHECK:       call @kernel_2(%[[S]], %arg0)
// CHECK-NOT:   memref.copy
#map = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>
func.func @argument_first(%m: memref<40x40xf32>, %b: tensor<40x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x40xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<40x40xf32>) -> tensor<40x40xf32>
  %0 = linalg.matmul ins(%b, %b : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  %s = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#map, #scalar], iterator_types = ["reduction", "reduction"]} ins(%0 : tensor<40x40xf32>) outs(%s0 : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<f32>
  %2 = linalg.generic {indexing_maps = [#map, #scalar, #map], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<40x40xf32>, tensor<f32>) outs(%e : tensor<40x40xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<40x40xf32>
  bufferization.materialize_in_destination %2 in restrict writable %m : (tensor<40x40xf32>, memref<40x40xf32>) -> ()
  return
}
