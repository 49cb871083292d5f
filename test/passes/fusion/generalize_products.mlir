// RUN: weft-opt %s --generalize-products --weft-fuse-elementwise --cse | filecheck %s

#whole = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// A matrix that is computed is read once: what computes it goes into the sum.
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: linalg.contract
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK-SAME: ins(%arg0, %arg1 : tensor<40x50xf32>, tensor<50xf32>)
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @scaled(%x: tensor<40x50xf32>, %v: tensor<50xf32>) -> tensor<40xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<40x50xf32>
  %computed = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<40x50xf32>) outs(%empty : tensor<40x50xf32>) {
  ^bb0(%a: f32, %out: f32):
    %twice = arith.addf %a, %a : f32
    linalg.yield %twice : f32
  } -> tensor<40x50xf32>
  %sums = tensor.empty() : tensor<40xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%sums : tensor<40xf32>) -> tensor<40xf32>
  %r = linalg.contract indexing_maps = [#whole, #column, #row]
      ins(%computed, %v : tensor<40x50xf32>, tensor<50xf32>) outs(%zeros : tensor<40xf32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}

// Small factors stay, and those that something else reads, too, and those that are arguments.
// CHECK-LABEL: func.func @small
// CHECK: linalg.contract
func.func @small(%x: tensor<4x5xf32>, %v: tensor<5xf32>, %zeros: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4x5xf32>
  %computed = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x5xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %twice = arith.addf %a, %a : f32
    linalg.yield %twice : f32
  } -> tensor<4x5xf32>
  %r = linalg.contract indexing_maps = [#whole, #column, #row]
      ins(%computed, %v : tensor<4x5xf32>, tensor<5xf32>) outs(%zeros : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @read_twice
// CHECK: linalg.contract
func.func @read_twice(%x: tensor<40x50xf32>, %v: tensor<50xf32>, %zeros: tensor<40xf32>)
    -> (tensor<40xf32>, tensor<40x50xf32>) {
  %empty = tensor.empty() : tensor<40x50xf32>
  %computed = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<40x50xf32>) outs(%empty : tensor<40x50xf32>) {
  ^bb0(%a: f32, %out: f32):
    %twice = arith.addf %a, %a : f32
    linalg.yield %twice : f32
  } -> tensor<40x50xf32>
  %r = linalg.contract indexing_maps = [#whole, #column, #row]
      ins(%computed, %v : tensor<40x50xf32>, tensor<50xf32>) outs(%zeros : tensor<40xf32>) -> tensor<40xf32>
  return %r, %computed : tensor<40xf32>, tensor<40x50xf32>
}

// CHECK-LABEL: func.func @argument
// CHECK: linalg.contract
func.func @argument(%x: tensor<40x50xf32>, %v: tensor<50xf32>, %zeros: tensor<40xf32>) -> tensor<40xf32> {
  %r = linalg.contract indexing_maps = [#whole, #column, #row]
      ins(%x, %v : tensor<40x50xf32>, tensor<50xf32>) outs(%zeros : tensor<40xf32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}

// A product of matrices reads what it is given many times: that is computed before.
// CHECK-LABEL: func.func @matrices
// CHECK: linalg.generic
// CHECK: linalg.contract
func.func @matrices(%x: tensor<40x50xf32>, %y: tensor<50x60xf32>, %zeros: tensor<40x60xf32>) -> tensor<40x60xf32> {
  %empty = tensor.empty() : tensor<40x50xf32>
  %computed = linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<40x50xf32>) outs(%empty : tensor<40x50xf32>) {
  ^bb0(%a: f32, %out: f32):
    %twice = arith.addf %a, %a : f32
    linalg.yield %twice : f32
  } -> tensor<40x50xf32>
  %r = linalg.contract indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1)>]
      ins(%computed, %y : tensor<40x50xf32>, tensor<50x60xf32>) outs(%zeros : tensor<40x60xf32>) -> tensor<40x60xf32>
  return %r : tensor<40x60xf32>
}
