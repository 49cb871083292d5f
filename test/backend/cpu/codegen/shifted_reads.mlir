// RUN: weft-opt %s --target=znver4 --schedule-kernels | filecheck %s
// RUN: weft-opt %s --target=x86-64-v4 --schedule-kernels | filecheck %s --check-prefix=WHOLE

#at = affine_map<(i, j) -> (i, j)>

// Two of the reads lie at different places along a row: vectors are half as long as lines.
// CHECK-LABEL: func.func private @along(
// CHECK: vector.load {{.*}}, vector<4xf64>
// CHECK-NOT: vector<8xf64>
// WHOLE-LABEL: func.func private @along(
// WHOLE: vector.load {{.*}}, vector<8xf64>
func.func private @along(%a: memref<400x400xf64>, %o: memref<398x398xf64>) {
  %m = memref.subview %a[1, 1] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 401>>
  %l = memref.subview %a[1, 0] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 400>>
  linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%m, %l : memref<398x398xf64, strided<[400, 1], offset: 401>>, memref<398x398xf64, strided<[400, 1], offset: 400>>)
      outs(%o : memref<398x398xf64>) {
  ^bb0(%v: f64, %w: f64, %out: f64):
    %0 = arith.addf %v, %w : f64
    linalg.yield %0 : f64
  }
  return
}

// Where to begin only the run knows.
// CHECK-LABEL: func.func private @somewhere(
// CHECK: vector.load {{.*}}, vector<4xf64>
func.func private @somewhere(%a: memref<400x400xf64>, %at: index, %o: memref<398x398xf64>) {
  %m = memref.subview %a[1, %at] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: ?>>
  %l = memref.subview %a[1, 0] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 400>>
  linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%m, %l : memref<398x398xf64, strided<[400, 1], offset: ?>>, memref<398x398xf64, strided<[400, 1], offset: 400>>)
      outs(%o : memref<398x398xf64>) {
  ^bb0(%v: f64, %w: f64, %out: f64):
    %0 = arith.addf %v, %w : f64
    linalg.yield %0 : f64
  }
  return
}

// Rows below each other are all aligned, or none is; two arrays have nothing in common.
// CHECK-LABEL: func.func private @below(
// CHECK: vector.load {{.*}}, vector<8xf64>
func.func private @below(%a: memref<400x400xf64>, %b: memref<398x398xf64>, %o: memref<398x398xf64>) {
  %m = memref.subview %a[1, 1] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 401>>
  %d = memref.subview %a[2, 1] [398, 398] [1, 1] : memref<400x400xf64> to memref<398x398xf64, strided<[400, 1], offset: 801>>
  linalg.generic {indexing_maps = [#at, #at, #at, #at], iterator_types = ["parallel", "parallel"]}
      ins(%m, %d, %b : memref<398x398xf64, strided<[400, 1], offset: 401>>, memref<398x398xf64, strided<[400, 1], offset: 801>>, memref<398x398xf64>)
      outs(%o : memref<398x398xf64>) {
  ^bb0(%v: f64, %w: f64, %x: f64, %out: f64):
    %0 = arith.addf %v, %w : f64
    %1 = arith.mulf %0, %x : f64
    linalg.yield %1 : f64
  }
  return
}
