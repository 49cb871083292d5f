// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s
// RUN: weft-opt %s --weft-to-linalg | filecheck %s --check-prefix=FUSED

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// A batch axis that is repeated is dropped; half precision is added up in single precision.
// CHECK-LABEL: func.func @matmul
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]]
// CHECK: linalg.contract indexing_maps = [#[[X]], #[[Y]], #[[OUT]]] ins(%[[ROWS]], %arg1 : tensor<?x4xf16>, tensor<3x4x5xf16>) outs(%{{.*}} : tensor<3x?x5xf32>)
// CHECK: arith.truncf %in : f32 to f16
func.func @matmul(%x: tensor<1x?x4xf16>, %y: tensor<3x4x5xf16>) -> tensor<3x?x5xf16> {
  %0 = "weft.matmul"(%x, %y) : (tensor<1x?x4xf16>, tensor<3x4x5xf16>) -> tensor<3x?x5xf16>
  return %0 : tensor<3x?x5xf16>
}

// Elementwise producers are not computed anew for every product.
// FUSED-LABEL: func.func @product_of_doubled
// FUSED: %[[DOUBLED:.*]] = linalg.generic
// FUSED: arith.addf
// FUSED: linalg.contract {{.*}} ins(%[[DOUBLED]], %arg0
func.func @product_of_doubled(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "weft.add"(%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "weft.matmul"(%0, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Where nothing is summed, a contraction is an elementwise product.
// CHECK-LABEL: func.func @outer
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: linalg.yield
func.func @outer(%x: tensor<2xf32>, %y: tensor<4xf32>) -> tensor<4x2xf32> {
  %0 = "weft.contract"(%x, %y) {spec = "i,j->ji"} : (tensor<2xf32>, tensor<4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @logical
// CHECK-NOT: linalg.contract
// CHECK: %[[BOTH:.*]] = arith.andi %in, %in_{{.*}} : i8
// CHECK: arith.ori %out, %[[BOTH]] : i8
func.func @logical(%x: tensor<2x4xi1>, %y: tensor<4x5xi1>) -> tensor<2x5xi1> {
  %0 = "weft.matmul"(%x, %y) : (tensor<2x4xi1>, tensor<4x5xi1>) -> tensor<2x5xi1>
  return %0 : tensor<2x5xi1>
}

// The product of two vectors is a sum of products, into which elementwise producers are fused.
// FUSED-LABEL: func.func @vectors
// FUSED: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%arg0, %arg1
// FUSED: arith.addf
// FUSED: arith.mulf
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @vectors(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<f32> {
  %0 = "weft.add"(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = "weft.contract"(%0, %y) {spec = "J,J->"} : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
