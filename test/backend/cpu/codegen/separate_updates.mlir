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
