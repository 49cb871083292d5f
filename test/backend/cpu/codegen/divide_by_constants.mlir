// RUN: weft-opt %s --target=znver4 --schedule-kernels | filecheck %s

#at = affine_map<(i) -> (i)>

// The reciprocal of 3 in two parts: a multiplication and a fused one; other dividends are for the machine.
// CHECK-LABEL: func.func private @by_three(
// CHECK: vector.reduction <or>
// CHECK: scf.if
// CHECK: %[[LOW:.*]] = arith.mulf
// CHECK: %[[QUOTIENT:.*]] = math.fma %{{.*}}, %{{.*}}, %[[LOW]] : vector<8xf64>
// CHECK-NEXT: scf.yield %[[QUOTIENT]]
// CHECK: else
// CHECK-NEXT: arith.divf
func.func private @by_three(%x: memref<4096xf64>, %o: memref<4096xf64>) {
  %d = arith.constant 3.0 : f64
  linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel"]} ins(%x : memref<4096xf64>) outs(%o : memref<4096xf64>) {
  ^bb0(%v: f64, %out: f64):
    %0 = arith.divf %v, %d : f64
    linalg.yield %0 : f64
  }
  return
}

// The parts of 1 / 0.1 have different signs: so that -0 stays what it is, the quotient has the sign of the product.
// CHECK-LABEL: func.func private @by_a_tenth(
// CHECK: scf.if
// CHECK: math.fma
// CHECK: math.copysign
// CHECK: else
func.func private @by_a_tenth(%x: memref<4096xf64>, %o: memref<4096xf64>) {
  %d = arith.constant 0.1 : f64
  linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel"]} ins(%x : memref<4096xf64>) outs(%o : memref<4096xf64>) {
  ^bb0(%v: f64, %out: f64):
    %0 = arith.divf %v, %d : f64
    linalg.yield %0 : f64
  }
  return
}

// A number that only the run knows is proved nothing of: the quotient is corrected twice.
// CHECK-LABEL: func.func private @by_a_number(
// CHECK: scf.if
// CHECK-COUNT-4: math.fma
// CHECK: else
func.func private @by_a_number(%x: memref<4096xf64>, %d: f64, %o: memref<4096xf64>) {
  linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel"]} ins(%x : memref<4096xf64>) outs(%o : memref<4096xf64>) {
  ^bb0(%v: f64, %out: f64):
    %0 = arith.divf %v, %d : f64
    linalg.yield %0 : f64
  }
  return
}
