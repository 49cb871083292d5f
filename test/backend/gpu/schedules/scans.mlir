// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --split-input-file | filecheck %s

// Few long rows are shared by blocks, which start from what those before them have.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: gpu.alloc () : memref<13xf32>
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_parts
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_shares
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0
// CHECK-DAG: "scans: each element needs the one before; what slices of rows have"
// CHECK-DAG: "scans: each element needs the one before; what slices have with those before them"
// CHECK-DAG: gpu.shuffle up
// CHECK-DAG: vector.load {{.*}} : memref<50000xf32>, vector<4xf32>
// CHECK-DAG: vector.store {{.*}} : memref<50000xf32>, vector<4xf32>
func.func private @kernel_0(%x: memref<50000xf32>, %y: memref<50000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 50000 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<50000xf32>
    %first = arith.cmpi eq, %i, %c0 : index
    %s = scf.if %first -> (f32) {
      scf.yield %a : f32
    } else {
      %j = arith.subi %i, %c1 : index
      %b = memref.load %y[%j] : memref<50000xf32>
      %c = arith.addf %b, %a : f32
      scf.yield %c : f32
    }
    memref.store %s, %y[%i] : memref<50000xf32>
  }
  return
}

// -----

// Columns that lie side by side are threads that do.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.shuffle
// CHECK: "scans: each element needs the one before; a thread a column"
func.func private @kernel_1(%x: memref<50x300xf32>, %y: memref<50x300xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 50 : index
  %m = arith.constant 300 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %k = %c0 to %m step %c1 {
      %a = memref.load %x[%i, %k] : memref<50x300xf32>
      %first = arith.cmpi eq, %i, %c0 : index
      %s = scf.if %first -> (f32) {
        scf.yield %a : f32
      } else {
        %j = arith.subi %i, %c1 : index
        %b = memref.load %y[%j, %k] : memref<50x300xf32>
        %c = arith.maximumf %b, %a : f32
        scf.yield %c : f32
      }
      memref.store %s, %y[%i, %k] : memref<50x300xf32>
    }
  }
  return
}

// -----

// Rows of an odd length do not all begin where four neighbours may be loaded at once.
// CHECK-LABEL: func.func private @kernel_4
// CHECK: gpu.launch_func @kernel_4_device::@kernel_4_shares
// CHECK-NOT: vector.load
// CHECK-NOT: vector.store
func.func private @kernel_4(%x: memref<2x50001xi32>, %y: memref<2x50001xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 50001 : index
  scf.for %k = %c0 to %c2 step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %x[%k, %i] : memref<2x50001xi32>
      %first = arith.cmpi eq, %i, %c0 : index
      %s = scf.if %first -> (i32) {
        scf.yield %a : i32
      } else {
        %j = arith.subi %i, %c1 : index
        %b = memref.load %y[%k, %j] : memref<2x50001xi32>
        %c = arith.addi %b, %a : i32
        scf.yield %c : i32
      }
      memref.store %s, %y[%k, %i] : memref<2x50001xi32>
    }
  }
  return
}

// -----

// What is not combined in any grouping, and what reads results of elsewhere, is no scan.
// CHECK-LABEL: func.func private @kernel_2
// CHECK-NOT: scans:
// CHECK: "one thread:
func.func private @kernel_2(%x: memref<500xf32>, %y: memref<500xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 500 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<500xf32>
    %first = arith.cmpi eq, %i, %c0 : index
    %s = scf.if %first -> (f32) {
      scf.yield %a : f32
    } else {
      %j = arith.subi %i, %c1 : index
      %b = memref.load %y[%j] : memref<500xf32>
      %c = arith.subf %b, %a : f32
      scf.yield %c : f32
    }
    memref.store %s, %y[%i] : memref<500xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func private @kernel_3
// CHECK-NOT: scans:
// CHECK: "one thread:
func.func private @kernel_3(%y: memref<500xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 500 : index
  scf.for %i = %c0 to %n step %c1 {
    %half = arith.divui %i, %c2 : index
    %a = memref.load %y[%half] : memref<500xf32>
    %first = arith.cmpi eq, %i, %c0 : index
    %s = scf.if %first -> (f32) {
      scf.yield %a : f32
    } else {
      %j = arith.subi %i, %c1 : index
      %b = memref.load %y[%j] : memref<500xf32>
      %c = arith.addf %b, %a : f32
      scf.yield %c : f32
    }
    memref.store %s, %y[%i] : memref<500xf32>
  }
  return
}
