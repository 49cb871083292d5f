// RUN: weft-opt %s --target=x86-64-v3 --expand-math | filecheck %s

// Cubes are products, whose rounding errors are added up.
// CHECK-LABEL: func.func @cube
// CHECK: %[[SQUARE:.*]] = arith.mulf %arg0, %arg0 : vector<4xf64>
// CHECK: math.fma %arg0, %arg0
// CHECK: %[[CUBE:.*]] = arith.mulf %[[SQUARE]], %arg0 : vector<4xf64>
// CHECK-NOT: arith.divf
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[CUBE]]
// CHECK-NEXT: return
func.func @cube(%x: vector<4xf64>) -> vector<4xf64> {
  %three = arith.constant dense<3.0> : vector<4xf64>
  %0 = math.powf %x, %three : vector<4xf64>
  return %0 : vector<4xf64>
}

// Halves take a root, and negative exponents an inverse first.
// CHECK-LABEL: func.func @inverse_distance
// CHECK: arith.divf
// CHECK: math.sqrt
// CHECK-NOT: arith.shrui
// CHECK: return
func.func @inverse_distance(%x: f64) -> f64 {
  %e = arith.constant -1.5 : f64
  %0 = math.powf %x, %e : f64
  return %0 : f64
}

// Not so for thirds, for large exponents, for several of them, and for what is computed.
// CHECK-LABEL: func.func @others
// CHECK-NOT: arith.mulf %arg0, %arg0
// CHECK-COUNT-4: math.absf %arg0 : vector<4xf32>
// CHECK-NOT: arith.mulf %arg0, %arg0
func.func @others(%x: vector<4xf32>, %y: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %third = arith.constant dense<0.333333343> : vector<4xf32>
  %large = arith.constant dense<17.0> : vector<4xf32>
  %several = arith.constant dense<[2.0, 3.0, 4.0, 5.0]> : vector<4xf32>
  %0 = math.powf %x, %third : vector<4xf32>
  %1 = math.powf %x, %large : vector<4xf32>
  %2 = math.powf %x, %several : vector<4xf32>
  %3 = math.powf %x, %y : vector<4xf32>
  return %0, %1, %2, %3 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
}
