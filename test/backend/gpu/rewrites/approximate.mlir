// RUN: weft-opt %s --target=sm_90a --expand-device-math | filecheck %s

// An exponential that is marked is an instruction and a power of two; a division that is marked multiplies by both parts
// of a reciprocal.
// CHECK-LABEL: gpu.func @marked
// CHECK: llvm.inline_asm "fma.rn.sat.f32
// CHECK: llvm.inline_asm "fma.rm.f32
// CHECK: llvm.inline_asm "ex2.approx.ftz.f32
// CHECK: arith.divf %cst{{.*}}, %{{.*}} : f32
// CHECK: llvm.call_intrinsic "llvm.fma.f32"
// CHECK: llvm.call_intrinsic "llvm.fma.f32"
// CHECK-NOT: math.exp

// Others are exact, and doubles have no such instruction.
// CHECK-LABEL: gpu.func @exact
// CHECK-NOT: llvm.inline_asm
// CHECK: arith.divf
// CHECK: arith.divf
gpu.module @kernels {
  gpu.func @marked(%x: f32, %y: f32, %by: f32, %out: memref<3xf32>) kernel {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %0 = math.exp %x {weft.approximate} : f32
    %1 = arith.divf %x, %by {weft.approximate} : f32
    memref.store %0, %out[%i0] : memref<3xf32>
    memref.store %1, %out[%i1] : memref<3xf32>
    gpu.return
  }
  gpu.func @exact(%x: f32, %y: f32, %by: f32, %z: f64, %out: memref<3xf32>, %wide: memref<f64>) kernel {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %0 = math.exp %x : f32
    %1 = arith.divf %x, %by : f32
    %2 = arith.divf %y, %by : f32
    %3 = math.exp %z {weft.approximate} : f64
    memref.store %0, %out[%i0] : memref<3xf32>
    memref.store %1, %out[%i1] : memref<3xf32>
    memref.store %2, %out[%i2] : memref<3xf32>
    memref.store %3, %wide[] : memref<f64>
    gpu.return
  }
}
