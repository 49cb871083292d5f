// RUN: weft-opt %s --choose-inlining --split-input-file | filecheck %s

// Few calls: all kernels are inlined. LLVM looks at counted loops on scalars.
// CHECK-LABEL: func.func @few(
// CHECK:       func.func private @kernel_0({{.*}} attributes {weft.inline = true, weft.loops = "counted"}
func.func @few(%m: memref<8xf64>) {
  call @kernel_0(%m) : (memref<8xf64>) -> ()
  return
}
func.func private @kernel_0(%m: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.load %m[%i] : memref<8xf64>
    memref.store %x, %m[%i] : memref<8xf64>
  }
  return
}

// -----

// Many calls, outside of loops: the kernel stays on its own; vector code is as it should be.
// CHECK-LABEL: func.func @many(
// CHECK:       func.func private @kernel_0({{.*}} attributes {weft.inline = false} {
func.func @many(%m: memref<8xf64>) {
  call @kernel_0(%m) : (memref<8xf64>) -> ()
  call @kernel_0(%m) : (memref<8xf64>) -> ()
  call @kernel_0(%m) : (memref<8xf64>) -> ()
  return
}
func.func private @kernel_0(%m: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c4 {
    %x = vector.load %m[%i] : memref<8xf64>, vector<4xf64>
    vector.store %x, %m[%i] : memref<8xf64>, vector<4xf64>
  }
  return
}

// -----

// What reduces short rows is inlined in two places of loops, whatever their length.
// CHECK-LABEL: func.func @rows(
// CHECK:       func.func private @kernel_0({{.*}} attributes {weft.inline = true} {
// CHECK:       func.func private @kernel_1({{.*}} attributes {weft.inline = false} {
func.func @rows(%m: memref<8xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @kernel_0(%m, %i) : (memref<8xf64>, index) -> ()
    func.call @kernel_1(%m, %i) : (memref<8xf64>, index) -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    func.call @kernel_0(%m, %i) : (memref<8xf64>, index) -> ()
    func.call @kernel_1(%m, %i) : (memref<8xf64>, index) -> ()
  }
  return
}
func.func private @kernel_0(%m: memref<8xf64>, %n: index) attributes {weft.short_rows} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %x = vector.load %m[%i] : memref<8xf64>, vector<4xf64>
    vector.store %x, %m[%i] : memref<8xf64>, vector<4xf64>
  }
  return
}
func.func private @kernel_1(%m: memref<8xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %x = vector.load %m[%i] : memref<8xf64>, vector<4xf64>
    vector.store %x, %m[%i] : memref<8xf64>, vector<4xf64>
  }
  return
}
