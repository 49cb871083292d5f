// RUN: weft-opt %s --target=x86-64-v3 --convert-weft-to-linalg --outline-kernels --plan-buffers --write-loop-calls --split-input-file | filecheck %s

// Three tables on the stack: addresses; extents of the loop and of the core; bytes from core to core, and in the core.
// CHECK: func.func private @weft_loop.numpy.linalg._umath_linalg.solve.dd.d(i64, i64, i64) -> i64
// CHECK: func.func private @kernel_0(
// CHECK-DAG: memref.alloca() : memref<3xi64>
// CHECK-DAG: memref.alloca() : memref<3xi64>
// CHECK-DAG: memref.alloca() : memref<9xi64>
// CHECK-NOT: weft.call_loop
// CHECK: %[[STATUS:.*]] = call @weft_loop.numpy.linalg._umath_linalg.solve.dd.d
// CHECK: memref.store %[[STATUS]]
// CHECK-NOT: weft.call_loop
func.func @f(%a: tensor<4x3x3xf64>, %b: tensor<4x3x2xf64>) -> (tensor<4x3x2xf64>, tensor<i1>) {
  %0:2 = "weft.solve"(%a, %b) : (tensor<4x3x3xf64>, tensor<4x3x2xf64>) -> (tensor<4x3x2xf64>, tensor<i1>)
  return %0#0, %0#1 : tensor<4x3x2xf64>, tensor<i1>
}

// -----

// A result that nobody uses is written to scratch memory.
// CHECK: func.func private @kernel_0(
// CHECK: memref.alloc() {{.*}}: memref<3x3xf64>
// CHECK: call @weft_loop.numpy.linalg._umath_linalg.eigh_lo.d.dd
func.func @g(%a: tensor<3x3xf64>) -> tensor<3xf64> {
  %0:3 = "weft.eigh"(%a) {upper = false} : (tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>, tensor<i1>)
  return %0#0 : tensor<3xf64>
}
