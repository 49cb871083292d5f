// RUN: weft-opt %s --target=x86-64-v4 --expand-math | filecheck %s
// RUN: weft-opt %s --target=x86-64-v3 --expand-math | filecheck %s --check-prefix=NARROW

// Where registers hold tables, they replace most of a polynomial.
// CHECK-LABEL: func.func @logarithm
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.getmant.ps.512"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// CHECK: math.fma
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.getexp.ps.512"
// CHECK-COUNT-6: math.fma
// CHECK-NOT: math.fma
// CHECK: return

// NARROW-LABEL: func.func @logarithm
// NARROW-NOT: llvm.call_intrinsic
// NARROW-COUNT-11: math.fma
// NARROW: return
func.func @logarithm(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.log2 %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Doubles need two registers for sixteen numbers.
// CHECK-LABEL: func.func @of_doubles
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.pd.512"
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.fixupimm.pd.512"
// CHECK: return
func.func @of_doubles(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.log1p %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// Short vectors are looked up in whole registers, long ones one register after the other.
// CHECK-LABEL: func.func @short_and_long
// CHECK: vector.insert_strided_slice {{.*}} : vector<4xf32> into vector<16xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"
// CHECK: vector.extract_strided_slice {{.*}} : vector<16xf32> to vector<4xf32>
// CHECK: vector.extract_strided_slice {{.*}} : vector<32xf32> to vector<16xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"
// CHECK: return
func.func @short_and_long(%x: vector<4xf32>, %y: vector<32xf32>) -> (vector<4xf32>, vector<32xf32>) {
  %0 = math.tanh %x : vector<4xf32>
  %1 = math.cbrt %y : vector<32xf32>
  return %0, %1 : vector<4xf32>, vector<32xf32>
}

// Numbers are computed in vectors, too: they come out the same.
// CHECK-LABEL: func.func @number
// CHECK: vector.broadcast %arg0 : f32 to vector<4xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.getmant.ps.128"
// CHECK: vector.extract %{{.*}}[0] : f32 from vector<4xf32>
// CHECK: return

// NARROW-LABEL: func.func @number
// NARROW-NOT: vector
// NARROW: return
func.func @number(%x: f32) -> f32 {
  %0 = math.log %x : f32
  return %0 : f32
}

// Two lanes of f64 fill a register, those of f32 do not.
// CHECK-LABEL: func.func @pairs
// CHECK: vector.shuffle %arg0, %arg0 [0, 1, 0, 0] : vector<2xf32>, vector<2xf32>
// CHECK: vector.shuffle {{.*}} [0, 1] : vector<4xf32>, vector<4xf32>
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @pairs(%x: vector<2xf32>, %y: vector<2xf64>) -> (vector<2xf32>, vector<2xf64>) {
  %0 = math.log %x : vector<2xf32>
  %1 = math.log %y : vector<2xf64>
  return %0, %1 : vector<2xf32>, vector<2xf64>
}
