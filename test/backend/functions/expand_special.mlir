// RUN: weft-opt %s --target=x86-64-v3 --expand-math | filecheck %s

// A special function is arithmetic on all lanes; what negative numbers take is behind a branch that is rarely taken.
// CHECK-LABEL: func.func @of_vector
// CHECK: math.fma {{.*}} : vector<4xf64>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<4xi1> into i1
// CHECK: %[[RARE:.*]] = llvm.intr.expect %[[ANY]], %false : i1
// CHECK: scf.if %[[RARE]]
// CHECK: math.roundeven
// CHECK: } else {
// CHECK-NOT: math.roundeven
// CHECK-NOT: special.
// CHECK-NOT: call
// CHECK: return
func.func @of_vector(%x: vector<4xf64>) -> vector<4xf64> {
  %0 = "special.gamma"(%x) : (vector<4xf64>) -> vector<4xf64>
  return %0 : vector<4xf64>
}

// Single precision is computed in double precision and rounded once.
// CHECK-LABEL: func.func @single
// CHECK: arith.extf %arg0 : vector<8xf32> to vector<8xf64>
// CHECK-NOT: arith.mulf {{.*}} : vector<8xf32>
// CHECK: arith.truncf {{.*}} : vector<8xf64> to vector<8xf32>
// CHECK-NOT: special.
// CHECK: return
func.func @single(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = "special.digamma"(%x) : (vector<8xf32>) -> vector<8xf32>
  return %0 : vector<8xf32>
}

// What no function expands stays.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: math.absf
// CHECK-NEXT: return
func.func @kept(%x: f64) -> f64 {
  %0 = math.absf %x : f64
  return %0 : f64
}
