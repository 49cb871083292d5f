// RUN: weft-opt %s --buffers-to-loops | filecheck %s

#id = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// A long sum has the results of its blocks in a table, which is added up in order.
// CHECK-LABEL: func.func @long.loop_0(
// CHECK: scf.for %[[BLOCK:.*]] =
// CHECK: scf.for {{.*}} iter_args
// CHECK: %[[SUM:.*]] = vector.reduction <add>
// CHECK: memref.store %[[SUM]], %{{.*}}[%[[BLOCK]]] : memref<64xf64>
// CHECK-LABEL: func.func private @long(
// CHECK: memref.alloca() {{.*}} : memref<64xf64>
// CHECK: call @long.loop_0.parallel
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.load %{{.*}} : memref<64xf64>
// CHECK: return
func.func private @long(%a: memref<1000000xf64>, %o: memref<f64>) {
  %x = bufferization.to_tensor %a restrict : memref<1000000xf64> to tensor<1000000xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%x : tensor<1000000xf64>) outs(%f : tensor<f64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.addf %out, %in : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}

// CHECK-LABEL: func.func private @short(
// CHECK-NOT: memref<64xf64>
// CHECK: vector.reduction
// CHECK-NOT: memref<64xf64>
// CHECK: return
func.func private @short(%a: memref<30000xf64>, %o: memref<f64>) {
  %x = bufferization.to_tensor %a restrict : memref<30000xf64> to tensor<30000xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%x : tensor<30000xf64>) outs(%f : tensor<f64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.addf %out, %in : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}

// An array of two axes is one long row where all of it is added up; rows are not, which have a sum each.
// CHECK-LABEL: func.func @whole.loop_0(
// CHECK: memref.store %{{.*}}, %{{.*}} : memref<64xf64>
// CHECK-LABEL: func.func private @whole(
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1]] : memref<1000x1000xf64> into memref<1000000xf64>
// CHECK: call @whole.loop_0.parallel
#plane = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> ()>
#row = affine_map<(i, j) -> (i)>
func.func private @whole(%a: memref<1000x1000xf64>, %o: memref<f64>) {
  %x = bufferization.to_tensor %a restrict : memref<1000x1000xf64> to tensor<1000x1000xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#plane, #one], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<1000x1000xf64>) outs(%f : tensor<f64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.addf %out, %in : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}

// CHECK-LABEL: func.func private @rows(
// CHECK-NOT: memref.collapse_shape
// CHECK: return
func.func private @rows(%a: memref<10x100xf64>, %o: memref<10xf64>) {
  %x = bufferization.to_tensor %a restrict : memref<10x100xf64> to tensor<10x100xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<10xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<10xf64>) -> tensor<10xf64>
  %r = linalg.generic {indexing_maps = [#plane, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<10x100xf64>) outs(%f : tensor<10xf64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.addf %out, %in : f64
    linalg.yield %s : f64
  } -> tensor<10xf64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<10xf64>, memref<10xf64>) -> ()
  return
}

// A part of a short array has no blocks for threads either, whatever its length is; whole vectors need no mask.
// CHECK-LABEL: func.func private @part_of_short(
// CHECK-NOT: memref<64xf64>
// CHECK: scf.for
// CHECK: vector.load
// CHECK: scf.for
// CHECK-NOT: vector.maskedload
// CHECK: vector.load
// CHECK: scf.for
// CHECK: vector.maskedload
// CHECK-NOT: memref<64xf64>
// CHECK: return
func.func private @part_of_short(%a: memref<4x1000xf64>, %row: index, %n: index, %o: memref<f64>) {
  %x = bufferization.to_tensor %a restrict : memref<4x1000xf64> to tensor<4x1000xf64>
  %p = tensor.extract_slice %x[%row, 0] [1, %n] [1, 1] : tensor<4x1000xf64> to tensor<?xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%p : tensor<?xf64>) outs(%f : tensor<f64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.addf %out, %in : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}

// A part of a long array may be long.
// CHECK-LABEL: func.func private @part_of_long(
// CHECK: memref<64xf64>
// CHECK: return
func.func private @part_of_long(%a: memref<4x1000000xf64>, %row: index, %n: index, %o: memref<f64>) {
  %x = bufferization.to_tensor %a restrict : memref<4x1000000xf64> to tensor<4x1000000xf64>
  %p = tensor.extract_slice %x[%row, 0] [1, %n] [1, 1] : tensor<4x1000000xf64> to tensor<?xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%p : tensor<?xf64>) outs(%f : tensor<f64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.addf %out, %in : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}
