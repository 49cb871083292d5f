// RUN: weft-opt %s --pack-operands --verify-each --target=x86-64-v4 | filecheck %s

// CHECK-DAG: #[[PANELS:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 32, d2, d1 mod 32)>
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#turned = affine_map<(m, n, k) -> (n, k)>
#results = affine_map<(m, n, k) -> (m, n)>

// What does not change in loops is packed in front of the outermost one.
// CHECK-LABEL: func.func @invariant
// CHECK: tensor.expand_shape %arg1 {{.*}} tensor<128x128xf32> into tensor<128x4x32xf32>
// CHECK: %[[PACKED:.*]] = linalg.generic
// CHECK: -> tensor<4x128x32xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: linalg.contract
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[PANELS]], {{.*}}], {{.*}}} ins(%{{.*}}, %[[PACKED]] :
func.func @invariant(%x: tensor<20x128xf32>, %w: tensor<128x128xf32>, %n: index) -> tensor<20x128xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<20x128xf32>) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<20x128xf32>) {
      %e = tensor.empty() : tensor<20x128xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<20x128xf32>) -> tensor<20x128xf32>
      %p = linalg.contract indexing_maps = [#rows, #columns, #results]
          ins(%b, %w : tensor<20x128xf32>, tensor<128x128xf32>) outs(%f : tensor<20x128xf32>) -> tensor<20x128xf32>
      scf.yield %p : tensor<20x128xf32>
    }
    scf.yield %s : tensor<20x128xf32>
  }
  return %r : tensor<20x128xf32>
}

// What changes is not, nor what is used outside of loops.
// CHECK-LABEL: func.func @changing
// CHECK-NOT: floordiv
// CHECK: linalg.contract
// CHECK: scf.for
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.contract
// CHECK: return
func.func @changing(%x: tensor<128x128xf32>, %n: index) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %q = linalg.contract indexing_maps = [#rows, #columns, #results]
      ins(%x, %x : tensor<128x128xf32>, tensor<128x128xf32>) outs(%f : tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %q) -> (tensor<128x128xf32>) {
    %p = linalg.contract indexing_maps = [#rows, #columns, #results]
        ins(%x, %a : tensor<128x128xf32>, tensor<128x128xf32>) outs(%f : tensor<128x128xf32>) -> tensor<128x128xf32>
    scf.yield %p : tensor<128x128xf32>
  }
  return %r : tensor<128x128xf32>
}

// Small operands are not packed, so not before the loop either.
// CHECK-LABEL: func.func @small
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.contract
// CHECK: return
func.func @small(%x: tensor<20x32xf32>, %w: tensor<32x32xf32>, %n: index) -> tensor<20x32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<20x32xf32>) {
    %e = tensor.empty() : tensor<20x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<20x32xf32>) -> tensor<20x32xf32>
    %p = linalg.contract indexing_maps = [#rows, #columns, #results]
        ins(%a, %w : tensor<20x32xf32>, tensor<32x32xf32>) outs(%f : tensor<20x32xf32>) -> tensor<20x32xf32>
    scf.yield %p : tensor<20x32xf32>
  }
  return %r : tensor<20x32xf32>
}

// An argument that is constant is packed by the caller, once for all its uses.
// CHECK-LABEL: func.func @constant_argument
// CHECK-SAME: %[[PACKED:[a-z0-9]+]]: tensor<4x128x32xf32>
// CHECK-SAME: weft.packed_arguments = [array<i64: 1, 0, 32, 0, 2, 1>]
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[PACKED]] :
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[PACKED]] :
func.func @constant_argument(%x: tensor<20x128xf32>, %w: tensor<128x128xf32>) -> tensor<20x128xf32>
    attributes {weft.constant_arguments = array<i64: 1>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<20x128xf32>) -> tensor<20x128xf32>
  %p = linalg.contract indexing_maps = [#rows, #turned, #results]
      ins(%x, %w : tensor<20x128xf32>, tensor<128x128xf32>) outs(%f : tensor<20x128xf32>) -> tensor<20x128xf32>
  %q = linalg.contract indexing_maps = [#rows, #turned, #results]
      ins(%p, %w : tensor<20x128xf32>, tensor<128x128xf32>) outs(%f : tensor<20x128xf32>) -> tensor<20x128xf32>
  return %q : tensor<20x128xf32>
}

// The filters of a convolution are an operand, too.
// CHECK-LABEL: func.func @convolution
// CHECK: tensor.expand_shape %arg1 {{.*}} into tensor<3x3x32x1x64xf32>
// CHECK: -> tensor<1x3x3x32x64xf32>
// CHECK: scf.for
// CHECK-NOT: linalg.conv
// CHECK: linalg.generic
func.func @convolution(%x: tensor<1x20x20x32xf32>, %w: tensor<3x3x32x64xf32>, %n: index) -> tensor<1x18x18x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<1x18x18x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x18x18x64xf32>) -> tensor<1x18x18x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f) -> (tensor<1x18x18x64xf32>) {
    %p = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
        ins(%x, %w : tensor<1x20x20x32xf32>, tensor<3x3x32x64xf32>) outs(%a : tensor<1x18x18x64xf32>)
        -> tensor<1x18x18x64xf32>
    scf.yield %p : tensor<1x18x18x64xf32>
  }
  return %r : tensor<1x18x18x64xf32>
}
