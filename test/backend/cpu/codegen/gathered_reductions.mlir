// RUN: weft-opt %s --buffers-to-loops --target=x86-64-v3 | filecheck %s
// RUN: weft-opt %s --buffers-to-loops --target=x86-64-v2 | filecheck %s --check-prefix=NARROW

#id = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// Four elements at places are loaded one by one; the last four under a mask, without a branch on the length. An array
// that may be empty is looked at before.
// CHECK-LABEL: func.func private @sparse_row(
// CHECK-SAME: attributes {weft.short_rows}
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.load {{.*}} vector<4xi64>
// CHECK-COUNT-4: vector.extract
// CHECK: vector.from_elements
// CHECK: scf.yield
// CHECK: %[[MASK:.*]] = vector.create_mask %{{.*}} : vector<4xi1>
// CHECK: scf.if
// CHECK: vector.maskedload {{.*}}, %[[MASK]]
// CHECK: %[[PLACES:.*]] = arith.select %[[MASK]], {{.*}} : vector<4xi1>, vector<4xindex>
// CHECK: vector.extract %[[PLACES]][0]
// CHECK: arith.select %[[MASK]], {{.*}} : vector<4xi1>, vector<4xf64>
// CHECK: vector.reduction <add>
// NARROW-LABEL: func.func private @sparse_row(
// NARROW-NOT: vector.
// NARROW: memref.load
// NARROW: return
func.func private @sparse_row(%c: memref<?xi64>, %v: memref<?xf64>, %x: memref<?xf64>, %o: memref<f64>) {
  %columns = bufferization.to_tensor %c restrict : memref<?xi64> to tensor<?xi64>
  %values = bufferization.to_tensor %v restrict : memref<?xf64> to tensor<?xf64>
  %source = bufferization.to_tensor %x restrict : memref<?xf64> to tensor<?xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #id, #scalar], iterator_types = ["reduction"]}
      ins(%columns, %values : tensor<?xi64>, tensor<?xf64>) outs(%f : tensor<f64>) {
  ^bb0(%column: i64, %value: f64, %out: f64):
    %place = arith.index_cast %column : i64 to index
    %element = tensor.extract %source[%place] : tensor<?xf64>
    %p = arith.mulf %value, %element : f64
    %s = arith.addf %out, %p : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}

// A row of known length is left to LLVM, and so is one of a matrix whose rows are chosen.
// CHECK-LABEL: func.func private @known_length(
// CHECK-NOT: weft.short_rows
// CHECK-NOT: vector.from_elements
// CHECK: return
func.func private @known_length(%c: memref<100xi64>, %x: memref<?xf64>, %o: memref<f64>) {
  %columns = bufferization.to_tensor %c restrict : memref<100xi64> to tensor<100xi64>
  %source = bufferization.to_tensor %x restrict : memref<?xf64> to tensor<?xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%columns : tensor<100xi64>) outs(%f : tensor<f64>) {
  ^bb0(%column: i64, %out: f64):
    %place = arith.index_cast %column : i64 to index
    %element = tensor.extract %source[%place] : tensor<?xf64>
    %s = arith.addf %out, %element : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}

// CHECK-LABEL: func.func private @of_a_matrix(
// CHECK-NOT: vector.from_elements
// CHECK: return
func.func private @of_a_matrix(%c: memref<?xi64>, %x: memref<?x3xf64>, %o: memref<f64>) {
  %columns = bufferization.to_tensor %c restrict : memref<?xi64> to tensor<?xi64>
  %source = bufferization.to_tensor %x restrict : memref<?x3xf64> to tensor<?x3xf64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%columns : tensor<?xi64>) outs(%f : tensor<f64>) {
  ^bb0(%column: i64, %out: f64):
    %place = arith.index_cast %column : i64 to index
    %element = tensor.extract %source[%place, %one] : tensor<?x3xf64>
    %s = arith.addf %out, %element : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}

// An array that is known to be empty is read by no lane, one that is known not to be is not looked at before.
// CHECK-LABEL: func.func private @of_nothing(
// CHECK: vector.create_mask
// CHECK-NOT: vector.from_elements
// CHECK: vector.reduction <add>
// CHECK-LABEL: func.func private @of_something(
// CHECK: vector.create_mask
// CHECK-NOT: scf.if
// CHECK: vector.from_elements
// CHECK: vector.reduction <add>
func.func private @of_nothing(%c: memref<?xi64>, %x: memref<0xf64>, %o: memref<f64>) {
  %columns = bufferization.to_tensor %c restrict : memref<?xi64> to tensor<?xi64>
  %source = bufferization.to_tensor %x restrict : memref<0xf64> to tensor<0xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%columns : tensor<?xi64>) outs(%f : tensor<f64>) {
  ^bb0(%column: i64, %out: f64):
    %place = arith.index_cast %column : i64 to index
    %element = tensor.extract %source[%place] : tensor<0xf64>
    %s = arith.addf %out, %element : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}

func.func private @of_something(%c: memref<?xi64>, %x: memref<5xf64>, %o: memref<f64>) {
  %columns = bufferization.to_tensor %c restrict : memref<?xi64> to tensor<?xi64>
  %source = bufferization.to_tensor %x restrict : memref<5xf64> to tensor<5xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%columns : tensor<?xi64>) outs(%f : tensor<f64>) {
  ^bb0(%column: i64, %out: f64):
    %place = arith.index_cast %column : i64 to index
    %element = tensor.extract %source[%place] : tensor<5xf64>
    %s = arith.addf %out, %element : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}
