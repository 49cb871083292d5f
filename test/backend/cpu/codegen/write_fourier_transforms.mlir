// RUN: weft-opt %s --target=x86-64-v3 --convert-weft-to-linalg --outline-kernels --plan-buffers --write-fourier-transforms --split-input-file | filecheck %s

// Four transforms at a time: of each 16 numbers are loaded, and transposed into lanes.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: scf.for
// CHECK-COUNT-16: vector.load {{.*}} vector<4xf64>
// CHECK: vector.shuffle
// CHECK: arith.addf
// CHECK-COUNT-16: vector.store {{.*}} vector<4xf64>
// CHECK: arith.cmpf olt
// Groups with results that are not finite are computed again by the library.
// CHECK: scf.for
// CHECK: scf.if
// CHECK: call @weft_loop.numpy.fft._pocketfft_umath.fft.Dd.D
func.func @stack(%x: tensor<?x8xcomplex<f64>>, %scale: tensor<f64>) -> tensor<?x8xcomplex<f64>> {
  %0 = "weft.fft"(%x, %scale) {inverse = false} : (tensor<?x8xcomplex<f64>>, tensor<f64>) -> tensor<?x8xcomplex<f64>>
  return %0 : tensor<?x8xcomplex<f64>>
}

// -----

// One transform of real numbers needs one lane, and is that of half as many pairs.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: vector.load {{.*}} vector<1xf32>
// CHECK-NOT: vector.shuffle
// CHECK-COUNT-6: vector.store {{.*}} vector<1xf32>
// CHECK: call @weft_loop.numpy.fft._pocketfft_umath.rfft_n_even.ff.F
func.func @one(%x: tensor<4xf32>, %scale: tensor<f32>) -> tensor<3xcomplex<f32>> {
  %0 = "weft.rfft"(%x, %scale) {odd = false} : (tensor<4xf32>, tensor<f32>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// -----

// Other lengths are the library's.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: vector.load
// CHECK: weft.call_loop
func.func @twelve(%x: tensor<12xcomplex<f64>>, %scale: tensor<f64>) -> tensor<12xcomplex<f64>> {
  %0 = "weft.fft"(%x, %scale) {inverse = true} : (tensor<12xcomplex<f64>>, tensor<f64>) -> tensor<12xcomplex<f64>>
  return %0 : tensor<12xcomplex<f64>>
}

// -----

// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: vector.load
// CHECK: weft.call_loop
func.func @odd(%x: tensor<5xcomplex<f64>>, %scale: tensor<f64>) -> tensor<9xf64> {
  %0 = "weft.irfft"(%x, %scale) {odd = true} : (tensor<5xcomplex<f64>>, tensor<f64>) -> tensor<9xf64>
  return %0 : tensor<9xf64>
}

// -----

// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: vector.load
// CHECK: weft.call_loop
func.func @unknown(%x: tensor<?xcomplex<f64>>, %scale: tensor<f64>) -> tensor<?xcomplex<f64>> {
  %0 = "weft.fft"(%x, %scale) {inverse = false} : (tensor<?xcomplex<f64>>, tensor<f64>) -> tensor<?xcomplex<f64>>
  return %0 : tensor<?xcomplex<f64>>
}

// -----

// Longer ones are read and written several times: in the first stage neighbours are transformed together, and their
// results put next to each other; the second transforms results, which are multiplied by roots of unity that are constants.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK: memref.alloc() {{.*}} : memref<136xf64>
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c4
// CHECK-COUNT-4: vector.load {{.*}} : memref<?xf64, strided<[1]>>, vector<8xf64>
// CHECK: vector.load {{.*}} : memref<96xf64>, vector<4xf64>
// CHECK: math.fma
// CHECK-COUNT-8: vector.store {{.*}} : memref<136xf64>, vector<4xf64>
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK-COUNT-8: vector.load {{.*}} : memref<136xf64>, vector<4xf64>
// CHECK: memref.load {{.*}} : memref<24xf64>
// CHECK: vector.broadcast
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c4
// CHECK-COUNT-4: vector.store {{.*}}, vector<8xf64>
// CHECK: arith.cmpf olt
// CHECK: call @weft_loop.numpy.fft._pocketfft_umath.ifft.Dd.D
func.func @stages(%x: tensor<?x64xcomplex<f64>>, %scale: tensor<f64>) -> tensor<?x64xcomplex<f64>> {
  %0 = "weft.fft"(%x, %scale) {inverse = true} : (tensor<?x64xcomplex<f64>>, tensor<f64>) -> tensor<?x64xcomplex<f64>>
  return %0 : tensor<?x64xcomplex<f64>>
}

// -----

// More than 4096 numbers are the library's.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-NOT: vector.load
// CHECK: weft.call_loop
func.func @long(%x: tensor<8192xf32>, %scale: tensor<f32>) -> tensor<4097xcomplex<f32>> {
  %0 = "weft.rfft"(%x, %scale) {odd = false} : (tensor<8192xf32>, tensor<f32>) -> tensor<4097xcomplex<f32>>
  return %0 : tensor<4097xcomplex<f32>>
}
