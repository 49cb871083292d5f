// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// Complex functions are calls of the C library on the parts in f64, declared once.

// CHECK-COUNT-1: func.func private @cexp(f64, f64) -> (f64, f64)
// CHECK-LABEL: func.func @complex_functions
// CHECK: %[[REAL:.*]] = complex.re %{{.*}} : complex<f64>
// CHECK: %[[IMAG:.*]] = complex.im %{{.*}} : complex<f64>
// CHECK: %[[EXP:.*]]:2 = func.call @cexp(%[[REAL]], %[[IMAG]]) : (f64, f64) -> (f64, f64)
// CHECK: complex.create %[[EXP]]#0, %[[EXP]]#1 : complex<f64>
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: func.call @cexp
func.func @complex_functions(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = "weft.exp"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %1 = "weft.exp"(%0) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %1 : tensor<4xcomplex<f32>>
}

// The length of a complex number needs no call: its parts are scaled where their squares would overflow or vanish.
// CHECK-LABEL: func.func @length
// CHECK-NOT: func.call
// CHECK: %[[SCALE:.*]] = arith.select
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: math.sqrt %{{.*}} : f32
// CHECK-NOT: func.call
// CHECK: return
func.func @length(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = "weft.absolute"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
