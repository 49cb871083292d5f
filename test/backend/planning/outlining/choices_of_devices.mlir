// RUN: weft-opt %s --outline-kernels=device=true | filecheck %s
// RUN: weft-opt %s --outline-kernels | filecheck %s --check-prefix=HOST

// Where both ways of a branch have loops that write where data says, a device runs these by many threads: the host
// chooses between two kernels. Of other loops, and of ones that are known to be short, the branch is one kernel, as it is
// for processors.

// CHECK-LABEL: func.func @long
// CHECK:         scf.if
// CHECK-NEXT:      func.call @kernel_0
// CHECK:         } else {
// CHECK-NEXT:      func.call @kernel_1
// CHECK-LABEL: func.func @short
// CHECK-NOT:     scf.if
// CHECK:         call @kernel_2
// CHECK-LABEL: func.func @in_order
// CHECK-NOT:     scf.if
// CHECK:         call @kernel_3
// CHECK:       func.func private @kernel_0

// HOST-LABEL: func.func @long
// HOST-NOT:     scf.if
// HOST:         call @kernel_0
// HOST-LABEL: func.func @short
// HOST-NOT:     scf.if
// HOST:         call @kernel_1
// HOST-LABEL: func.func @in_order
// HOST-NOT:     scf.if
// HOST:         call @kernel_2
func.func @long(%w: i1, %x: tensor<900xi64>) -> tensor<900xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c900 = arith.constant 900 : index
  %a = arith.constant 5 : i64
  %r = scf.if %w -> (tensor<900xi64>) {
    %s = scf.for %i = %c0 to %c900 step %c1 iter_args(%b = %x) -> (tensor<900xi64>) {
      %p = tensor.extract %x[%i] : tensor<900xi64>
      %q = arith.index_cast %p : i64 to index
      %t = tensor.insert %a into %b[%q] : tensor<900xi64>
      scf.yield %t : tensor<900xi64>
    }
    scf.yield %s : tensor<900xi64>
  } else {
    %s = scf.for %i = %c1 to %c900 step %c1 iter_args(%b = %x) -> (tensor<900xi64>) {
      %p = tensor.extract %x[%i] : tensor<900xi64>
      %q = arith.index_cast %p : i64 to index
      %t = tensor.insert %a into %b[%q] : tensor<900xi64>
      scf.yield %t : tensor<900xi64>
    }
    scf.yield %s : tensor<900xi64>
  }
  return %r : tensor<900xi64>
}

func.func @short(%w: i1, %x: tensor<9xi64>) -> tensor<9xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %a = arith.constant 5 : i64
  %r = scf.if %w -> (tensor<9xi64>) {
    %s = scf.for %i = %c0 to %c9 step %c1 iter_args(%b = %x) -> (tensor<9xi64>) {
      %p = tensor.extract %x[%i] : tensor<9xi64>
      %q = arith.index_cast %p : i64 to index
      %t = tensor.insert %a into %b[%q] : tensor<9xi64>
      scf.yield %t : tensor<9xi64>
    }
    scf.yield %s : tensor<9xi64>
  } else {
    %s = scf.for %i = %c1 to %c9 step %c1 iter_args(%b = %x) -> (tensor<9xi64>) {
      %p = tensor.extract %x[%i] : tensor<9xi64>
      %q = arith.index_cast %p : i64 to index
      %t = tensor.insert %a into %b[%q] : tensor<9xi64>
      scf.yield %t : tensor<9xi64>
    }
    scf.yield %s : tensor<9xi64>
  }
  return %r : tensor<9xi64>
}

func.func @in_order(%w: i1, %x: tensor<900xi64>) -> tensor<900xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c900 = arith.constant 900 : index
  %a = arith.constant 5 : i64
  %r = scf.if %w -> (tensor<900xi64>) {
    %s = scf.for %i = %c0 to %c900 step %c1 iter_args(%b = %x) -> (tensor<900xi64>) {
      %t = tensor.insert %a into %b[%i] : tensor<900xi64>
      scf.yield %t : tensor<900xi64>
    }
    scf.yield %s : tensor<900xi64>
  } else {
    %s = scf.for %i = %c1 to %c900 step %c1 iter_args(%b = %x) -> (tensor<900xi64>) {
      %t = tensor.insert %a into %b[%i] : tensor<900xi64>
      scf.yield %t : tensor<900xi64>
    }
    scf.yield %s : tensor<900xi64>
  }
  return %r : tensor<900xi64>
}
