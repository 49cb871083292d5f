// RUN: weft-opt %s --target=sm_90a:x86-64-v4 --expand-device-math | filecheck %s
// RUN: weft-opt %s --target=sm_90a:x86-64-v3 --expand-device-math | filecheck %s --check-prefix=NARROW

// Functions that the processor of the program looks up in registers are looked up in memory, from tables that a module has
// once; roots are instructions.
// CHECK-LABEL: gpu.module @kernels
// CHECK-COUNT-2: memref.global "private" constant @weft_table_{{.*}} : memref<16xf32> = dense<
// CHECK-NOT: memref.global
// CHECK-LABEL: gpu.func @logarithms
// CHECK: %[[T:.*]] = memref.get_global @weft_table
// CHECK: memref.load %[[T]][%{{.*}}] : memref<16xf32>
// CHECK: llvm.call_intrinsic "llvm.sqrt.f32"
// CHECK-NOT: math.log

// NARROW-LABEL: gpu.module @kernels
// NARROW-NOT: memref.global
// NARROW: llvm.fma.f32
// NARROW-NOT: memref.get_global
gpu.module @kernels {
  gpu.func @logarithms(%x: f32, %y: f32, %out: memref<3xf32>) kernel {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %0 = math.log %x : f32
    %1 = math.log %y : f32
    %2 = math.sqrt %x : f32
    memref.store %0, %out[%i0] : memref<3xf32>
    memref.store %1, %out[%i1] : memref<3xf32>
    memref.store %2, %out[%i2] : memref<3xf32>
    gpu.return
  }
}
