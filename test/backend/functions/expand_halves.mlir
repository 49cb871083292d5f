// RUN: weft-opt %s --target=x86-64 --expand-math | filecheck %s
// RUN: weft-opt %s --target=x86-64-v3 --expand-math | filecheck %s --check-prefix=KEPT

// Without instructions for them, halves are converted by integer arithmetic.
// CHECK-LABEL: func.func @conversions
// CHECK-NOT: arith.extf
// CHECK: arith.shli {{.*}} : vector<4xi32>
// CHECK: arith.bitcast {{.*}} : vector<4xi16> to vector<4xf16>
// CHECK-NOT: arith.truncf
// CHECK: return
// KEPT-LABEL: func.func @conversions
// KEPT-NEXT: arith.extf %arg0 : vector<4xf16> to vector<4xf32>
// KEPT-NEXT: arith.addf
// KEPT-NEXT: arith.truncf
func.func @conversions(%x: vector<4xf16>) -> vector<4xf16> {
  %0 = arith.extf %x : vector<4xf16> to vector<4xf32>
  %1 = arith.addf %0, %0 : vector<4xf32>
  %2 = arith.truncf %1 : vector<4xf32> to vector<4xf16>
  return %2 : vector<4xf16>
}

// Arithmetic of bfloat16 is done in float32 everywhere, that of float16 where it cannot be converted.
// CHECK-LABEL: func.func @arithmetic
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.cmpf olt, {{.*}} : f32
// CHECK: return
// KEPT-LABEL: func.func @arithmetic
// KEPT: arith.extf %arg0 : bf16 to f32
// KEPT: arith.addf {{.*}} : f32
// KEPT: arith.truncf {{.*}} : f32 to bf16
// KEPT: arith.cmpf olt, {{.*}} : f16
func.func @arithmetic(%x: bf16, %y: f16) -> (bf16, i1) {
  %0 = arith.addf %x, %x : bf16
  %zero = arith.constant 0.0 : f16
  %1 = arith.cmpf olt, %y, %zero : f16
  return %0, %1 : bf16, i1
}

// Rounding needs SSE4.1.
// CHECK-LABEL: func.func @rounding
// CHECK-NOT: math.floor
// CHECK: math.copysign
// CHECK: return
// KEPT-LABEL: func.func @rounding
// KEPT-NEXT: math.floor
// KEPT-NEXT: return
func.func @rounding(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.floor %x : vector<4xf32>
  return %0 : vector<4xf32>
}
