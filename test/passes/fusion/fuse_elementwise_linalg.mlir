// RUN: weft-opt %s --weft-fuse-elementwise --cse --split-input-file | filecheck %s

// The maps of a permuted consumer are composed; an index is that of the consumer's loop.
// CHECK-DAG: #[[$PLAIN:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @permuted
// CHECK: linalg.generic {indexing_maps = [#[[$SWAPPED]], #[[$PLAIN]]]
// CHECK: linalg.index 1
// CHECK-NOT: linalg.generic
func.func @permuted(%x: tensor<4x8xi64>) -> tensor<8x4xi64> {
  %0 = tensor.empty() : tensor<4x8xi64>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xi64>) outs(%0 : tensor<4x8xi64>) {
  ^bb0(%a: i64, %out: i64):
    %row = linalg.index 0 : index
    %number = arith.index_cast %row : index to i64
    %sum = arith.addi %a, %number : i64
    linalg.yield %sum : i64
  } -> tensor<4x8xi64>
  %2 = tensor.empty() : tensor<8x4xi64>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x8xi64>) outs(%2 : tensor<8x4xi64>) {
  ^bb0(%a: i64, %out: i64):
    %double = arith.addi %a, %a : i64
    linalg.yield %double : i64
  } -> tensor<8x4xi64>
  return %3 : tensor<8x4xi64>
}

// -----

// Loops of the program have blocks of their own, whose ops fuse, too.
// CHECK-LABEL: func.func @in_a_loop
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK-NEXT: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: scf.yield
func.func @in_a_loop(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %result = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> tensor<8xf32> {
    %0 = tensor.empty() : tensor<8xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                         iterator_types = ["parallel"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
    } -> tensor<8xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                         iterator_types = ["parallel"]} ins(%1 : tensor<8xf32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%a: f32, %out: f32):
      %square = arith.mulf %a, %a : f32
      linalg.yield %square : f32
    } -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  return %result : tensor<8xf32>
}

// -----

// The size of a result, asked for through a view with one more axis, is the size it was made with.
// CHECK-LABEL: func.func @size_through_view
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[N:.*]]: index)
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return %{{.*}}, %[[N]]
func.func @size_through_view(%x: tensor<?xf32>, %n: index) -> (tensor<?x1xf32>, index) {
  %c0 = arith.constant 0 : index
  %0 = tensor.empty(%n) : tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%0 : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %double = arith.addf %a, %a : f32
    linalg.yield %double : f32
  } -> tensor<?xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %size = tensor.dim %2, %c0 : tensor<?x1xf32>
  %3 = tensor.empty(%n) : tensor<?x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<?x1xf32>) outs(%3 : tensor<?x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %root = math.sqrt %a : f32
    linalg.yield %root : f32
  } -> tensor<?x1xf32>
  return %4, %size : tensor<?x1xf32>, index
}

// -----

// The size of an argument stays a question.
// CHECK-LABEL: func.func @size_of_argument
// CHECK: tensor.dim
func.func @size_of_argument(%x: tensor<?x1xf32>) -> index {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x1xf32>
  return %size : index
}

// -----

// MLIR takes a negative axis in a group; axes follow each other.
// CHECK-LABEL: func.func @a_group_with_a_negative_axis
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @a_group_with_a_negative_axis(%x: tensor<?xf32>, %n: index) -> tensor<?x1xf32> {
  %0 = tensor.empty(%n) : tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%0 : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %double = arith.addf %a, %a : f32
    linalg.yield %double : f32
  } -> tensor<?xf32>
  %2 = tensor.expand_shape %1 [[-9223372036854775808, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %3 = tensor.empty(%n) : tensor<?x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<?x1xf32>) outs(%3 : tensor<?x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %root = math.sqrt %a : f32
    linalg.yield %root : f32
  } -> tensor<?x1xf32>
  return %4 : tensor<?x1xf32>
}

// -----

// Vectors are no tensors, and what is computed of them stays where it is.
// CHECK-LABEL: func.func @vectors
// CHECK-NEXT: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<4xf64>
// CHECK-NEXT: arith.mulf %arg0, %[[TWO]] : vector<4xf64>
// CHECK-NEXT: return
func.func @vectors(%x: vector<4xf64>) -> vector<4xf64> {
  %two = arith.constant dense<2.0> : vector<4xf64>
  %0 = arith.mulf %x, %two : vector<4xf64>
  return %0 : vector<4xf64>
}
