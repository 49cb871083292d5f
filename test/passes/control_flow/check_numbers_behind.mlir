// RUN: weft-opt %s --check-numbers-behind --split-input-file | filecheck %s

// A search ends where a product has more than 64 bits; the loop around it goes on, and the call fails behind both.
// CHECK-LABEL: func.func @searches(
// CHECK: scf.for {{.*}} iter_args(%[[BEST:[a-z0-9]+]] = {{.*}}, %[[ANY:[a-z0-9]+]] = {{.*}}) -> (tensor<i64>, tensor<i1>)
// CHECK: %[[FOUND:[a-z0-9]+]]:2 = scf.while (%[[K:[a-z0-9]+]] = {{.*}}, %[[FAILED:[a-z0-9]+]] = {{.*}})
// CHECK: %[[MORE:[a-z0-9]+]] = "weft.less"(%[[K]]
// CHECK: %[[NOT:[a-z0-9]+]] = "weft.logical_not"(%[[FAILED]])
// CHECK: "weft.logical_and"(%[[MORE]], %[[NOT]])
// CHECK: scf.condition
// CHECK: %[[LONG:[a-z0-9]+]] = "weft.multiply_overflows"
// CHECK-NOT: weft.raise_if
// CHECK: %[[NOW:[a-z0-9]+]] = "weft.logical_or"({{.*}}, %[[LONG]])
// CHECK: scf.yield {{.*}}, %[[NOW]]
// CHECK-NOT: weft.raise_if
// CHECK: %[[EVER:[a-z0-9]+]] = "weft.logical_or"(%[[ANY]], %[[FOUND]]#1)
// CHECK: scf.yield {{.*}}, %[[EVER]]
// CHECK: "weft.raise_if"({{.*}}the result of an operator on ints has more than 64 bits
// CHECK: return
func.func @searches(%n: tensor<i64>, %limit: tensor<i64>, %zero: tensor<i64>) -> tensor<i64> {
  %number = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %number : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %best = scf.for %i = %c0 to %trips step %c1 iter_args(%largest = %zero) -> (tensor<i64>) {
    %0 = arith.index_cast %i : index to i64
    %1 = tensor.from_elements %0 : tensor<i64>
    %2 = scf.while (%k = %1) : (tensor<i64>) -> tensor<i64> {
      %4 = "weft.less"(%k, %limit) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %5 = tensor.extract %4[] : tensor<i1>
      scf.condition(%5) %k : tensor<i64>
    } do {
    ^bb0(%k: tensor<i64>):
      %4 = "weft.multiply_overflows"(%k, %k) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "weft.raise_if"(%4, %k, %k) {error = "PythonNumberError", message = "{} * {}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
      %5 = "weft.multiply"(%k, %k) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %6 = "weft.subtract"(%5, %limit) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %7 = "weft.maximum"(%limit, %6) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      scf.yield %7 : tensor<i64>
    }
    %3 = "weft.maximum"(%2, %largest) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %3 : tensor<i64>
  }
  return %best : tensor<i64>
}

// -----

// A search that begins where the one before has ended might never end behind a failure: only its own check moves.
// CHECK-LABEL: func.func @chained
// CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]+}} = %{{[a-z0-9]+}}) -> (tensor<i64>)
// CHECK: scf.while
// CHECK: scf.yield
// CHECK: weft.raise_if
// CHECK: scf.yield
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @chained(%n: tensor<i64>, %limit: tensor<i64>, %start: tensor<i64>) -> tensor<i64> {
  %number = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %number : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %trips step %c1 iter_args(%begin = %start) -> (tensor<i64>) {
    %0 = scf.while (%k = %begin) : (tensor<i64>) -> tensor<i64> {
      %1 = "weft.less"(%k, %limit) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %2 = tensor.extract %1[] : tensor<i1>
      scf.condition(%2) %k : tensor<i64>
    } do {
    ^bb0(%k: tensor<i64>):
      %1 = "weft.multiply_overflows"(%k, %k) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "weft.raise_if"(%1) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
      %2 = "weft.multiply"(%k, %k) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %3 = "weft.maximum"(%2, %limit) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      scf.yield %3 : tensor<i64>
    }
    scf.yield %0 : tensor<i64>
  }
  return %last : tensor<i64>
}

// -----

// Loops that read arrays end where the check is, and so do those whose other checks are still to come.
// CHECK-LABEL: func.func @reads
// CHECK: weft.raise_if
// CHECK: weft.gather
// CHECK: scf.yield
// CHECK: weft.raise_if{{.*}}PythonNumberError
// CHECK: weft.raise_if{{.*}}ZeroDivisionError
// CHECK: scf.yield
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @reads(%x: tensor<?xi64>, %n: tensor<i64>, %start: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %number = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %number : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %trips step %c1 iter_args(%at = %start) -> (tensor<i64>) {
    %0 = "weft.multiply_overflows"(%at, %at) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%0) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %1 = "weft.multiply"(%at, %at) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = "weft.gather"(%x, %1) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
    scf.yield %2 : tensor<i64>
  }
  %quotient = scf.for %i = %c0 to %trips step %c1 iter_args(%k = %start) -> (tensor<i64>) {
    %0 = "weft.multiply_overflows"(%k, %k) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%0) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %1 = "weft.multiply"(%k, %k) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = "weft.cast"(%1) {dtype = i1} : (tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%2) {error = "ZeroDivisionError", message = "zero"} : (tensor<i1>) -> ()
    scf.yield %1 : tensor<i64>
  }
  return %last, %quotient : tensor<i64>, tensor<i64>
}
