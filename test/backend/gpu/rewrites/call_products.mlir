// RUN: weft-opt %s --target=sm_90a+cublas --call-products | filecheck %s
// RUN: weft-opt %s --target=sm_90a --call-products | filecheck %s --check-prefix=NONE

#a = affine_map<(i, j, k) -> (k, i)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>

// The library reads a transpose as it is, and rounds what is added up.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[A:.*]]: tensor<512x256xf16>, %[[B:.*]]: tensor<512x300xf16>)
// CHECK: %[[FOUND:.*]]:2 = "weft.call_library"(%[[A]], %[[B]], %{{[0-9]+}})
// CHECK-SAME: routine = "cublas.product_tn", updated = 1
// CHECK-NOT: linalg.contract
// CHECK: return %[[FOUND]]#0
// NONE-LABEL: func.func @halves(
// NONE: linalg.contract
// NONE-NOT: weft.call_library
func.func @halves(%a: tensor<512x256xf16>, %b: tensor<512x300xf16>) -> tensor<256x300xf16> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<256x300xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<256x300xf32>) -> tensor<256x300xf32>
  %2 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<512x256xf16>, tensor<512x300xf16>) outs(%1 : tensor<256x300xf32>) -> tensor<256x300xf32>
  %3 = tensor.empty() : tensor<256x300xf16>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<256x300xf32>) outs(%3 : tensor<256x300xf16>) {
  ^bb0(%x: f32, %out: f16):
    %5 = arith.truncf %x : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<256x300xf16>
  return %4 : tensor<256x300xf16>
}

// Small ones, those of unknown extents and those that add to something are kernels.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: weft.call_library
func.func @others(%a: tensor<512x25xf32>, %b: tensor<512x300xf32>, %c: tensor<?x256xf32>, %sum: tensor<256x256xf32>, %n: index)
    -> (tensor<25x300xf32>, tensor<256x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<25x300xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<25x300xf32>) -> tensor<25x300xf32>
  %2 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<512x25xf32>, tensor<512x300xf32>) outs(%1 : tensor<25x300xf32>) -> tensor<25x300xf32>
  %3 = tensor.empty() : tensor<256x256xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %5 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%c, %c : tensor<?x256xf32>, tensor<?x256xf32>) outs(%4 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %6 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%5, %5 : tensor<256x256xf32>, tensor<256x256xf32>) outs(%sum : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %2, %6 : tensor<25x300xf32>, tensor<256x256xf32>
}
