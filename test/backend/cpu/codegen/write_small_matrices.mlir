// RUN: weft-opt %s --target=x86-64-v3 --convert-weft-to-linalg --outline-kernels --plan-buffers --write-small-matrices --split-input-file | filecheck %s

// Four matrices at a time: of each eight numbers are loaded, and the last one again, and transposed into lanes.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: scf.for
// CHECK-COUNT-12: vector.load {{.*}} : memref<?xf64>, vector<4xf64>
// CHECK: vector.shuffle
// CHECK: arith.cmpf ogt
// CHECK: vector.store {{.*}} : memref<?xf64>, vector<4xf64>
// Groups that cannot be relied on are computed again by the library.
// CHECK: scf.for
// CHECK: scf.if
// CHECK: call @weft_loop.numpy.linalg._umath_linalg.inv.d.d
func.func @inverses(%a: tensor<?x3x3xf64>) -> (tensor<?x3x3xf64>, tensor<i1>) {
  %0:2 = "weft.inv"(%a) : (tensor<?x3x3xf64>) -> (tensor<?x3x3xf64>, tensor<i1>)
  return %0#0, %0#1 : tensor<?x3x3xf64>, tensor<i1>
}

// -----

// One matrix needs one lane.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: vector.load {{.*}} vector<1xf64>
// CHECK-NOT: vector.shuffle
// CHECK: call @weft_loop.numpy.linalg._umath_linalg.det.d.d
func.func @one(%a: tensor<2x2xf64>) -> tensor<f64> {
  %0 = "weft.det"(%a) : (tensor<2x2xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// Larger matrices are the library's, and those of unknown size.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: vector.load
// CHECK: weft.call_loop
func.func @large(%a: tensor<9x9xf64>) -> (tensor<9x9xf64>, tensor<i1>) {
  %0:2 = "weft.inv"(%a) : (tensor<9x9xf64>) -> (tensor<9x9xf64>, tensor<i1>)
  return %0#0, %0#1 : tensor<9x9xf64>, tensor<i1>
}

// -----

// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: vector.load
// CHECK: weft.call_loop
func.func @complex(%a: tensor<7x7xcomplex<f64>>) -> (tensor<7x7xcomplex<f64>>, tensor<i1>) {
  %0:2 = "weft.inv"(%a) : (tensor<7x7xcomplex<f64>>) -> (tensor<7x7xcomplex<f64>>, tensor<i1>)
  return %0#0, %0#1 : tensor<7x7xcomplex<f64>>, tensor<i1>
}

// -----

// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: vector.load
// CHECK: weft.call_loop
func.func @unknown(%a: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<i1>) {
  %0:2 = "weft.inv"(%a) : (tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<i1>)
  return %0#0, %0#1 : tensor<?x?xf64>, tensor<i1>
}

// -----

// Factors are written in the place of the matrix, but where the library is asked again about it.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: math.sqrt {{.*}} : vector<4xf64>
// CHECK: %[[AGAIN:.*]] = vector.reduction <or>
// CHECK: arith.select %[[AGAIN]], {{.*}} : vector<4xf64>
// CHECK: vector.store
// CHECK: call @weft_loop.numpy.linalg._umath_linalg.qr_r_raw.d.d
func.func @factors(%a: tensor<?x3x2xf64>) -> (tensor<?x3x2xf64>, tensor<?x2xf64>, tensor<i1>) {
  %0:3 = "weft.qr_factors"(%a) : (tensor<?x3x2xf64>) -> (tensor<?x3x2xf64>, tensor<?x2xf64>, tensor<i1>)
  return %0#0, %0#1, %0#2 : tensor<?x3x2xf64>, tensor<?x2xf64>, tensor<i1>
}

// -----

// Sweeps of rounds of rotations, until all matrices of a group are settled; a matrix and its vectors in two halves.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: memref.alloc() {{.*}} : memref<2x32x4xf64>
// CHECK: scf.while
// CHECK: scf.for
// CHECK: arith.divf
// CHECK: scf.condition
// CHECK: call @weft_loop.numpy.linalg._umath_linalg.eigh_lo.d.dd
func.func @eigenvalues(%a: tensor<?x4x4xf64>) -> (tensor<?x4xf64>, tensor<?x4x4xf64>, tensor<i1>) {
  %0:3 = "weft.eigh"(%a) {upper = false} : (tensor<?x4x4xf64>) -> (tensor<?x4xf64>, tensor<?x4x4xf64>, tensor<i1>)
  return %0#0, %0#1, %0#2 : tensor<?x4xf64>, tensor<?x4x4xf64>, tensor<i1>
}

// -----

// A single column needs no rotations.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: scf.while
// CHECK: math.sqrt
// CHECK-NOT: scf.while
// CHECK: call @weft_loop.numpy.linalg._umath_linalg.svd.d.d
func.func @length(%a: tensor<?x1x4xf64>) -> (tensor<?x1xf64>, tensor<i1>) {
  %0:2 = "weft.svdvals"(%a) : (tensor<?x1x4xf64>) -> (tensor<?x1xf64>, tensor<i1>)
  return %0#0, %0#1 : tensor<?x1xf64>, tensor<i1>
}

// -----

// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: vector.load
// CHECK: weft.call_loop
func.func @long(%a: tensor<4x9x2xf64>) -> (tensor<4x2xf64>, tensor<i1>) {
  %0:2 = "weft.svdvals"(%a) : (tensor<4x9x2xf64>) -> (tensor<4x2xf64>, tensor<i1>)
  return %0#0, %0#1 : tensor<4x2xf64>, tensor<i1>
}

// -----

// Eigenvalues of matrices that are not Hermitian are the library's.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: vector.load
// CHECK: weft.call_loop
func.func @general(%a: tensor<4x2x2xf64>) -> (tensor<4x2xcomplex<f64>>, tensor<i1>) {
  %0:2 = "weft.eigvals"(%a) : (tensor<4x2x2xf64>) -> (tensor<4x2xcomplex<f64>>, tensor<i1>)
  return %0#0, %0#1 : tensor<4x2xcomplex<f64>>, tensor<i1>
}

// -----

// The rank of the one matrix is an integer.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: scf.while
// CHECK: arith.fptosi {{.*}} : vector<1xf64> to vector<1xi32>
// CHECK: vector.store {{.*}} : memref<1xi32>, vector<1xi32>
// CHECK: call @weft_loop.numpy.linalg._umath_linalg.lstsq.ddd.ddid
func.func @least_squares(%a: tensor<3x2xf64>, %b: tensor<3x1xf64>, %c: tensor<f64>)
    -> (tensor<2x1xf64>, tensor<1xf64>, tensor<i32>, tensor<2xf64>, tensor<i1>) {
  %0:5 = "weft.lstsq"(%a, %b, %c) : (tensor<3x2xf64>, tensor<3x1xf64>, tensor<f64>)
    -> (tensor<2x1xf64>, tensor<1xf64>, tensor<i32>, tensor<2xf64>, tensor<i1>)
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<2x1xf64>, tensor<1xf64>, tensor<i32>, tensor<2xf64>, tensor<i1>
}
