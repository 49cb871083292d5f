// RUN: weft-opt %s --target=x86-64-v4 --split-input-file --schedule-kernels | filecheck %s

// Elements that lie apart are loaded one by one where a function is computed of them; behind the last whole vector lanes
// read the last element.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func private @kernel_0
// CHECK:         scf.for
// CHECK-COUNT-8:   memref.load %arg0
// CHECK:           vector.from_elements {{.*}} : vector<8xf64>
// CHECK:           math.exp {{.*}} : vector<8xf64>
// CHECK:           vector.store {{.*}} vector<8xf64>
// CHECK:           arith.minsi
// CHECK:           memref.load %arg0
// CHECK:           math.exp {{.*}} : vector<8xf64>
// CHECK:           vector.maskedstore
func.func private @kernel_0(%x: memref<?xf64, strided<[3]>>, %y: memref<?xf64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<?xf64, strided<[3]>>) outs(%y : memref<?xf64>) {
  ^bb0(%a: f64, %out: f64):
    %e = math.exp %a : f64
    linalg.yield %e : f64
  }
  return
}

// -----

// Not so for a loop of little else than loads, and where what is written may be what is read.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT:     vector
// CHECK:         return
func.func private @kernel_0(%x: memref<?xf64, strided<[3]>>, %y: memref<?xf64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<?xf64, strided<[3]>>) outs(%y : memref<?xf64>) {
  ^bb0(%a: f64, %out: f64):
    %e = arith.addf %a, %a : f64
    linalg.yield %e : f64
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT:     vector
// CHECK:         return
func.func private @kernel_0(%x: memref<90xf64>) {
  %a = memref.subview %x[0] [30] [3] : memref<90xf64> to memref<30xf64, strided<[3]>>
  %b = memref.subview %x[20] [30] [1] : memref<90xf64> to memref<30xf64, strided<[1], offset: 20>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<30xf64, strided<[3]>>) outs(%b : memref<30xf64, strided<[1], offset: 20>>) {
  ^bb0(%v: f64, %out: f64):
    %e = math.exp %v : f64
    linalg.yield %e : f64
  }
  return
}

// -----

// A sum of such functions has a vector of sums.

// CHECK-LABEL: func.func private @kernel_0
// CHECK:         scf.for {{.*}} -> (vector<8xf64>)
// CHECK:           vector.from_elements {{.*}} : vector<8xf64>
// CHECK:           math.exp {{.*}} : vector<8xf64>
// CHECK:         vector.reduction <add>
func.func private @kernel_0(%x: memref<?xf64, strided<[3]>>, %y: memref<f64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<?xf64, strided<[3]>>) outs(%y : memref<f64>) {
  ^bb0(%a: f64, %total: f64):
    %e = math.exp %a : f64
    %s = arith.addf %total, %e : f64
    linalg.yield %s : f64
  }
  return
}
