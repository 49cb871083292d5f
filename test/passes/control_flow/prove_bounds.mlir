// RUN: weft-opt %s --prove-bounds --weft-fold --split-input-file | filecheck %s

// for i in range(len(x)): x[i]
// CHECK-LABEL: func.func @all
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @all(%x: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.maximum"(%e, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %i = "weft.add"(%t, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(len(x) - 1): x[i + 1]
// CHECK-LABEL: func.func @next
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @next(%x: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.subtract"(%e, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %i = "weft.add"(%t, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(len(x)): x[i - 1], where -1 is the last
// CHECK-LABEL: func.func @before
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @before(%x: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.add"(%e, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %i = "weft.subtract"(%t, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(len(x) - 1, -1, -1): x[i]
// CHECK-LABEL: func.func @backwards
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @backwards(%x: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.add"(%e, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %l = "weft.subtract"(%e, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %i = "weft.subtract"(%l, %t) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(min(n, len(x))): x[i]
// CHECK-LABEL: func.func @least
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @least(%x: tensor<?xf64>, %p: tensor<i64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.minimum"(%p, %e) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %i = "weft.add"(%t, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(3): x[2 * i + 1], where there are 6
// CHECK-LABEL: func.func @static
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @static(%x: tensor<6xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %n = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %d = "weft.multiply"(%t, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %i = "weft.add"(%d, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<6xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(len(x)): x[i + 1]
// CHECK-LABEL: func.func @too_far
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: return
func.func @too_far(%x: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.add"(%e, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %i = "weft.add"(%t, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(n): x[i]
// CHECK-LABEL: func.func @any_bound
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: return
func.func @any_bound(%x: tensor<?xf64>, %p: tensor<i64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.add"(%p, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %i = "weft.add"(%t, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// range(n - 1) runs for long where n is the least i64: n is no extent
// CHECK-LABEL: func.func @wraps
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: return
func.func @wraps(%x: tensor<?xf64>, %p: tensor<i64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.subtract"(%p, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %i = "weft.add"(%t, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(len(x)): x[2 * i]
// CHECK-LABEL: func.func @twice
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: return
func.func @twice(%x: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.add"(%e, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %i = "weft.multiply"(%t, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(len(x)): x[i - 2], where there may be 1 only
// CHECK-LABEL: func.func @below
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: return
func.func @below(%x: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c2 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %n = "weft.add"(%e, %c0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %ns = tensor.extract %n[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %t = tensor.from_elements %ki : tensor<i64>
    %i = "weft.subtract"(%t, %c2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %s = "weft.add"(%a, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// Triangles: for i in range(len(x)): for j in range(i): x[j]
// CHECK-LABEL: func.func @triangle
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @triangle(%x: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %ns = tensor.extract %e[] : tensor<i64>
  %m = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %m step %one iter_args(%a = %start) -> tensor<f64> {
    %q = scf.for %l = %zero to %k step %one iter_args(%b = %a) -> tensor<f64> {
      %li = arith.index_cast %l : index to i64
      %i = tensor.from_elements %li : tensor<i64>
      %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
      "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
      %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
      %s = "weft.add"(%b, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      scf.yield %s : tensor<f64>
    }
    scf.yield %q : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// for i in range(len(x)): if x[i] > y: break
// CHECK-LABEL: func.func @search
// CHECK: scf.while
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @search(%x: tensor<?xf64>, %y: tensor<f64>) -> tensor<i64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %go = "weft.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %r:2 = scf.while (%f = %go, %i = %zero) : (tensor<i1>, tensor<i64>) -> (tensor<i64>, tensor<i1>) {
    %c = "weft.less"(%i, %e) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %d = "weft.logical_and"(%f, %c) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %b = tensor.extract %d[] : tensor<i1>
    scf.condition(%b) %i, %f : tensor<i64>, tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %f: tensor<i1>):
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %h = "weft.less_equal"(%g, %y) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %i1 = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %h, %i1 : tensor<i1>, tensor<i64>
  }
  return %r#0 : tensor<i64>
}

// -----

// The counter of a loop with steps of its own, or without a bound, is not bounded.
// CHECK-LABEL: func.func @unbounded
// CHECK: scf.while
// CHECK: weft.raise_if
func.func @unbounded(%x: tensor<?xf64>, %y: tensor<f64>) -> tensor<i64> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %go = "weft.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %e = "weft.dim"(%x) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %r:2 = scf.while (%f = %go, %i = %zero) : (tensor<i1>, tensor<i64>) -> (tensor<i64>, tensor<i1>) {
    %c = "weft.less"(%i, %e) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %d = "weft.logical_or"(%f, %c) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %b = tensor.extract %d[] : tensor<i1>
    scf.condition(%b) %i, %f : tensor<i64>, tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %f: tensor<i1>):
    %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %g = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %h = "weft.less_equal"(%g, %y) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %i1 = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %h, %i1 : tensor<i1>, tensor<i64>
  }
  return %r#0 : tensor<i64>
}

// -----

// for i in range(9): for j in range(i + 1, 9): x[j], where the length of the inner loop depends on the outer counter
// CHECK-LABEL: func.func @triangle
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK-NOT:       weft.raise_if
// CHECK:           weft.gather
func.func @triangle(%x: tensor<9xf64>) -> tensor<f64> {
  %first = arith.constant 0 : index
  %last = arith.constant 9 : index
  %stride = arith.constant 1 : index
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %eight = "weft.constant"() {value = dense<8> : tensor<i64>} : () -> tensor<i64>
  %nine = "weft.constant"() {value = dense<9> : tensor<i64>} : () -> tensor<i64>
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %r = scf.for %i = %first to %last step %stride iter_args(%s = %start) -> (tensor<f64>) {
    %ii = arith.index_cast %i : index to i64
    %it = tensor.from_elements %ii : tensor<i64>
    %next = "weft.add"(%it, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %left = "weft.subtract"(%eight, %it) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %count = "weft.maximum"(%left, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c = tensor.extract %count[] : tensor<i64>
    %trips = arith.index_cast %c : i64 to index
    %t = scf.for %k = %first to %trips step %stride iter_args(%u = %s) -> (tensor<f64>) {
      %kk = arith.index_cast %k : index to i64
      %kt = tensor.from_elements %kk : tensor<i64>
      %j = "weft.add"(%next, %kt) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %f:2 = "weft.find_out_of_bounds"(%j, %nine) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
      "weft.raise_if"(%f#0, %f#1, %nine) {error = "IndexError", message = "index {0} is out of bounds for axis 0 with size {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
      %v = "weft.gather"(%x, %j) {axes = array<i64: 0>, position = 0 : i64} : (tensor<9xf64>, tensor<i64>) -> tensor<f64>
      %w = "weft.add"(%u, %v) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      scf.yield %w : tensor<f64>
    }
    scf.yield %t : tensor<f64>
  }
  return %r : tensor<f64>
}
