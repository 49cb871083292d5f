// RUN: weft-opt %s --unroll-loops --canonicalize --split-input-file | filecheck %s
// RUN: weft-opt %s --unroll-loops=max-trips=2 --split-input-file | filecheck %s --check-prefix=TWO
// RUN: weft-opt %s --unroll-loops --mlir-pass-statistics --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// STATISTICS: unroll-loops
// STATISTICS: (S) 3 loops unrolled

// Three iterations, each with its own index.
// CHECK-LABEL: func.func @three
// CHECK-SAME: (%[[X:.*]]: tensor<f64>)
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = "weft.add"(%[[X]],
// CHECK: %[[B:.*]] = "weft.add"(%[[A]],
// CHECK: %[[C:.*]] = "weft.add"(%[[B]],
// CHECK-NEXT: return %[[C]]
// TWO-LABEL: func.func @three
// TWO: scf.for
func.func @three(%x: tensor<f64>) -> tensor<f64> {
  %one = arith.constant 1 : index
  %six = arith.constant 6 : index
  %two = arith.constant 2 : index
  %r = scf.for %k = %one to %six step %two iter_args(%a = %x) -> tensor<f64> {
    %i = arith.index_cast %k : index to i64
    %t = tensor.from_elements %i : tensor<i64>
    %f = "weft.cast"(%t) {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %0 = "weft.add"(%a, %f) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// A loop in a loop, both short.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.for
// CHECK-COUNT-6: "weft.sin"
// CHECK-NOT: "weft.sin"
// TWO-LABEL: func.func @nested
// TWO: scf.for
// TWO-COUNT-2: "weft.sin"
// TWO-NEXT: scf.yield
func.func @nested(%x: tensor<f64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %r = scf.for %k = %zero to %three step %one iter_args(%a = %x) -> tensor<f64> {
    %s = scf.for %l = %zero to %two step %one iter_args(%b = %a) -> tensor<f64> {
      %0 = "weft.sin"(%b) : (tensor<f64>) -> tensor<f64>
      scf.yield %0 : tensor<f64>
    }
    scf.yield %s : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// Long loops stay, and so do loops whose end is not known.
// CHECK-LABEL: func.func @long
// CHECK-COUNT-2: scf.for
func.func @long(%x: tensor<f64>, %nt: tensor<i64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 9 : index
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %r = scf.for %k = %zero to %many step %one iter_args(%a = %x) -> tensor<f64> {
    %0 = "weft.sin"(%a) : (tensor<f64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  }
  %s = scf.for %k = %zero to %n step %one iter_args(%a = %r) -> tensor<f64> {
    %0 = "weft.sin"(%a) : (tensor<f64>) -> tensor<f64>
    scf.yield %0 : tensor<f64>
  }
  return %s : tensor<f64>
}

// -----

// Ops on arrays count as four: each may become a kernel.
// CHECK-LABEL: func.func @arrays
// CHECK: scf.for
func.func @arrays(%x: tensor<100xf64>) -> tensor<100xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %six = arith.constant 6 : index
  %r = scf.for %k = %zero to %six step %one iter_args(%a = %x) -> tensor<100xf64> {
    %0 = "weft.sin"(%a) : (tensor<100xf64>) -> tensor<100xf64>
    %1 = "weft.cos"(%0) : (tensor<100xf64>) -> tensor<100xf64>
    %2 = "weft.exp"(%1) : (tensor<100xf64>) -> tensor<100xf64>
    scf.yield %2 : tensor<100xf64>
  }
  return %r : tensor<100xf64>
}
