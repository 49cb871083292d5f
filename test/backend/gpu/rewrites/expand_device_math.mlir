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

// Shifts of 64 bits by a number that is not known are instructions that LLVM does not look into; others are not.
// CHECK-LABEL: gpu.func @shifts
// CHECK-SAME: (%[[X:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i32, %{{.*}}: memref<5xi64>)
// CHECK: %[[FIRST:.*]] = arith.trunci %[[N]] : i64 to i32
// CHECK: llvm.inline_asm "shl.b64 $0, $1, $2;", "=l,l,r" %[[X]], %[[FIRST]] : (i64, i32) -> i64
// CHECK: %[[SECOND:.*]] = arith.trunci %[[N]] : i64 to i32
// CHECK: llvm.inline_asm "shr.u64 $0, $1, $2;", "=l,l,r" %[[X]], %[[SECOND]] : (i64, i32) -> i64
// CHECK-NOT: llvm.inline_asm
// CHECK: arith.shrsi %[[X]], %[[N]] : i64
// CHECK: arith.shli %[[X]], %{{.*}} : i64
// CHECK: arith.shli %[[S]], %[[S]] : i32
gpu.module @integers {
  gpu.func @shifts(%x: i64, %n: i64, %s: i32, %out: memref<5xi64>) kernel {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    %i4 = arith.constant 4 : index
    %three = arith.constant 3 : i64
    %0 = arith.shli %x, %n : i64
    %1 = arith.shrui %x, %n : i64
    %2 = arith.shrsi %x, %n : i64
    %3 = arith.shli %x, %three : i64
    %4 = arith.shli %s, %s : i32
    %5 = arith.extui %4 : i32 to i64
    memref.store %0, %out[%i0] : memref<5xi64>
    memref.store %1, %out[%i1] : memref<5xi64>
    memref.store %2, %out[%i2] : memref<5xi64>
    memref.store %3, %out[%i3] : memref<5xi64>
    memref.store %5, %out[%i4] : memref<5xi64>
    gpu.return
  }
}
