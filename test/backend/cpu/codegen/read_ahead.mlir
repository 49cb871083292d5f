// RUN: weft-opt %s --target=x86-64-v4 --schedule-kernels | filecheck %s

#at = affine_map<(i, j) -> (i, j)>

// Of five windows of one array, the one in front alone is read ahead: the others are where it was. The other array is
// read ahead, too.
// CHECK-LABEL: func.func private @stencil(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<400x400xf64>, %[[B:[a-z0-9]+]]: memref<400x400xf64>
// CHECK-DAG: %[[BELOW:.*]] = memref.subview %[[A]][2, 1]
// CHECK-DAG: %[[OTHER:.*]] = memref.subview %[[B]][1, 1]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.prefetch %[[BELOW]]
// CHECK-NEXT: arith.addi
// CHECK-NEXT: memref.prefetch %[[OTHER]]
// CHECK-COUNT-6: vector.load
func.func private @stencil(%a: memref<400x400xf64>, %b: memref<400x400xf64>, %o: memref<398x398xf64>) {
  %m = memref.subview %a[1, 1] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 401>>
  %l = memref.subview %a[1, 0] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 400>>
  %d = memref.subview %a[2, 1] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 801>>
  %r = memref.subview %a[1, 2] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 402>>
  %u = memref.subview %a[0, 1] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 1>>
  %f = memref.subview %b[1, 1] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 401>>
  linalg.generic {indexing_maps = [#at, #at, #at, #at, #at, #at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%m, %l, %d, %r, %u, %f : memref<398x398xf64, strided<[400, 1], offset: 401>>, memref<398x398xf64, strided<[400, 1], offset: 400>>, memref<398x398xf64, strided<[400, 1], offset: 801>>, memref<398x398xf64, strided<[400, 1], offset: 402>>, memref<398x398xf64, strided<[400, 1], offset: 1>>, memref<398x398xf64, strided<[400, 1], offset: 401>>)
      outs(%o : memref<398x398xf64>) {
  ^bb0(%v: f64, %w: f64, %x: f64, %y: f64, %z: f64, %g: f64, %out: f64):
    %0 = arith.addf %v, %w : f64
    %1 = arith.addf %0, %x : f64
    %2 = arith.addf %1, %y : f64
    %3 = arith.addf %2, %z : f64
    %4 = arith.mulf %3, %g : f64
    linalg.yield %4 : f64
  }
  return
}

// Windows at places that only the run knows: each is read ahead.
// CHECK-LABEL: func.func private @elsewhere(
// CHECK-DAG: %[[FIRST:.*]] = memref.subview %{{.*}}[%{{.*}}, 0]
// CHECK-DAG: %[[SECOND:.*]] = memref.subview %{{.*}}[1, 1]
// CHECK: scf.for
// CHECK: scf.for
// CHECK-DAG: memref.prefetch %[[FIRST]]
// CHECK-DAG: memref.prefetch %[[SECOND]]
// CHECK: vector.load
func.func private @elsewhere(%a: memref<400x400xf64>, %i: index, %o: memref<398x398xf64>) {
  %m = memref.subview %a[%i, 0] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: ?>>
  %l = memref.subview %a[1, 1] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 401>>
  linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%m, %l : memref<398x398xf64, strided<[400, 1], offset: ?>>, memref<398x398xf64, strided<[400, 1], offset: 401>>)
      outs(%o : memref<398x398xf64>) {
  ^bb0(%v: f64, %w: f64, %out: f64):
    %0 = arith.addf %v, %w : f64
    linalg.yield %0 : f64
  }
  return
}

// Stages of a stencil, tile by tile: the first stage asks for what it reads of the next tile, in the row in front, and the
// last one for its result there. What stages hand on is in a cache.
// CHECK-LABEL: func.func private @stages(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<1026x1024xf64>, %[[O:[a-z0-9]+]]: memref<1024x1024xf64>
// CHECK: %[[ABOVE:.*]] = memref.subview %[[A]][0, 0]
// CHECK: %[[BELOW:.*]] = memref.subview %[[A]][1, 0]
// CHECK: scf.for
// CHECK: %[[READ:.*]] = memref.subview %[[BELOW]]
// CHECK: %[[BETWEEN:.*]] = memref.alloc()
// CHECK: %[[RESULT:.*]] = memref.subview %[[O]]
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K:.*]], %c32768
// CHECK-NEXT: memref.prefetch %[[READ]][%{{.*}}, %[[AHEAD]]], read, locality<2>
// CHECK-NEXT: vector.load %{{.*}}[%{{.*}}, %[[K]]]
// CHECK-NEXT: vector.load %[[READ]][%{{.*}}, %[[K]]]
// CHECK: vector.store %{{.*}}, %[[BETWEEN]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: arith.addi
// CHECK-NEXT: memref.prefetch %[[RESULT]]
// CHECK-NEXT: vector.load
func.func private @stages(%a: memref<1026x1024xf64>, %o: memref<1024x1024xf64>) {
  %t = memref.alloc() : memref<1025x1024xf64>
  %u = memref.subview %a[0, 0] [1025, 1024] [1, 1] : memref<1026x1024xf64> to memref<1025x1024xf64, strided<[1024, 1]>>
  %d = memref.subview %a[1, 0] [1025, 1024] [1, 1] : memref<1026x1024xf64> to memref<1025x1024xf64, strided<[1024, 1], offset: 1024>>
  linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%u, %d : memref<1025x1024xf64, strided<[1024, 1]>>, memref<1025x1024xf64, strided<[1024, 1], offset: 1024>>)
      outs(%t : memref<1025x1024xf64>) {
  ^bb0(%v: f64, %w: f64, %out: f64):
    %0 = arith.addf %v, %w : f64
    linalg.yield %0 : f64
  }
  %p = memref.subview %t[0, 0] [1024, 1024] [1, 1] : memref<1025x1024xf64> to memref<1024x1024xf64, strided<[1024, 1]>>
  %q = memref.subview %t[1, 0] [1024, 1024] [1, 1] : memref<1025x1024xf64> to memref<1024x1024xf64, strided<[1024, 1], offset: 1024>>
  linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%p, %q : memref<1024x1024xf64, strided<[1024, 1]>>, memref<1024x1024xf64, strided<[1024, 1], offset: 1024>>)
      outs(%o : memref<1024x1024xf64>) {
  ^bb0(%v: f64, %w: f64, %out: f64):
    %0 = arith.subf %v, %w : f64
    linalg.yield %0 : f64
  }
  return
}
