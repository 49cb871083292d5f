// RUN: weft-opt %s --schedule-kernels --shrink-temporaries | filecheck %s

#at = affine_map<(i, j) -> (i, j)>

// Each row reads the one before and the one behind: a row is stored when the one behind it is computed. So two rows of
// memory are enough.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: %[[U:[a-z0-9]+]]: memref<100x100xf64>
// CHECK: %[[TARGET:.*]] = memref.subview %[[U]][1, 1]
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<2x98xf64>
// CHECK: scf.for %[[I:.*]] = %c0 to %c99 step %c1
// CHECK: %[[BEFORE:.*]] = arith.subi %[[I]], %c1
// CHECK: arith.cmpi slt, %[[I]], %c98
// CHECK: scf.if
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[ROWS]]
// CHECK: arith.cmpi slt, %c-1, %[[BEFORE]]
// CHECK: scf.if
// CHECK: scf.for
// CHECK: vector.load %[[ROWS]]
// CHECK: vector.store %{{.*}}, %[[TARGET]][%[[BEFORE]],
func.func @in_place(%u: memref<100x100xf64>) {
  %above = memref.subview %u[0, 1] [98, 98] [1, 1] : memref<100x100xf64> to memref<98x98xf64, strided<[100, 1], offset: 1>>
  %below = memref.subview %u[2, 1] [98, 98] [1, 1] : memref<100x100xf64> to memref<98x98xf64, strided<[100, 1], offset: 201>>
  %middle = memref.subview %u[1, 1] [98, 98] [1, 1] : memref<100x100xf64> to memref<98x98xf64, strided<[100, 1], offset: 101>>
  %memory = memref.alloc() : memref<98x98xf64>
  linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%above, %below : memref<98x98xf64, strided<[100, 1], offset: 1>>, memref<98x98xf64, strided<[100, 1], offset: 201>>) outs(%memory : memref<98x98xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %sum = arith.addf %a, %b : f64
    linalg.yield %sum : f64
  }
  linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%memory : memref<98x98xf64>) outs(%middle : memref<98x98xf64, strided<[100, 1], offset: 101>>) {
  ^bb0(%a: f64, %out: f64):
    linalg.yield %a : f64
  }
  return
}

// Too far behind: so many rows are not kept.
// CHECK-LABEL: func.func @far
// CHECK: memref.alloc() : memref<90x100xf64>
// CHECK-NOT: scf.if
// CHECK: return
func.func @far(%u: memref<100x100xf64>) {
  %above = memref.subview %u[0, 0] [90, 100] [1, 1] : memref<100x100xf64> to memref<90x100xf64, strided<[100, 1]>>
  %below = memref.subview %u[10, 0] [90, 100] [1, 1] : memref<100x100xf64> to memref<90x100xf64, strided<[100, 1], offset: 1000>>
  %memory = memref.alloc() : memref<90x100xf64>
  linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%above : memref<90x100xf64, strided<[100, 1]>>) outs(%memory : memref<90x100xf64>) {
  ^bb0(%a: f64, %out: f64):
    %sum = arith.addf %a, %a : f64
    linalg.yield %sum : f64
  }
  linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%memory : memref<90x100xf64>) outs(%below : memref<90x100xf64, strided<[100, 1], offset: 1000>>) {
  ^bb0(%a: f64, %out: f64):
    linalg.yield %a : f64
  }
  return
}

// What is read by another order of the axes may lie anywhere.
// CHECK-LABEL: func.func @transposed
// CHECK: memref.alloc() : memref<100x100xf64>
// CHECK-NOT: scf.if
// CHECK: return
func.func @transposed(%u: memref<100x100xf64>) {
  %memory = memref.alloc() : memref<100x100xf64>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #at], iterator_types = ["parallel", "parallel"]}
      ins(%u : memref<100x100xf64>) outs(%memory : memref<100x100xf64>) {
  ^bb0(%a: f64, %out: f64):
    %sum = arith.addf %a, %a : f64
    linalg.yield %sum : f64
  }
  linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%memory : memref<100x100xf64>) outs(%u : memref<100x100xf64>) {
  ^bb0(%a: f64, %out: f64):
    linalg.yield %a : f64
  }
  return
}

// What the body reads at indices of its own may lie anywhere, too.
// CHECK-LABEL: func.func @reversed
// CHECK: memref.alloc() : memref<100x100xf64>
// CHECK-NOT: scf.if
// CHECK: return
func.func @reversed(%u: memref<100x100xf64>) {
  %memory = memref.alloc() : memref<100x100xf64>
  %last = arith.constant 99 : index
  linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%u : memref<100x100xf64>) outs(%memory : memref<100x100xf64>) {
  ^bb0(%a: f64, %out: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.subi %last, %i : index
    %b = memref.load %u[%row, %j] : memref<100x100xf64>
    %sum = arith.addf %a, %b : f64
    linalg.yield %sum : f64
  }
  linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%memory : memref<100x100xf64>) outs(%u : memref<100x100xf64>) {
  ^bb0(%a: f64, %out: f64):
    linalg.yield %a : f64
  }
  return
}
