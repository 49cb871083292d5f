// RUN: weft-opt %s --name-unit-loops | filecheck %s

#whole = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (0, j)>
#number = affine_map<(i, j) -> (0)>

// There is one row, which the loop over rows has.
// CHECK-DAG: #[[WHOLE:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: func.func @one_row
// CHECK: linalg.generic {indexing_maps = [#[[WHOLE]], #[[ROW]], #[[WHOLE]]]
func.func @one_row(%x: tensor<1x9xf32>, %m: tensor<1xf32>) -> tensor<1x9xf32> {
  %e = tensor.empty() : tensor<1x9xf32>
  %y = linalg.generic {indexing_maps = [#first, #number, #whole], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<1x9xf32>, tensor<1xf32>) outs(%e : tensor<1x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x9xf32>
  return %y : tensor<1x9xf32>
}

// One row is read for all rows; the first of several is read.
// CHECK-LABEL: func.func @several_rows
// CHECK: linalg.generic {indexing_maps = [#[[FIRST]], #[[FIRST]], #[[WHOLE]]]
// CHECK-LABEL: func.func @first_of_several
// CHECK: linalg.generic {indexing_maps = [#[[FIRST]], #[[WHOLE]]]
func.func @several_rows(%x: tensor<1x9xf32>, %y: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %e = tensor.empty() : tensor<4x9xf32>
  %z = linalg.generic {indexing_maps = [#first, #first, #whole], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<1x9xf32>, tensor<4x9xf32>) outs(%e : tensor<4x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x9xf32>
  return %z : tensor<4x9xf32>
}
func.func @first_of_several(%x: tensor<4x9xf32>) -> tensor<1x9xf32> {
  %e = tensor.empty() : tensor<1x9xf32>
  %z = linalg.generic {indexing_maps = [#first, #whole], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x9xf32>) outs(%e : tensor<1x9xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<1x9xf32>
  return %z : tensor<1x9xf32>
}
