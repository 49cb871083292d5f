// RUN: weft-opt %s --split-input-file --outline-kernels | filecheck %s

// Nested loops and branches that only read and update elements are one kernel, also when they start from zeros:
// these are filled in, not copied from a constant.

// CHECK-LABEL: func.func @table
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<9x9xi64>
// CHECK-NEXT:    %[[R:.*]] = call @kernel_0(%arg0, %[[E]])
// CHECK-NEXT:    return %[[R]]
// CHECK:       func.func private @kernel_0(%[[X:.*]]: tensor<9xi64>, %[[D:.*]]: tensor<9x9xi64>)
// CHECK:         %[[Z:.*]] = linalg.fill
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %[[Z]])
// CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK:             scf.if
// CHECK:         bufferization.materialize_in_destination %{{.*}} in %[[D]]
func.func @table(%x: tensor<9xi64>) -> tensor<9x9xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zeros = arith.constant dense<0> : tensor<9x9xi64>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %zeros) -> (tensor<9x9xi64>) {
    %p = tensor.extract %x[%i] : tensor<9xi64>
    %s = scf.for %j = %c0 to %c9 step %c1 iter_args(%b = %a) -> (tensor<9x9xi64>) {
      %q = tensor.extract %x[%j] : tensor<9xi64>
      %c = arith.cmpi slt, %p, %q : i64
      %t = scf.if %c -> (tensor<9x9xi64>) {
        %u = tensor.insert %q into %b[%i, %j] : tensor<9x9xi64>
        scf.yield %u : tensor<9x9xi64>
      } else {
        scf.yield %b : tensor<9x9xi64>
      }
      scf.yield %t : tensor<9x9xi64>
    }
    scf.yield %s : tensor<9x9xi64>
  }
  return %r : tensor<9x9xi64>
}

// -----

// Two arrays that start as the same zeros get their own, of numbers of any kind.

// CHECK-LABEL: func.func @two
// CHECK:         call @kernel_0
// CHECK:       func.func private @kernel_0
// CHECK:         %[[ZERO:.*]] = complex.constant [0.000000e+00, 0.000000e+00]
// CHECK-DAG:     %[[F:.*]] = linalg.fill
// CHECK-DAG:     %[[G:.*]] = linalg.fill
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
func.func @two(%z: tensor<complex<f64>>) -> (tensor<8xcomplex<f64>>, tensor<8xcomplex<f64>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zeros = arith.constant dense<(0.0, 0.0)> : tensor<8xcomplex<f64>>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zeros, %b = %zeros)
      -> (tensor<8xcomplex<f64>>, tensor<8xcomplex<f64>>) {
    %e = tensor.extract %z[] : tensor<complex<f64>>
    %c = tensor.insert %e into %a[%i] : tensor<8xcomplex<f64>>
    %d = tensor.insert %e into %b[%c0] : tensor<8xcomplex<f64>>
    scf.yield %c, %d : tensor<8xcomplex<f64>>, tensor<8xcomplex<f64>>
  }
  return %r#0, %r#1 : tensor<8xcomplex<f64>>, tensor<8xcomplex<f64>>
}

// -----

// A loop that carries arrays crosswise, or works on whole arrays, stays around its kernels.

// CHECK-LABEL: func.func @not_a_kernel
// CHECK:         scf.for
// CHECK:           tensor.insert
// CHECK:         scf.for
// CHECK:           func.call @kernel_0
func.func @not_a_kernel(%x: tensor<8xf64>, %y: tensor<8xf64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf64>, tensor<8xf64>) {
    %e = tensor.extract %a[%i] : tensor<8xf64>
    %c = tensor.insert %e into %b[%i] : tensor<8xf64>
    scf.yield %c, %a : tensor<8xf64>, tensor<8xf64>
  }
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %r#0) -> (tensor<8xf64>) {
    %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%a : tensor<8xf64>) {
    ^bb0(%v: f64):
      %w = arith.addf %v, %v : f64
      linalg.yield %w : f64
    } -> tensor<8xf64>
    scf.yield %t : tensor<8xf64>
  }
  return %s, %r#1 : tensor<8xf64>, tensor<8xf64>
}

// -----

// A number that a loop reads, and that is not carried, is read before it.

// CHECK-LABEL: func.func @bound
// CHECK-NEXT:    %[[N:.*]] = tensor.extract %arg0[] : tensor<i64>
// CHECK-NEXT:    %[[R:.*]] = call @kernel_0(%[[N]]) : (i64) -> i64
// CHECK:       func.func private @kernel_0(%[[M:.*]]: i64) -> i64
// CHECK-NOT:     tensor.extract
// CHECK:         scf.while
// CHECK:           arith.cmpi slt, %{{.*}}, %[[M]]
func.func @bound(%n: tensor<i64>) -> tensor<i64> {
  %one = arith.constant 1 : i64
  %start = arith.constant dense<1> : tensor<i64>
  %r = scf.while (%a = %start) : (tensor<i64>) -> (tensor<i64>) {
    %e = tensor.extract %a[] : tensor<i64>
    %b = tensor.extract %n[] : tensor<i64>
    %c = arith.cmpi slt, %e, %b : i64
    scf.condition(%c) %a : tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    %e = tensor.extract %a[] : tensor<i64>
    %b = tensor.extract %n[] : tensor<i64>
    %s = arith.addi %e, %b : i64
    %t = tensor.from_elements %s : tensor<i64>
    scf.yield %t : tensor<i64>
  }
  return %r : tensor<i64>
}

// -----

// A loop in a loop may carry the array behind a number, and leave the array alone: both loops are one kernel, in which
// the array has one place where the inner one is entered and where it goes on.

// CHECK-LABEL: func.func @behind_a_number
// CHECK-NEXT:    %[[R:.*]] = call @kernel_0(%arg0) : (tensor<9xi64>) -> tensor<9xi64>
// CHECK-NEXT:    return %[[R]]
// CHECK:       func.func private @kernel_0
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK:           scf.while (%[[X:.*]] = %[[A]], %[[K:.*]] = %{{.*}}) : (tensor<9xi64>, i64) -> tensor<9xi64>
// CHECK:             scf.condition(%{{.*}}) %[[X]] : tensor<9xi64>
// CHECK:           ^bb0(%[[Y:.*]]: tensor<9xi64>)
// CHECK:             %[[Z:.*]] = tensor.insert %{{.*}} into %[[Y]]
// CHECK:             scf.yield %[[Z]], %{{.*}} : tensor<9xi64>, i64
func.func @behind_a_number(%x: tensor<9xi64>) -> tensor<9xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0 : i64
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> (tensor<9xi64>) {
    %s = scf.while (%k = %zero, %b = %a) : (i64, tensor<9xi64>) -> (tensor<9xi64>) {
      %e = tensor.extract %b[%i] : tensor<9xi64>
      %c = arith.cmpi slt, %k, %e : i64
      scf.condition(%c) %b : tensor<9xi64>
    } do {
    ^bb0(%b: tensor<9xi64>):
      %e = tensor.extract %b[%i] : tensor<9xi64>
      %f = arith.addi %e, %e : i64
      %u = tensor.insert %f into %b[%i] : tensor<9xi64>
      scf.yield %e, %u : i64, tensor<9xi64>
    }
    scf.yield %s : tensor<9xi64>
  }
  return %r : tensor<9xi64>
}

// -----

// A loop whose arrays change places is none: of two arrays, each is now this and now that one.

// CHECK-LABEL: func.func @change_places
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK:           scf.condition(%{{.*}}) %{{.*}}, %[[A]], %[[B]]
// CHECK:         ^bb0(%{{.*}}: i64, %[[C:.*]]: tensor<9xi64>, %[[D:.*]]: tensor<9xi64>)
// CHECK:           scf.yield %{{.*}}, %[[D]], %[[C]]
// CHECK-NOT:     @kernel_0
func.func @change_places(%x: tensor<9xi64>, %y: tensor<9xi64>) -> (tensor<9xi64>, tensor<9xi64>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %nine = arith.constant 9 : i64
  %r:3 = scf.while (%k = %zero, %a = %x, %b = %y) : (i64, tensor<9xi64>, tensor<9xi64>)
      -> (i64, tensor<9xi64>, tensor<9xi64>) {
    %c = arith.cmpi slt, %k, %nine : i64
    scf.condition(%c) %k, %a, %b : i64, tensor<9xi64>, tensor<9xi64>
  } do {
  ^bb0(%k: i64, %a: tensor<9xi64>, %b: tensor<9xi64>):
    %l = arith.addi %k, %one : i64
    scf.yield %l, %b, %a : i64, tensor<9xi64>, tensor<9xi64>
  }
  return %r#1, %r#2 : tensor<9xi64>, tensor<9xi64>
}

// -----

// Two arrays of one number, and of a size that the program knows, get their own, too.

// CHECK-LABEL: func.func @two_of_a_number
// CHECK-DAG:     %[[A:.*]] = call @kernel_0(
// CHECK-DAG:     %[[B:.*]] = call @kernel_0(
// CHECK:         call @kernel_1({{.*}}) : (index, tensor<?xi64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>)
func.func @two_of_a_number(%n: index) -> (tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i64
  %empty = tensor.empty(%n) : tensor<?xi64>
  %filled = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<?xi64>) {
  ^bb0(%out: i64):
    linalg.yield %seven : i64
  } -> tensor<?xi64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %filled, %b = %filled) -> (tensor<?xi64>, tensor<?xi64>) {
    %e = tensor.extract %b[%i] : tensor<?xi64>
    %f = arith.addi %e, %e : i64
    %c = tensor.insert %f into %a[%i] : tensor<?xi64>
    %d = tensor.insert %f into %b[%c0] : tensor<?xi64>
    scf.yield %c, %d : tensor<?xi64>, tensor<?xi64>
  }
  return %r#0, %r#1 : tensor<?xi64>, tensor<?xi64>
}

// -----

// A number that is an argument is read once where it is needed several times, so that all know that it is one.

// CHECK-LABEL: func.func @read_once
// CHECK-NEXT:    %[[N:.*]] = tensor.extract %arg0[] : tensor<i64>
// CHECK-NOT:     tensor.extract %arg0
// CHECK:         call @kernel_1(%{{.*}}, %[[N]], %
// CHECK-NOT:     tensor.extract %arg0
func.func @read_once(%n: tensor<i64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i64
  %first = tensor.extract %n[] : tensor<i64>
  %size = arith.index_cast %first : i64 to index
  %empty = tensor.empty(%size) : tensor<?xi64>
  %filled = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<?xi64>) {
  ^bb0(%out: i64):
    linalg.yield %seven : i64
  } -> tensor<?xi64>
  %second = tensor.extract %n[] : tensor<i64>
  %r = scf.for %i = %c0 to %size step %c1 iter_args(%a = %filled) -> (tensor<?xi64>) {
    %e = tensor.extract %a[%c0] : tensor<?xi64>
    %f = arith.addi %e, %second : i64
    %third = tensor.extract %n[] : tensor<i64>
    %g = arith.addi %f, %third : i64
    %c = tensor.insert %g into %a[%i] : tensor<?xi64>
    scf.yield %c : tensor<?xi64>
  }
  return %r : tensor<?xi64>
}

// -----

// Where each element is computed, one array is made, and the loop works on a copy.

// CHECK-LABEL: func.func @two_that_are_computed
// CHECK:         call @kernel_0(
// CHECK-NOT:     call @kernel_0(
// CHECK:       func.func private
func.func @two_that_are_computed(%n: index) -> (tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty(%n) : tensor<?xi64>
  %filled = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<?xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    linalg.yield %j : i64
  } -> tensor<?xi64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %filled, %b = %filled) -> (tensor<?xi64>, tensor<?xi64>) {
    %e = tensor.extract %b[%i] : tensor<?xi64>
    %f = arith.addi %e, %e : i64
    %c = tensor.insert %f into %a[%i] : tensor<?xi64>
    %d = tensor.insert %f into %b[%c0] : tensor<?xi64>
    scf.yield %c, %d : tensor<?xi64>, tensor<?xi64>
  }
  return %r#0, %r#1 : tensor<?xi64>, tensor<?xi64>
}
