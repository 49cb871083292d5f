// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s

// Where nothing is read, the last iteration wins: of rows, in each element.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: gpu.alloc () : memref<50x8xi64>
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_clear blocks in (%c7, %c1, %c1) threads in (%c128, %c1, %c1)
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_choose
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.func @kernel_0_clear
// CHECK: llvm.atomicrmw xchg {{.*}} syncscope("device") monotonic
// CHECK: gpu.func @kernel_0_choose
// CHECK: llvm.atomicrmw max {{.*}} syncscope("device") monotonic
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: "scatters: a thread an iteration; the last one wins"
// CHECK-NOT: llvm.atomicrmw
func.func private @kernel_0(%i: memref<100xi64>, %x: memref<100x8xf32>, %y: memref<50x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %m = arith.constant 8 : index
  %size = arith.constant 50 : index
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.load %i[%k] : memref<100xi64>
    %b = arith.index_cast %a : i64 to index
    %inside = arith.cmpi ult, %b, %size : index
    scf.if %inside {
      scf.for %j = %c0 to %m step %c1 {
        %v = memref.load %x[%k, %j] : memref<100x8xf32>
        memref.store %v, %y[%b, %j] : memref<50x8xf32>
      }
    }
  }
  return
}

// -----

// Integers are joined in any order.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: llvm.atomicrmw add
func.func private @kernel_1(%i: memref<100xi64>, %x: memref<100xi32>, %y: memref<50xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.load %i[%k] : memref<100xi64>
    %b = arith.index_cast %a : i64 to index
    %old = memref.load %y[%b] : memref<50xi32>
    %v = memref.load %x[%k] : memref<100xi32>
    %new = arith.addi %old, %v : i32
    memref.store %new, %y[%b] : memref<50xi32>
  }
  return
}

// -----

// Floats are added in their order, so that there is one result.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: gpu.launch_func @kernel_2_device::@kernel_2_places
// CHECK: gpu.launch_func @kernel_2_device::@kernel_2_order
// CHECK: gpu.launch_func @kernel_2_device::@kernel_2 blocks
// CHECK-NOT: llvm.atomicrmw
// CHECK: "scatters: a thread an iteration; sorted by their places"
func.func private @kernel_2(%i: memref<100xi64>, %x: memref<100xf32>, %y: memref<50xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.load %i[%k] : memref<100xi64>
    %b = arith.index_cast %a : i64 to index
    %old = memref.load %y[%b] : memref<50xf32>
    %v = memref.load %x[%k] : memref<100xf32>
    %new = arith.addf %old, %v : f32
    memref.store %new, %y[%b] : memref<50xf32>
  }
  return
}

// -----

// How often runs are merged depends on how many there are, and all that is done before a thread does what is of a place.
// CHECK-LABEL: func.func private @kernel_2
// CHECK: gpu.launch_func @kernel_2_device::@kernel_2_order
// CHECK: scf.for
// CHECK: gpu.launch_func @kernel_2_device::@kernel_2_order_merge
// CHECK: gpu.launch_func @kernel_2_device::@kernel_2_order_merge
// CHECK: gpu.launch_func @kernel_2_device::@kernel_2 blocks
func.func private @kernel_2(%n: index, %i: memref<?xi64>, %x: memref<?xf32>, %y: memref<50xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.load %i[%k] : memref<?xi64>
    %b = arith.index_cast %a : i64 to index
    %old = memref.load %y[%b] : memref<50xf32>
    %v = memref.load %x[%k] : memref<?xf32>
    %new = arith.addf %old, %v : f32
    memref.store %new, %y[%b] : memref<50xf32>
  }
  return
}

// -----

// What reads another place of what it writes is no scatter, nor what always writes at the same one, nor a few.
// CHECK-LABEL: func.func private @kernel_3
// CHECK-NOT: scatters:
// CHECK: "one thread:
// CHECK-LABEL: func.func private @kernel_4
// CHECK-NOT: scatters:
// CHECK: "one thread:
// CHECK-LABEL: func.func private @kernel_5
// CHECK-NOT: scatters:
// CHECK: "one thread:
func.func private @kernel_3(%i: memref<100xi64>, %y: memref<50xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.load %i[%k] : memref<100xi64>
    %b = arith.index_cast %a : i64 to index
    %v = memref.load %y[%c1] : memref<50xf32>
    memref.store %v, %y[%b] : memref<50xf32>
  }
  return
}
func.func private @kernel_4(%x: memref<100xf32>, %y: memref<50xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %k = %c0 to %n step %c1 {
    %old = memref.load %y[%c0] : memref<50xf32>
    %v = memref.load %x[%k] : memref<100xf32>
    %new = arith.addf %old, %v : f32
    memref.store %new, %y[%c0] : memref<50xf32>
  }
  return
}
func.func private @kernel_5(%i: memref<9xi64>, %x: memref<9xf32>, %y: memref<50xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9 : index
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.load %i[%k] : memref<9xi64>
    %b = arith.index_cast %a : i64 to index
    %v = memref.load %x[%k] : memref<9xf32>
    memref.store %v, %y[%b] : memref<50xf32>
  }
  return
}

// -----

// Where one loop tells alone where is written, its iterations have threads, which do the other one in its order.
// CHECK-LABEL: func.func private @kernel_6
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: "scatters: a thread an iteration of the loops that say where"
// CHECK: scf.for
// CHECK: arith.addf
func.func private @kernel_6(%a: memref<90xf32>, %b: memref<90x64xf32>, %c: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 90 : index
  %m = arith.constant 64 : index
  scf.for %k = %c0 to %n step %c1 {
    %x = memref.load %a[%k] : memref<90xf32>
    scf.for %j = %c0 to %m step %c1 {
      %old = memref.load %c[%j] : memref<64xf32>
      %y = memref.load %b[%k, %j] : memref<90x64xf32>
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %old, %p : f32
      memref.store %s, %c[%j] : memref<64xf32>
    }
  }
  return
}

// -----

// Bytes are joined in the word around them, which is exchanged until no other thread came between.
// CHECK-LABEL: func.func private @kernel_7
// CHECK-COUNT-1: gpu.launch_func
// CHECK: "scatters: a thread an iteration; joined by atomic instructions"
// CHECK: llvm.load {{.*}} atomic syncscope("device") monotonic
// CHECK: scf.while
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.addi %{{.*}} : i8
// CHECK: llvm.cmpxchg
func.func private @kernel_7(%i: memref<100xi64>, %x: memref<100xi8>, %y: memref<50xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.load %i[%k] : memref<100xi64>
    %b = arith.index_cast %a : i64 to index
    %v = memref.load %x[%k] : memref<100xi8>
    %old = memref.load %y[%b] : memref<50xi8>
    %new = arith.addi %old, %v : i8
    memref.store %new, %y[%b] : memref<50xi8>
  }
  return
}

// -----

// A loop that may raise: what fails notes its number and ends, and one thread does the first of them again.
// CHECK-LABEL: func.func private @kernel_9
// CHECK: gpu.launch_func @kernel_9_device::@kernel_9 blocks in (%c8, %c1, %c1) threads in (%c128, %c1, %c1)
// CHECK: gpu.launch_func @kernel_9_device::@kernel_9_first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
// CHECK: gpu.func @kernel_9(
// CHECK-SAME: "scatters: a thread an iteration; joined by atomic instructions"
// CHECK: llvm.atomicrmw max {{.*}} syncscope("device") monotonic
// CHECK-NEXT: func.call @weft_exit
// CHECK: llvm.atomicrmw add {{.*}} syncscope("device") monotonic
// CHECK: gpu.func @kernel_9_first(
// CHECK-NOT: llvm.atomicrmw
func.func private @kernel_9(%i: memref<1000xi64>, %y: memref<50xi64>, %record: memref<20xi64>) attributes {weft.guarded} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %size = arith.constant 50 : index
  %site = arith.constant 1 : i64
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.load %i[%k] : memref<1000xi64>
    %b = arith.index_cast %a : i64 to index
    %outside = arith.cmpi uge, %b, %size : index
    scf.if %outside {
      memref.store %site, %record[%c0] : memref<20xi64>
      func.call @weft_exit() : () -> ()
    }
    %old = memref.load %y[%b] : memref<50xi64>
    %new = arith.addi %old, %site : i64
    memref.store %new, %y[%b] : memref<50xi64>
  }
  return
}
func.func private @weft_exit()

// -----

// What others may see when it raises is in order.
// CHECK-LABEL: func.func private @kernel_9
// CHECK-NOT: llvm.atomicrmw
func.func private @kernel_9(%i: memref<1000xi64>, %y: memref<50xi64>, %record: memref<20xi64>)
    attributes {weft.guarded, weft.visible} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %size = arith.constant 50 : index
  %site = arith.constant 1 : i64
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.load %i[%k] : memref<1000xi64>
    %b = arith.index_cast %a : i64 to index
    %outside = arith.cmpi uge, %b, %size : index
    scf.if %outside {
      memref.store %site, %record[%c0] : memref<20xi64>
      func.call @weft_exit() : () -> ()
    }
    %old = memref.load %y[%b] : memref<50xi64>
    %new = arith.addi %old, %site : i64
    memref.store %new, %y[%b] : memref<50xi64>
  }
  return
}
func.func private @weft_exit()

// -----

// Many ones are counted in the shared memory of blocks, where their places are among its first.
// CHECK-LABEL: func.func private @kernel_90
// CHECK: gpu.launch_func @kernel_90_device::@kernel_90
// CHECK: gpu.func @kernel_90({{.*}} workgroup(%[[OWN:[a-z0-9]+]] : memref<2048xi32
// CHECK-SAME: counted by blocks in shared memory
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: memref.atomic_rmw addi %{{.*}}, %[[OWN]]
// CHECK: llvm.atomicrmw add
// CHECK: gpu.barrier
// CHECK: llvm.atomicrmw add
func.func private @kernel_90(%i: memref<40000xi64>, %c: memref<300xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 40000 : index
  %one = arith.constant 1 : i64
  scf.for %k = %c0 to %n step %c1 {
    %place = memref.load %i[%k] : memref<40000xi64>
    %at = arith.index_cast %place : i64 to index
    %old = memref.load %c[%at] : memref<300xi64>
    %new = arith.addi %old, %one : i64
    memref.store %new, %c[%at] : memref<300xi64>
  }
  return
}

// -----

// Numbers that data tells may be too large for such counts.
// CHECK-LABEL: func.func private @kernel_91
// CHECK: gpu.func @kernel_91
// CHECK-SAME: joined by atomic instructions
// CHECK-NOT: memref.atomic_rmw
// CHECK: llvm.atomicrmw add
func.func private @kernel_91(%i: memref<40000xi64>, %c: memref<300xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 40000 : index
  scf.for %k = %c0 to %n step %c1 {
    %place = memref.load %i[%k] : memref<40000xi64>
    %at = arith.index_cast %place : i64 to index
    %old = memref.load %c[%at] : memref<300xi64>
    %new = arith.addi %old, %place : i64
    memref.store %new, %c[%at] : memref<300xi64>
  }
  return
}
