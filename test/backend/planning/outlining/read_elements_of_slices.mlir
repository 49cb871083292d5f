// RUN: weft-opt %s --split-input-file --outline-kernels --cse | filecheck %s

// What a branch reads of a slice that may be empty is read in the branch.

// CHECK-LABEL: func.func @may_be_empty
// CHECK-NOT:   tensor.extract
// CHECK:       scf.if
// CHECK:       tensor.extract %{{.*}}[%{{.*}}] : tensor<?xf64>
func.func @may_be_empty(%a: tensor<?xf64>, %n: index, %is_there: i1) -> f64 {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  %slice = tensor.extract_slice %a[0] [%n] [1] : tensor<?xf64> to tensor<?xf64>
  %r = scf.if %is_there -> (f64) {
    %first = tensor.extract %slice[%zero] : tensor<?xf64>
    scf.yield %first : f64
  } else {
    scf.yield %none : f64
  }
  return %r : f64
}

// -----

// An element that the slice is known to have is read where the slice is, before what may overwrite the array.

// CHECK-LABEL: func.func @is_there
// CHECK:       tensor.extract %{{.*}}[%{{.*}}] : tensor<?xf64>
// CHECK:       scf.if
func.func @is_there(%a: tensor<?xf64>, %i: index, %is_there: i1) -> f64 {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f64
  %slice = tensor.extract_slice %a[%i] [2] [1] : tensor<?xf64> to tensor<2xf64>
  %r = scf.if %is_there -> (f64) {
    %first = tensor.extract %slice[%zero] : tensor<2xf64>
    scf.yield %first : f64
  } else {
    scf.yield %none : f64
  }
  return %r : f64
}
