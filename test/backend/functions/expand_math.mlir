// RUN: weft-opt %s --target=x86-64-v3 --expand-math | filecheck %s

// Functions become arithmetic that keeps NaN.
// CHECK-LABEL: func.func @exponential
// CHECK: %[[HIGH:.*]] = arith.constant 8.900000e+01 : f32
// CHECK: %[[ABOVE:.*]] = arith.cmpf olt, %[[HIGH]], %arg0 : f32
// CHECK: arith.select %[[ABOVE]], %[[HIGH]], %arg0 : f32
// CHECK: arith.shli
// CHECK-NOT: math.exp
func.func @exponential(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// Vectors are expanded as a whole.
// CHECK-LABEL: func.func @of_vector
// CHECK: math.fma {{.*}} : vector<8xf64>
// CHECK-NOT: math.log
func.func @of_vector(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.log %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// Large arguments of sin and cos take another way, if there is one in a vector.
// CHECK-LABEL: func.func @large_angles
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<2xi1> into i1
// CHECK: %[[RARE:.*]] = llvm.intr.expect %[[ANY]], %false : i1
// CHECK: scf.if %[[RARE]]
// CHECK: arith.muli {{.*}} : vector<2xi64>
// CHECK: } else {
// CHECK-NOT: arith.muli
// CHECK-NOT: call
// CHECK: return
func.func @large_angles(%x: vector<2xf32>) -> vector<2xf32> {
  %0 = math.sin %x : vector<2xf32>
  return %0 : vector<2xf32>
}

// Half precision is computed in single precision and rounded once.
// CHECK-LABEL: func.func @half
// CHECK: arith.extf %arg0 : f16 to f32
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @half(%x: f16) -> f16 {
  %0 = math.tanh %x : f16
  return %0 : f16
}

// No function of two operands is a call.
// CHECK-LABEL: func.func @angle
// CHECK: arith.divf
// CHECK-NOT: call
// CHECK: return
func.func @angle(%x: f64) -> f64 {
  %0 = math.atan2 %x, %x : f64
  return %0 : f64
}

// What LLVM has an instruction for stays.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.floor
// CHECK-NEXT: return
func.func @kept(%x: f64) -> f64 {
  %0 = math.sqrt %x : f64
  %1 = math.floor %0 : f64
  return %1 : f64
}

// The complement of the error function is arithmetic in vectors of any width: nothing is called for lane after lane.
// CHECK-LABEL: func.func @complementary_error_function
// CHECK: arith.divf {{.*}} : vector<8xf32>
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: math.erfc
// CHECK-NOT: vector.extract
// CHECK-NOT: call
// CHECK: return
func.func @complementary_error_function(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.erfc %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// A remainder is one division and a fused multiplication, unless a quotient of a vector is large or a divisor infinite.
// CHECK-LABEL: func.func @remainder
// CHECK: %[[QUOTIENT:.*]] = arith.divf {{.*}} : vector<4xf64>
// CHECK: %[[WHOLE:.*]] = math.trunc %[[QUOTIENT]]
// CHECK: math.fma {{.*}} : vector<4xf64>
// CHECK: scf.if
// CHECK-NEXT: arith.remf %arg0, %arg1 {weft.left_to_library} : vector<4xf64>
// CHECK-NOT: arith.remf
// CHECK: return
func.func @remainder(%x: vector<4xf64>, %y: vector<4xf64>) -> vector<4xf64> {
  %0 = arith.remf %x, %y : vector<4xf64>
  return %0 : vector<4xf64>
}
