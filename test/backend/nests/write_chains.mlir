// RUN: weft-opt %s --write-chains --split-input-file | filecheck %s

// Eight branches write an array that a loop carries: stores, and nothing is handed on.

// CHECK-LABEL: func.func @in_place
// CHECK-NOT:   tensor
// CHECK:       scf.for
// CHECK-NOT:   tensor
// CHECK:       scf.if
// CHECK-NEXT:    memref.store %{{.*}}, %arg0[%{{.*}}] : memref<8xf64>
// CHECK-NEXT:  }
// CHECK-NOT:   tensor
// CHECK:       return
func.func @in_place(%a: memref<8xf64>, %c: i1, %v: f64, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = bufferization.to_tensor %a restrict writable : memref<8xf64> to tensor<8xf64>
  %all = scf.for %i = %zero to %n step %one iter_args(%x = %0) -> (tensor<8xf64>) {
    %r0 = scf.if %c -> (tensor<8xf64>) {
      %w0 = tensor.insert %v into %x[%i] : tensor<8xf64>
      scf.yield %w0 : tensor<8xf64>
    } else {
      scf.yield %x : tensor<8xf64>
    }
    %r1 = scf.if %c -> (tensor<8xf64>) {
      %w1 = tensor.insert %v into %r0[%i] : tensor<8xf64>
      scf.yield %w1 : tensor<8xf64>
    } else {
      scf.yield %r0 : tensor<8xf64>
    }
    %r2 = scf.if %c -> (tensor<8xf64>) {
      %w2 = tensor.insert %v into %r1[%i] : tensor<8xf64>
      scf.yield %w2 : tensor<8xf64>
    } else {
      scf.yield %r1 : tensor<8xf64>
    }
    %r3 = scf.if %c -> (tensor<8xf64>) {
      %w3 = tensor.insert %v into %r2[%i] : tensor<8xf64>
      scf.yield %w3 : tensor<8xf64>
    } else {
      scf.yield %r2 : tensor<8xf64>
    }
    %r4 = scf.if %c -> (tensor<8xf64>) {
      %w4 = tensor.insert %v into %r3[%i] : tensor<8xf64>
      scf.yield %w4 : tensor<8xf64>
    } else {
      scf.yield %r3 : tensor<8xf64>
    }
    %r5 = scf.if %c -> (tensor<8xf64>) {
      %w5 = tensor.insert %v into %r4[%i] : tensor<8xf64>
      scf.yield %w5 : tensor<8xf64>
    } else {
      scf.yield %r4 : tensor<8xf64>
    }
    %r6 = scf.if %c -> (tensor<8xf64>) {
      %w6 = tensor.insert %v into %r5[%i] : tensor<8xf64>
      scf.yield %w6 : tensor<8xf64>
    } else {
      scf.yield %r5 : tensor<8xf64>
    }
    %r7 = scf.if %c -> (tensor<8xf64>) {
      %w7 = tensor.insert %v into %r6[%i] : tensor<8xf64>
      scf.yield %w7 : tensor<8xf64>
    } else {
      scf.yield %r6 : tensor<8xf64>
    }
    scf.yield %r7 : tensor<8xf64>
  }
  bufferization.materialize_in_destination %all in restrict writable %a : (tensor<8xf64>, memref<8xf64>) -> ()
  return
}

// -----

// What the chain begins with is stored before it.

// CHECK-LABEL: func.func @from_another
// CHECK:       %[[FIRST:.*]] = tensor.splat
// CHECK-NEXT:  bufferization.materialize_in_destination %[[FIRST]] in restrict writable %arg0
// CHECK:       scf.for
// CHECK:         memref.store
// CHECK-NOT:   materialize
// CHECK:       return
func.func @from_another(%a: memref<8xf64>, %c: i1, %v: f64, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = tensor.splat %v : tensor<8xf64>
  %all = scf.for %i = %zero to %n step %one iter_args(%x = %0) -> (tensor<8xf64>) {
    %r0 = scf.if %c -> (tensor<8xf64>) {
      %w0 = tensor.insert %v into %x[%i] : tensor<8xf64>
      scf.yield %w0 : tensor<8xf64>
    } else {
      scf.yield %x : tensor<8xf64>
    }
    %r1 = scf.if %c -> (tensor<8xf64>) {
      %w1 = tensor.insert %v into %r0[%i] : tensor<8xf64>
      scf.yield %w1 : tensor<8xf64>
    } else {
      scf.yield %r0 : tensor<8xf64>
    }
    %r2 = scf.if %c -> (tensor<8xf64>) {
      %w2 = tensor.insert %v into %r1[%i] : tensor<8xf64>
      scf.yield %w2 : tensor<8xf64>
    } else {
      scf.yield %r1 : tensor<8xf64>
    }
    %r3 = scf.if %c -> (tensor<8xf64>) {
      %w3 = tensor.insert %v into %r2[%i] : tensor<8xf64>
      scf.yield %w3 : tensor<8xf64>
    } else {
      scf.yield %r2 : tensor<8xf64>
    }
    %r4 = scf.if %c -> (tensor<8xf64>) {
      %w4 = tensor.insert %v into %r3[%i] : tensor<8xf64>
      scf.yield %w4 : tensor<8xf64>
    } else {
      scf.yield %r3 : tensor<8xf64>
    }
    %r5 = scf.if %c -> (tensor<8xf64>) {
      %w5 = tensor.insert %v into %r4[%i] : tensor<8xf64>
      scf.yield %w5 : tensor<8xf64>
    } else {
      scf.yield %r4 : tensor<8xf64>
    }
    %r6 = scf.if %c -> (tensor<8xf64>) {
      %w6 = tensor.insert %v into %r5[%i] : tensor<8xf64>
      scf.yield %w6 : tensor<8xf64>
    } else {
      scf.yield %r5 : tensor<8xf64>
    }
    %r7 = scf.if %c -> (tensor<8xf64>) {
      %w7 = tensor.insert %v into %r6[%i] : tensor<8xf64>
      scf.yield %w7 : tensor<8xf64>
    } else {
      scf.yield %r6 : tensor<8xf64>
    }
    scf.yield %r7 : tensor<8xf64>
  }
  bufferization.materialize_in_destination %all in restrict writable %a : (tensor<8xf64>, memref<8xf64>) -> ()
  return
}

// -----

// A few branches are left to upstream.

// CHECK-LABEL: func.func @few
// CHECK-NOT:   memref.store
// CHECK:       tensor.insert
// CHECK:       return
func.func @few(%a: memref<8xf64>, %c: i1, %v: f64, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = bufferization.to_tensor %a restrict writable : memref<8xf64> to tensor<8xf64>
  %all = scf.for %i = %zero to %n step %one iter_args(%x = %0) -> (tensor<8xf64>) {
    %r0 = scf.if %c -> (tensor<8xf64>) {
      %w0 = tensor.insert %v into %x[%i] : tensor<8xf64>
      scf.yield %w0 : tensor<8xf64>
    } else {
      scf.yield %x : tensor<8xf64>
    }
    %r1 = scf.if %c -> (tensor<8xf64>) {
      %w1 = tensor.insert %v into %r0[%i] : tensor<8xf64>
      scf.yield %w1 : tensor<8xf64>
    } else {
      scf.yield %r0 : tensor<8xf64>
    }
    %r2 = scf.if %c -> (tensor<8xf64>) {
      %w2 = tensor.insert %v into %r1[%i] : tensor<8xf64>
      scf.yield %w2 : tensor<8xf64>
    } else {
      scf.yield %r1 : tensor<8xf64>
    }
    scf.yield %r2 : tensor<8xf64>
  }
  bufferization.materialize_in_destination %all in restrict writable %a : (tensor<8xf64>, memref<8xf64>) -> ()
  return
}

// -----

// An element of an earlier value is read behind a write: there have to be two arrays.

// CHECK-LABEL: func.func @earlier_value
// CHECK-NOT:   memref.store
// CHECK:       tensor.insert
// CHECK:       return
func.func @earlier_value(%a: memref<8xf64>, %c: i1, %v: f64, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = bufferization.to_tensor %a restrict writable : memref<8xf64> to tensor<8xf64>
  %all = scf.for %i = %zero to %n step %one iter_args(%x = %0) -> (tensor<8xf64>) {
    %r0 = scf.if %c -> (tensor<8xf64>) {
      %w0 = tensor.insert %v into %x[%i] : tensor<8xf64>
      scf.yield %w0 : tensor<8xf64>
    } else {
      scf.yield %x : tensor<8xf64>
    }
    %r1 = scf.if %c -> (tensor<8xf64>) {
      %w1 = tensor.insert %v into %r0[%i] : tensor<8xf64>
      scf.yield %w1 : tensor<8xf64>
    } else {
      scf.yield %r0 : tensor<8xf64>
    }
    %r2 = scf.if %c -> (tensor<8xf64>) {
      %w2 = tensor.insert %v into %r1[%i] : tensor<8xf64>
      scf.yield %w2 : tensor<8xf64>
    } else {
      scf.yield %r1 : tensor<8xf64>
    }
    %r3 = scf.if %c -> (tensor<8xf64>) {
      %w3 = tensor.insert %v into %r2[%i] : tensor<8xf64>
      scf.yield %w3 : tensor<8xf64>
    } else {
      scf.yield %r2 : tensor<8xf64>
    }
    %r4 = scf.if %c -> (tensor<8xf64>) {
      %w4 = tensor.insert %v into %r3[%i] : tensor<8xf64>
      scf.yield %w4 : tensor<8xf64>
    } else {
      scf.yield %r3 : tensor<8xf64>
    }
    %r5 = scf.if %c -> (tensor<8xf64>) {
      %w5 = tensor.insert %v into %r4[%i] : tensor<8xf64>
      scf.yield %w5 : tensor<8xf64>
    } else {
      scf.yield %r4 : tensor<8xf64>
    }
    %r6 = scf.if %c -> (tensor<8xf64>) {
      %w6 = tensor.insert %v into %r5[%i] : tensor<8xf64>
      scf.yield %w6 : tensor<8xf64>
    } else {
      scf.yield %r5 : tensor<8xf64>
    }
    %r7 = scf.if %c -> (tensor<8xf64>) {
      %w7 = tensor.insert %v into %r6[%i] : tensor<8xf64>
      scf.yield %w7 : tensor<8xf64>
    } else {
      scf.yield %r6 : tensor<8xf64>
    }
    %old = tensor.extract %r3[%i] : tensor<8xf64>
    func.call @use(%old) : (f64) -> ()
    scf.yield %r7 : tensor<8xf64>
  }
  bufferization.materialize_in_destination %all in restrict writable %a : (tensor<8xf64>, memref<8xf64>) -> ()
  return
}
func.func private @use(f64)

// -----

// The memory is read by another name, as it was before.

// CHECK-LABEL: func.func @read_elsewhere
// CHECK:       tensor.insert
// CHECK:       return
func.func @read_elsewhere(%a: memref<8xf64>, %b: memref<f64>, %c: i1, %v: f64, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = bufferization.to_tensor %a restrict writable : memref<8xf64> to tensor<8xf64>
  %k = bufferization.to_tensor %a : memref<8xf64> to tensor<8xf64>
  %e = tensor.extract %k[%zero] : tensor<8xf64>
  memref.store %e, %b[] : memref<f64>
  %all = scf.for %i = %zero to %n step %one iter_args(%x = %0) -> (tensor<8xf64>) {
    %r0 = scf.if %c -> (tensor<8xf64>) {
      %w0 = tensor.insert %v into %x[%i] : tensor<8xf64>
      scf.yield %w0 : tensor<8xf64>
    } else {
      scf.yield %x : tensor<8xf64>
    }
    %r1 = scf.if %c -> (tensor<8xf64>) {
      %w1 = tensor.insert %v into %r0[%i] : tensor<8xf64>
      scf.yield %w1 : tensor<8xf64>
    } else {
      scf.yield %r0 : tensor<8xf64>
    }
    %r2 = scf.if %c -> (tensor<8xf64>) {
      %w2 = tensor.insert %v into %r1[%i] : tensor<8xf64>
      scf.yield %w2 : tensor<8xf64>
    } else {
      scf.yield %r1 : tensor<8xf64>
    }
    %r3 = scf.if %c -> (tensor<8xf64>) {
      %w3 = tensor.insert %v into %r2[%i] : tensor<8xf64>
      scf.yield %w3 : tensor<8xf64>
    } else {
      scf.yield %r2 : tensor<8xf64>
    }
    %r4 = scf.if %c -> (tensor<8xf64>) {
      %w4 = tensor.insert %v into %r3[%i] : tensor<8xf64>
      scf.yield %w4 : tensor<8xf64>
    } else {
      scf.yield %r3 : tensor<8xf64>
    }
    %r5 = scf.if %c -> (tensor<8xf64>) {
      %w5 = tensor.insert %v into %r4[%i] : tensor<8xf64>
      scf.yield %w5 : tensor<8xf64>
    } else {
      scf.yield %r4 : tensor<8xf64>
    }
    %r6 = scf.if %c -> (tensor<8xf64>) {
      %w6 = tensor.insert %v into %r5[%i] : tensor<8xf64>
      scf.yield %w6 : tensor<8xf64>
    } else {
      scf.yield %r5 : tensor<8xf64>
    }
    %r7 = scf.if %c -> (tensor<8xf64>) {
      %w7 = tensor.insert %v into %r6[%i] : tensor<8xf64>
      scf.yield %w7 : tensor<8xf64>
    } else {
      scf.yield %r6 : tensor<8xf64>
    }
    scf.yield %r7 : tensor<8xf64>
  }
  bufferization.materialize_in_destination %all in restrict writable %a : (tensor<8xf64>, memref<8xf64>) -> ()
  return
}
