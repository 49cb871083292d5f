// RUN: weft-opt %s --separate-updates | filecheck %s

// Other parts of the tensor are read: the results get memory of their own.
// CHECK-LABEL: func.func @stencil
// CHECK: %[[MEMORY:.*]] = bufferization.alloc_tensor() : tensor<8xf64>
// CHECK: linalg.generic {{.*}} outs(%[[MEMORY]] : tensor<8xf64>)
func.func @stencil(%x: tensor<10xf64>) -> tensor<10xf64> {
  %left = tensor.extract_slice %x[0] [8] [1] : tensor<10xf64> to tensor<8xf64>
  %empty = tensor.empty() : tensor<8xf64>
  %sums = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%left : tensor<8xf64>) outs(%empty : tensor<8xf64>) {
  ^bb0(%in: f64, %out: f64):
    %sum = arith.addf %in, %in : f64
    linalg.yield %sum : f64
  } -> tensor<8xf64>
  %result = tensor.insert_slice %sums into %x[1] [8] [1] : tensor<8xf64> into tensor<10xf64>
  return %result : tensor<10xf64>
}

// The same part is read: each result is stored where its operand was.
// CHECK-LABEL: func.func @same_part
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @same_part(%x: tensor<10xf64>) -> tensor<10xf64> {
  %part = tensor.extract_slice %x[1] [8] [1] : tensor<10xf64> to tensor<8xf64>
  %empty = tensor.empty() : tensor<8xf64>
  %sums = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%part : tensor<8xf64>) outs(%empty : tensor<8xf64>) {
  ^bb0(%in: f64, %out: f64):
    %sum = arith.addf %in, %in : f64
    linalg.yield %sum : f64
  } -> tensor<8xf64>
  %result = tensor.insert_slice %sums into %x[1] [8] [1] : tensor<8xf64> into tensor<10xf64>
  return %result : tensor<10xf64>
}

// Two rows are one row, or have no element in common: a row is read where it is, and written at once.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: alloc_tensor
// CHECK: %[[WHOLE:.*]] = bufferization.to_tensor %arg0 restrict :
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[WHOLE]][%arg1, 0] [1, 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[ROW]] : tensor<8xf64>)
// CHECK: return
func.func @rows(%memory: memref<4x8xf64>, %i: index, %j: index) -> tensor<4x8xf64> {
  %x = bufferization.to_tensor %memory restrict writable : memref<4x8xf64> to tensor<4x8xf64>
  %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4x8xf64> to tensor<8xf64>
  %empty = tensor.empty() : tensor<8xf64>
  %sums = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%row : tensor<8xf64>) outs(%empty : tensor<8xf64>) {
  ^bb0(%in: f64, %out: f64):
    %sum = arith.addf %in, %in : f64
    linalg.yield %sum : f64
  } -> tensor<8xf64>
  %result = tensor.insert_slice %sums into %x[%j, 0] [1, 8] [1, 1] : tensor<8xf64> into tensor<4x8xf64>
  return %result : tensor<4x8xf64>
}

// Rows that are read backwards, pairs of rows, which may overlap, and rows of a tensor that is updated twice.
// CHECK-LABEL: func.func @turned_planes
// CHECK: bufferization.alloc_tensor()
// CHECK-LABEL: func.func @pairs
// CHECK: bufferization.alloc_tensor()
// CHECK-LABEL: func.func @updated_twice
// CHECK: bufferization.alloc_tensor()
func.func @turned_planes(%memory: memref<4x8x8xf64>, %i: index, %j: index) -> tensor<4x8x8xf64> {
  %x = bufferization.to_tensor %memory restrict writable : memref<4x8x8xf64> to tensor<4x8x8xf64>
  %plane = tensor.extract_slice %x[%i, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<4x8x8xf64> to tensor<8x8xf64>
  %empty = tensor.empty() : tensor<8x8xf64>
  %sums = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%plane : tensor<8x8xf64>) outs(%empty : tensor<8x8xf64>) {
  ^bb0(%in: f64, %out: f64):
    %sum = arith.addf %in, %in : f64
    linalg.yield %sum : f64
  } -> tensor<8x8xf64>
  %result = tensor.insert_slice %sums into %x[%j, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<8x8xf64> into tensor<4x8x8xf64>
  return %result : tensor<4x8x8xf64>
}
func.func @pairs(%memory: memref<4x8xf64>, %i: index, %j: index) -> tensor<4x8xf64> {
  %x = bufferization.to_tensor %memory restrict writable : memref<4x8xf64> to tensor<4x8xf64>
  %rows = tensor.extract_slice %x[%i, 0] [2, 8] [1, 1] : tensor<4x8xf64> to tensor<2x8xf64>
  %empty = tensor.empty() : tensor<2x8xf64>
  %sums = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<2x8xf64>) outs(%empty : tensor<2x8xf64>) {
  ^bb0(%in: f64, %out: f64):
    %sum = arith.addf %in, %in : f64
    linalg.yield %sum : f64
  } -> tensor<2x8xf64>
  %result = tensor.insert_slice %sums into %x[%j, 0] [2, 8] [1, 1] : tensor<2x8xf64> into tensor<4x8xf64>
  return %result : tensor<4x8xf64>
}
func.func @updated_twice(%memory: memref<4x8xf64>, %i: index, %j: index, %other: tensor<8xf64>) -> (tensor<4x8xf64>, tensor<4x8xf64>) {
  %x = bufferization.to_tensor %memory restrict writable : memref<4x8xf64> to tensor<4x8xf64>
  %first = tensor.insert_slice %other into %x[%j, 0] [1, 8] [1, 1] : tensor<8xf64> into tensor<4x8xf64>
  %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4x8xf64> to tensor<8xf64>
  %empty = tensor.empty() : tensor<8xf64>
  %sums = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%row : tensor<8xf64>) outs(%empty : tensor<8xf64>) {
  ^bb0(%in: f64, %out: f64):
    %sum = arith.addf %in, %in : f64
    linalg.yield %sum : f64
  } -> tensor<8xf64>
  %result = tensor.insert_slice %sums into %x[%j, 0] [1, 8] [1, 1] : tensor<8xf64> into tensor<4x8xf64>
  return %first, %result : tensor<4x8xf64>, tensor<4x8xf64>
}
