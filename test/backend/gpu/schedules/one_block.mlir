// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --split-input-file | filecheck %s

// Steps in time: threads share the points of a step, and wait for each other before the next one. What they exchange
// is not said to be untouched by barriers (`llvm.noalias`); what is only read, is.
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<2x100xf64>, %{{.*}}: memref<100xf64> {llvm.noalias, llvm.readonly}) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME: weft.schedule = "one block:
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store
// CHECK: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
func.func private @kernel_0(%n: index, %force: memref<100xf64>, %u: memref<2x100xf64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c98 = arith.constant 98 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c98 step %c1 {
      %next = arith.addi %i, %c1 : index
      %left = memref.load %u[%c0, %i] : memref<2x100xf64>
      %f = memref.load %force[%next] : memref<100xf64>
      %new = arith.addf %left, %f : f64
      memref.store %new, %u[%c1, %next] : memref<2x100xf64>
    }
    scf.for %i = %c0 to %c98 step %c1 {
      %next = arith.addi %i, %c1 : index
      %new = memref.load %u[%c1, %next] : memref<2x100xf64>
      memref.store %new, %u[%c0, %next] : memref<2x100xf64>
    }
  }
  return
}

// -----

// What each thread does with elements of its own needs no barrier, in one iteration nor in the next.
// CHECK: gpu.func @kernel_1(
// CHECK-SAME: weft.schedule = "one block:
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @kernel_1(%n: index, %x: memref<64xf64>, %y: memref<64xf64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c64 step %c1 {
      %a = memref.load %x[%i] : memref<64xf64>
      %b = memref.load %y[%i] : memref<64xf64>
      %sum = arith.addf %a, %b : f64
      memref.store %sum, %y[%i] : memref<64xf64>
    }
    scf.for %i = %c0 to %c64 step %c1 {
      %b = memref.load %y[%i] : memref<64xf64>
      %square = arith.mulf %b, %b : f64
      memref.store %square, %y[%i] : memref<64xf64>
    }
  }
  return
}

// -----

// The place changes from one iteration to the next: what thread i wrote, another one reads then.
// CHECK: gpu.func @kernel_2(
// CHECK-SAME: weft.schedule = "one block:
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: memref.store
// CHECK: memref.store
// CHECK: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
func.func private @kernel_2(%n: index, %y: memref<200xf64>, %z: memref<64xf64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c64 step %c1 {
      %place = arith.addi %i, %t : index
      %a = memref.load %y[%place] : memref<200xf64>
      %square = arith.mulf %a, %a : f64
      memref.store %square, %y[%place] : memref<200xf64>
    }
    scf.for %i = %c0 to %c64 step %c1 {
      %a = memref.load %z[%i] : memref<64xf64>
      %square = arith.mulf %a, %a : f64
      memref.store %square, %z[%i] : memref<64xf64>
    }
  }
  return
}

// -----

// A condition is read behind a barrier, and nothing is written before all have read it; sums are combined in order.
// CHECK: gpu.func @kernel_3(
// CHECK-SAME: weft.schedule = "one block:
// CHECK: scf.while
// CHECK: %[[ERROR:.*]] = memref.load %[[SUM:.*]][] : memref<f64>
// CHECK: arith.cmpf ogt, %[[ERROR]]
// CHECK: scf.condition
// CHECK: } do {
// CHECK: scf.if
// CHECK: memref.store
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store {{.*}}, %[[SUM]][] : memref<f64>
// CHECK: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.yield
func.func private @kernel_3(%x: memref<64xf64>, %sum: memref<f64>) attributes {weft.side = "device"} {
  %half = arith.constant 0.5 : f64
  scf.while : () -> () {
    %error = memref.load %sum[] : memref<f64>
    %more = arith.cmpf ogt, %error, %half : f64
    scf.condition(%more)
  } do {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<64xf64>) {
    ^bb0(%out: f64):
      %less = arith.mulf %out, %half : f64
      linalg.yield %less : f64
    }
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<64xf64>) outs(%sum : memref<f64>) {
    ^bb0(%in: f64, %out: f64):
      %more = arith.addf %in, %out : f64
      linalg.yield %more : f64
    }
    scf.yield
  }
  return
}

// -----

// Nothing to share: each element needs the one before. One thread is as good.
// CHECK: gpu.func @kernel_4(
// CHECK-SAME: weft.schedule = "one thread:
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @kernel_4(%n: index, %x: memref<64xf64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.for %i = %c1 to %c64 step %c1 {
      %before = arith.subi %i, %c1 : index
      %a = memref.load %x[%before] : memref<64xf64>
      %b = memref.load %x[%i] : memref<64xf64>
      %sum = arith.addf %a, %b : f64
      memref.store %sum, %x[%i] : memref<64xf64>
    }
  }
  return
}

// -----

// Arrays that take each other's place may be either of two, and both are written.
// CHECK: gpu.func @kernel_5(%{{.*}}: index, %{{.*}}: memref<64xf64>, %{{.*}}: memref<64xf64>) kernel
// CHECK-SAME: weft.schedule = "one block:
// CHECK: scf.for
// CHECK: memref.store
// CHECK: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.yield
func.func private @kernel_5(%n: index, %x: memref<64xf64>, %y: memref<64xf64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  scf.for %t = %c0 to %n step %c1 iter_args(%old = %x, %new = %y) -> (memref<64xf64>, memref<64xf64>) {
    scf.for %i = %c0 to %c63 step %c1 {
      %next = arith.addi %i, %c1 : index
      %a = memref.load %old[%next] : memref<64xf64>
      memref.store %a, %new[%i] : memref<64xf64>
    }
    scf.yield %new, %old : memref<64xf64>, memref<64xf64>
  }
  return
}

// -----

// What an iteration allocates has room before the loop for the most that it may be.
// CHECK: gpu.func @kernel_6(
// CHECK-SAME: memref<512xi8>
// CHECK-SAME: weft.schedule = "one block:
// CHECK: scf.for
// CHECK: memref.view %{{.*}} : memref<512xi8> to memref<?xf64>
func.func private @kernel_6(%n: index, %x: memref<64xf64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %t = %c0 to %n step %c1 {
    %least = arith.minsi %t, %c64 : index
    %count = arith.maxsi %least, %c0 : index
    %new = memref.alloc(%count) : memref<?xf64>
    scf.for %i = %c0 to %count step %c1 {
      %opposite = arith.subi %c64, %i : index
      %last = arith.subi %opposite, %c1 : index
      %a = memref.load %x[%last] : memref<64xf64>
      memref.store %a, %new[%i] : memref<?xf64>
    }
    scf.for %i = %c0 to %count step %c1 {
      %b = memref.load %new[%i] : memref<?xf64>
      memref.store %b, %x[%i] : memref<64xf64>
    }
  }
  return
}

// -----

// Of memory whose size nothing tells, there is no room: the loop is the host's.
// CHECK-NOT: gpu.func @kernel_7
func.func private @kernel_7(%n: index, %x: memref<64xf64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %new = memref.alloc(%t) : memref<?xf64>
    scf.for %i = %c0 to %t step %c1 {
      %a = memref.load %x[%i] : memref<64xf64>
      memref.store %a, %new[%i] : memref<?xf64>
    }
    scf.for %i = %c0 to %t step %c1 {
      %b = memref.load %new[%i] : memref<?xf64>
      memref.store %b, %x[%i] : memref<64xf64>
    }
  }
  return
}

// -----

// Rows of which each needs the last: a thread takes a column from the first row to the last, and waits for nobody. So more
// blocks have a share.
// CHECK-LABEL: func.func private @kernel_20
// CHECK: gpu.launch_func {{.*}} blocks in (%c3, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK: weft.schedule = "one block: an iteration needs the last one, and threads share what is in it; nobody waits for others: 3 blocks of 256 threads"
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK-NOT: gpu.barrier
// CHECK: scf.for {{.*}} step %c768
// CHECK-NOT: gpu.barrier
func.func private @kernel_20(%x: memref<40x600xf64>, %y: memref<40x600xf64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c39 = arith.constant 39 : index
  %c600 = arith.constant 600 : index
  scf.for %t = %c0 to %c39 step %c1 {
    %u = arith.addi %t, %c1 : index
    scf.for %i = %c0 to %c600 step %c1 {
      %a = memref.load %y[%t, %i] : memref<40x600xf64>
      %b = memref.load %x[%u, %i] : memref<40x600xf64>
      %sum = arith.addf %a, %b : f64
      memref.store %sum, %y[%u, %i] : memref<40x600xf64>
    }
  }
  return
}

// -----

// A part of a row may be what another thread wrote of the row before: they wait, and are one block.
// CHECK-LABEL: func.func private @kernel_21
// CHECK: gpu.launch_func {{.*}} blocks in (%c1, %c1, %c1)
// CHECK: threads share what is in it; 256 threads"
// CHECK: gpu.barrier
func.func private @kernel_21(%y: memref<40x600xf64>) attributes {weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c39 = arith.constant 39 : index
  %c599 = arith.constant 599 : index
  scf.for %t = %c0 to %c39 step %c1 {
    %u = arith.addi %t, %c1 : index
    scf.for %i = %c0 to %c599 step %c1 {
      %j = arith.addi %i, %c1 : index
      %a = memref.load %y[%t, %j] : memref<40x600xf64>
      memref.store %a, %y[%u, %i] : memref<40x600xf64>
    }
  }
  return
}
