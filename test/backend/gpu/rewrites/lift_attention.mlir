// RUN: weft-opt %s --lift-attention | filecheck %s
// RUN: weft-opt %s --lift-attention --join-attention --outline-kernels | filecheck %s --check-prefix=KERNELS

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<(d0, d1) -> (d1, d0)>

// The query is the one row of a matrix, and so is the result; all is one kernel.
// CHECK-LABEL: func.func @attention
// CHECK: %[[Q:.*]] = tensor.expand_shape %arg0 {{\[\[}}0, 1]] output_shape [1, 16] : tensor<16xf32> into tensor<1x16xf32>
// CHECK: linalg.contract {{.*}} ins(%arg1, %[[Q]] : tensor<40x16xf32>, tensor<1x16xf32>) {{.*}} -> tensor<1x40xf32>
// CHECK: arith.maximumf
// CHECK: -> tensor<1xf32>
// CHECK: %[[R:.*]] = linalg.contract {{.*}} -> tensor<1x8xf32>
// CHECK: %[[V:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0, 1]] : tensor<1x8xf32> into tensor<8xf32>
// CHECK: return %[[V]]
// KERNELS-LABEL: func.func @attention
// KERNELS-COUNT-1: call @kernel_
// KERNELS-NOT: call @kernel_
// KERNELS: return
func.func @attention(%arg0: tensor<16xf32>, %arg1: tensor<40x16xf32>, %arg2: tensor<40x8xf32>) -> tensor<8xf32> {
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<40xf32>
  %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<40xf32>) -> tensor<40xf32>
  %2 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%arg1, %arg0 : tensor<40x16xf32>, tensor<16xf32>) outs(%1 : tensor<40xf32>) -> tensor<40xf32>
  %3 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%2 : tensor<40xf32>) outs(%0 : tensor<40xf32>) {
  ^bb0(%in: f32, %out: f32):
    %15 = arith.mulf %in, %cst_1 : f32
    linalg.yield %15 : f32
  } -> tensor<40xf32>
  %4 = tensor.empty() : tensor<f32>
  %5 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<f32>) -> tensor<f32>
  %6 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%3 : tensor<40xf32>) outs(%5 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %15 = arith.maximumf %out, %in : f32
    linalg.yield %15 : f32
  } -> tensor<f32>
  %7 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel"]} ins(%3, %6 : tensor<40xf32>, tensor<f32>) outs(%0 : tensor<40xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %15 = arith.subf %in, %in_3 : f32
    %16 = math.exp %15 : f32
    linalg.yield %16 : f32
  } -> tensor<40xf32>
  %8 = tensor.empty() : tensor<f64>
  %9 = linalg.fill ins(%cst : f64) outs(%8 : tensor<f64>) -> tensor<f64>
  %10 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%7 : tensor<40xf32>) outs(%9 : tensor<f64>) {
  ^bb0(%in: f32, %out: f64):
    %15 = arith.extf %in : f32 to f64
    %16 = arith.addf %out, %15 {weft.rounded} : f64
    linalg.yield %16 : f64
  } -> tensor<f64>
  %11 = linalg.generic {indexing_maps = [#map4, #map3, #map3], iterator_types = ["parallel"]} ins(%10, %7 : tensor<f64>, tensor<40xf32>) outs(%0 : tensor<40xf32>) {
  ^bb0(%in: f64, %in_3: f32, %out: f32):
    %15 = arith.truncf %in : f64 to f32
    %16 = arith.divf %in_3, %15 : f32
    linalg.yield %16 : f32
  } -> tensor<40xf32>
  %12 = tensor.empty() : tensor<8xf32>
  %13 = linalg.fill ins(%cst_2 : f32) outs(%12 : tensor<8xf32>) -> tensor<8xf32>
  %14 = linalg.contract indexing_maps = [#map1, #map5, #map2] ins(%11, %arg2 : tensor<40xf32>, tensor<40x8xf32>) outs(%13 : tensor<8xf32>) -> tensor<8xf32>
  return %14 : tensor<8xf32>
}

// No exponential function: no softmax; somebody else asks for the weights.
// CHECK-LABEL: func.func @without_exponential
// CHECK-NOT: tensor.expand_shape
// CHECK-LABEL: func.func @asked
// CHECK-NOT: tensor.expand_shape
func.func @without_exponential(%arg0: tensor<16xf32>, %arg1: tensor<40x16xf32>, %arg2: tensor<40x8xf32>) -> tensor<8xf32> {
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<40xf32>
  %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<40xf32>) -> tensor<40xf32>
  %2 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%arg1, %arg0 : tensor<40x16xf32>, tensor<16xf32>) outs(%1 : tensor<40xf32>) -> tensor<40xf32>
  %3 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%2 : tensor<40xf32>) outs(%0 : tensor<40xf32>) {
  ^bb0(%in: f32, %out: f32):
    %15 = arith.mulf %in, %cst_1 : f32
    linalg.yield %15 : f32
  } -> tensor<40xf32>
  %4 = tensor.empty() : tensor<f32>
  %5 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<f32>) -> tensor<f32>
  %6 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%3 : tensor<40xf32>) outs(%5 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %15 = arith.maximumf %out, %in : f32
    linalg.yield %15 : f32
  } -> tensor<f32>
  %7 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel"]} ins(%3, %6 : tensor<40xf32>, tensor<f32>) outs(%0 : tensor<40xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %15 = arith.subf %in, %in_3 : f32
    %16 = math.sin %15 : f32
    linalg.yield %16 : f32
  } -> tensor<40xf32>
  %8 = tensor.empty() : tensor<f64>
  %9 = linalg.fill ins(%cst : f64) outs(%8 : tensor<f64>) -> tensor<f64>
  %10 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%7 : tensor<40xf32>) outs(%9 : tensor<f64>) {
  ^bb0(%in: f32, %out: f64):
    %15 = arith.extf %in : f32 to f64
    %16 = arith.addf %out, %15 {weft.rounded} : f64
    linalg.yield %16 : f64
  } -> tensor<f64>
  %11 = linalg.generic {indexing_maps = [#map4, #map3, #map3], iterator_types = ["parallel"]} ins(%10, %7 : tensor<f64>, tensor<40xf32>) outs(%0 : tensor<40xf32>) {
  ^bb0(%in: f64, %in_3: f32, %out: f32):
    %15 = arith.truncf %in : f64 to f32
    %16 = arith.divf %in_3, %15 : f32
    linalg.yield %16 : f32
  } -> tensor<40xf32>
  %12 = tensor.empty() : tensor<8xf32>
  %13 = linalg.fill ins(%cst_2 : f32) outs(%12 : tensor<8xf32>) -> tensor<8xf32>
  %14 = linalg.contract indexing_maps = [#map1, #map5, #map2] ins(%11, %arg2 : tensor<40xf32>, tensor<40x8xf32>) outs(%13 : tensor<8xf32>) -> tensor<8xf32>
  return %14 : tensor<8xf32>
}
func.func @asked(%arg0: tensor<16xf32>, %arg1: tensor<40x16xf32>, %arg2: tensor<40x8xf32>) -> (tensor<8xf32>, tensor<40xf32>) {
  %cst = arith.constant 0.000000e+00 : f64
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant 1.250000e-01 : f32
  %cst_2 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<40xf32>
  %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<40xf32>) -> tensor<40xf32>
  %2 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%arg1, %arg0 : tensor<40x16xf32>, tensor<16xf32>) outs(%1 : tensor<40xf32>) -> tensor<40xf32>
  %3 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%2 : tensor<40xf32>) outs(%0 : tensor<40xf32>) {
  ^bb0(%in: f32, %out: f32):
    %15 = arith.mulf %in, %cst_1 : f32
    linalg.yield %15 : f32
  } -> tensor<40xf32>
  %4 = tensor.empty() : tensor<f32>
  %5 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<f32>) -> tensor<f32>
  %6 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%3 : tensor<40xf32>) outs(%5 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %15 = arith.maximumf %out, %in : f32
    linalg.yield %15 : f32
  } -> tensor<f32>
  %7 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel"]} ins(%3, %6 : tensor<40xf32>, tensor<f32>) outs(%0 : tensor<40xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %15 = arith.subf %in, %in_3 : f32
    %16 = math.exp %15 : f32
    linalg.yield %16 : f32
  } -> tensor<40xf32>
  %8 = tensor.empty() : tensor<f64>
  %9 = linalg.fill ins(%cst : f64) outs(%8 : tensor<f64>) -> tensor<f64>
  %10 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%7 : tensor<40xf32>) outs(%9 : tensor<f64>) {
  ^bb0(%in: f32, %out: f64):
    %15 = arith.extf %in : f32 to f64
    %16 = arith.addf %out, %15 {weft.rounded} : f64
    linalg.yield %16 : f64
  } -> tensor<f64>
  %11 = linalg.generic {indexing_maps = [#map4, #map3, #map3], iterator_types = ["parallel"]} ins(%10, %7 : tensor<f64>, tensor<40xf32>) outs(%0 : tensor<40xf32>) {
  ^bb0(%in: f64, %in_3: f32, %out: f32):
    %15 = arith.truncf %in : f64 to f32
    %16 = arith.divf %in_3, %15 : f32
    linalg.yield %16 : f32
  } -> tensor<40xf32>
  %12 = tensor.empty() : tensor<8xf32>
  %13 = linalg.fill ins(%cst_2 : f32) outs(%12 : tensor<8xf32>) -> tensor<8xf32>
  %14 = linalg.contract indexing_maps = [#map1, #map5, #map2] ins(%11, %arg2 : tensor<40xf32>, tensor<40x8xf32>) outs(%13 : tensor<8xf32>) -> tensor<8xf32>
  return %14, %11 : tensor<8xf32>, tensor<40xf32>
}
