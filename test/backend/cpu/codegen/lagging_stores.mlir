// RUN: weft-opt %s --schedule-kernels --shrink-temporaries | filecheck %s

// The vectors of a strip are stored when those of the next one are computed; there is no memory in between.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: memref.alloc
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.load
// CHECK: arith.addf
// CHECK: vector.store
// CHECK: scf.yield
func.func @in_place(%u: memref<1000xf64>) {
  %left = memref.subview %u[0] [998] [1] : memref<1000xf64> to memref<998xf64, strided<[1]>>
  %right = memref.subview %u[2] [998] [1] : memref<1000xf64> to memref<998xf64, strided<[1], offset: 2>>
  %middle = memref.subview %u[1] [998] [1] : memref<1000xf64> to memref<998xf64, strided<[1], offset: 1>>
  %memory = memref.alloc() : memref<998xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%left, %right : memref<998xf64, strided<[1]>>, memref<998xf64, strided<[1], offset: 2>>) outs(%memory : memref<998xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %sum = arith.addf %a, %b : f64
    linalg.yield %sum : f64
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%memory : memref<998xf64>) outs(%middle : memref<998xf64, strided<[1], offset: 1>>) {
  ^bb0(%a: f64, %out: f64):
    linalg.yield %a : f64
  }
  return
}

// Too far in front: a strip would be stored before it is read.
// CHECK-LABEL: func.func @far
// CHECK: memref.alloc
// CHECK-NOT: iter_args
// CHECK: return
func.func @far(%u: memref<1000xf64>) {
  %left = memref.subview %u[0] [800] [1] : memref<1000xf64> to memref<800xf64, strided<[1]>>
  %right = memref.subview %u[200] [800] [1] : memref<1000xf64> to memref<800xf64, strided<[1], offset: 200>>
  %memory = memref.alloc() : memref<800xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%left : memref<800xf64, strided<[1]>>) outs(%memory : memref<800xf64>) {
  ^bb0(%a: f64, %out: f64):
    %sum = arith.addf %a, %a : f64
    linalg.yield %sum : f64
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%memory : memref<800xf64>) outs(%right : memref<800xf64, strided<[1], offset: 200>>) {
  ^bb0(%a: f64, %out: f64):
    linalg.yield %a : f64
  }
  return
}
