// RUN: weft-opt %s --split-input-file --outline-kernels --plan-buffers | filecheck %s

// Checks that ask for more than the last one of a row are asked where that one fails.

// CHECK-LABEL: func.func private @kernel_0
// CHECK:       scf.for
// CHECK:         %[[OUTSIDE:.*]] = arith.cmpf oge
// CHECK:         scf.if %[[OUTSIDE]] {
// CHECK:           %[[TRUE:.*]] = arith.constant 1 : i8
// CHECK:           scf.if
// CHECK:             call @weft_exit
// CHECK:           arith.cmpi ne, %[[TRUE]]
// CHECK:           scf.if
// CHECK:             call @weft_exit
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}} = arith.addi
func.func @row(%x: tensor<8xf32>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %large = arith.constant 9.0e+18 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%n = %one) -> (i64) {
    %e = tensor.extract %x[%i] : tensor<8xf32>
    %outside = arith.cmpf oge, %e, %large : f32
    %is_infinite = arith.cmpf oeq, %e, %infinity : f32
    %both = arith.andi %outside, %is_infinite : i1
    %first = arith.extui %both : i1 to i8
    %t = tensor.from_elements %first : tensor<i8>
    %second = arith.extui %outside : i1 to i8
    %u = tensor.from_elements %second : tensor<i8>
    "weft.raise_if"(%t) {error = "OverflowError", message = "infinite"} : (tensor<i8>) -> ()
    "weft.raise_if"(%u) {error = "OverflowError", message = "large"} : (tensor<i8>) -> ()
    %m = arith.addi %n, %one : i64
    scf.yield %m : i64
  }
  %v = tensor.from_elements %r : tensor<i64>
  return %v : tensor<i64>
}

// -----

// Not so where they ask for other things, or where something lies between that may be seen.

// CHECK-LABEL: func.func private @kernel_0
// CHECK:       scf.for
// CHECK:         %[[FIRST:.*]] = arith.cmpf oge
// CHECK:         %[[SECOND:.*]] = arith.cmpf olt
// CHECK:         scf.if
// CHECK:           call @weft_exit
// CHECK-NEXT:    }
// CHECK:         scf.if
// CHECK:           call @weft_exit
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}} = arith.addi
func.func @others(%x: tensor<8xf32>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %large = arith.constant 9.0e+18 : f32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%n = %one) -> (i64) {
    %e = tensor.extract %x[%i] : tensor<8xf32>
    %outside = arith.cmpf oge, %e, %large : f32
    %beneath = arith.cmpf olt, %e, %large : f32
    %first = arith.extui %outside : i1 to i8
    %t = tensor.from_elements %first : tensor<i8>
    %second = arith.extui %beneath : i1 to i8
    %u = tensor.from_elements %second : tensor<i8>
    "weft.raise_if"(%t) {error = "OverflowError", message = "large"} : (tensor<i8>) -> ()
    "weft.raise_if"(%u) {error = "ValueError", message = "small"} : (tensor<i8>) -> ()
    %m = arith.addi %n, %one : i64
    scf.yield %m : i64
  }
  %v = tensor.from_elements %r : tensor<i64>
  return %v : tensor<i64>
}
