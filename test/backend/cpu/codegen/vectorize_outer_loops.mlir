// RUN: weft-opt %s --target=x86-64-v4 --split-input-file --vectorize-outer-loops | filecheck %s

// Whole vectors of iterations run while the condition holds in some lane; lanes that are done keep their state. What is
// carried is computed lane by lane. The loop itself is left the rest.

// CHECK-LABEL: func.func @halvings
// CHECK:         %[[COUNT:.*]] = arith.maxsi
// CHECK:         %[[REST:.*]] = arith.remui %[[COUNT]], %[[LANES:.*]] : index
// CHECK:         %[[WHOLE:.*]] = arith.addi %c0
// CHECK:         %[[A:.*]] = scf.for %[[I:.*]] = %c0 to %[[WHOLE]] step
// CHECK:           %[[S:.*]] = vector.step
// CHECK:           %[[W:.*]]:4 = scf.while (%[[N:.*]] = %{{.*}}, %[[K:.*]] = %{{.*}}) : (vector<[[V:.*]]xi64>, vector<[[V]]xi64>)
// CHECK:             %[[C:.*]] = arith.cmpi sgt, %[[N]]
// CHECK:             %[[ANY:.*]] = vector.reduction <or>, %[[C]]
// CHECK:             scf.condition(%[[ANY]]) %[[K]], %[[N]], %[[K]], %[[C]]
// CHECK:             %[[M:.*]] = arith.shrsi
// CHECK:             arith.select %{{.*}}, %[[M]], %{{.*}} : vector<[[V]]xi1>, vector<[[V]]xi64>
// CHECK:           vector.extract %[[W]]#0[0]
// CHECK:           tensor.insert
// CHECK:           vector.extract %[[W]]#0[1]
// CHECK:         scf.for %{{.*}} = %[[WHOLE]] to %arg0 step %c1 iter_args(%{{.*}} = %[[A]])
// CHECK:           scf.while {{.*}} : (i64, i64) -> i64
func.func @halvings(%count: index, %x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xi64>) {
    %start = arith.index_cast %i : index to i64
    %k = scf.while (%n = %start, %steps = %zero) : (i64, i64) -> i64 {
      %c = arith.cmpi sgt, %n, %zero : i64
      scf.condition(%c) %steps : i64
    } do {
    ^bb0(%steps: i64):
      %m = arith.shrsi %steps, %one : i64
      %next = arith.addi %steps, %one : i64
      scf.yield %m, %next : i64, i64
    }
    %b = tensor.insert %k into %a[%i] : tensor<?xi64>
    scf.yield %b : tensor<?xi64>
  }
  return %r : tensor<?xi64>
}

// -----

// Numbers that the iterations hand on are computed in their order, from lane to lane.

// CHECK-LABEL: func.func @total
// CHECK:         scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (f64)
// CHECK:           %[[X0:.*]] = vector.extract %[[W:.*]]#0[0]
// CHECK-NEXT:      %[[T0:.*]] = arith.addf %[[T]], %[[X0]] : f64
// CHECK-NEXT:      %[[X1:.*]] = vector.extract %[[W]]#0[1]
// CHECK-NEXT:      arith.addf %[[T0]], %[[X1]] : f64
func.func @total(%count: index, %limit: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f64) {
    %n = arith.index_cast %i : index to i64
    %start = arith.sitofp %n : i64 to f64
    %x = scf.while (%y = %start) : (f64) -> f64 {
      %c = arith.cmpf ogt, %y, %limit : f64
      scf.condition(%c) %y : f64
    } do {
    ^bb0(%y: f64):
      %z = math.sqrt %y : f64
      scf.yield %z : f64
    }
    %u = arith.addf %t, %x : f64
    scf.yield %u : f64
  }
  return %r : f64
}

// -----

// Not so where an inner loop reads at places it finds, divides by numbers it finds, or starts from what is carried.

// CHECK-LABEL: func.func @reads
// CHECK-NOT:     vector<
// CHECK:         return
func.func @reads(%count: index, %x: tensor<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%t = %c0) -> (index) {
    %k = scf.while (%n = %i) : (index) -> index {
      %c = arith.cmpi ne, %n, %c0 : index
      scf.condition(%c) %n : index
    } do {
    ^bb0(%n: index):
      %m = tensor.extract %x[%n] : tensor<?xindex>
      scf.yield %m : index
    }
    %u = arith.addi %t, %k : index
    scf.yield %u : index
  }
  return %r : index
}

// -----

// CHECK-LABEL: func.func @divides
// CHECK-NOT:     vector<
// CHECK:         return
func.func @divides(%count: index, %d: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (i64) {
    %start = arith.index_cast %i : index to i64
    %k = scf.while (%n = %start) : (i64) -> i64 {
      %c = arith.cmpi sgt, %n, %d : i64
      scf.condition(%c) %n : i64
    } do {
    ^bb0(%n: i64):
      %m = arith.divsi %n, %d : i64
      scf.yield %m : i64
    }
    %u = arith.addi %t, %k : i64
    scf.yield %u : i64
  }
  return %r : i64
}

// -----

// CHECK-LABEL: func.func @goes_on
// CHECK-NOT:     vector<
// CHECK:         return
func.func @goes_on(%count: index, %x: f64, %limit: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%t = %x) -> (f64) {
    %u = scf.while (%y = %t) : (f64) -> f64 {
      %c = arith.cmpf ogt, %y, %limit : f64
      scf.condition(%c) %y : f64
    } do {
    ^bb0(%y: f64):
      %z = math.sqrt %y : f64
      scf.yield %z : f64
    }
    scf.yield %u : f64
  }
  return %r : f64
}

// -----

// A loop with a lane that is done must not run on in a loop inside of it, and no loop hangs on a branch.

// CHECK-LABEL: func.func @loop_in_loop
// CHECK:         scf.while
// CHECK:           scf.condition
// CHECK:         ^bb0({{.*}}, %[[ACTIVE:.*]]: vector<{{.*}}xi1>):
// CHECK:           scf.while
// CHECK:             %[[BOTH:.*]] = arith.andi %{{.*}}, %[[ACTIVE]]
// CHECK:             vector.reduction <or>, %[[BOTH]]
func.func @loop_in_loop(%count: index, %limit: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f64) {
    %n = arith.index_cast %i : index to i64
    %start = arith.sitofp %n : i64 to f64
    %x = scf.while (%y = %start) : (f64) -> f64 {
      %c = arith.cmpf ogt, %y, %limit : f64
      scf.condition(%c) %y : f64
    } do {
    ^bb0(%y: f64):
      %p = scf.while (%q = %y) : (f64) -> f64 {
        %d = arith.cmpf ogt, %q, %zero : f64
        scf.condition(%d) %q : f64
      } do {
      ^bb0(%q: f64):
        %s = arith.subf %q, %limit : f64
        scf.yield %s : f64
      }
      scf.yield %p : f64
    }
    %u = arith.addf %t, %x : f64
    scf.yield %u : f64
  }
  return %r : f64
}

// -----

// Complex numbers are carried as their parts.

// CHECK-LABEL: func.func @squares
// CHECK:         scf.while {{.*}} : (vector<[[V:.*]]xf64>, vector<[[V]]xf64>)
// CHECK-NOT:     complex.
// CHECK:         scf.while {{.*}} : (f64, f64) -> (f64, f64)
// CHECK-NOT:     complex.
func.func @squares(%count: index, %x: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 2.0 : f64
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xf64>) {
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    %start = complex.create %f, %limit : complex<f64>
    %z = scf.while (%w = %start) : (complex<f64>) -> complex<f64> {
      %re = complex.re %w : complex<f64>
      %c = arith.cmpf olt, %re, %limit : f64
      scf.condition(%c) %w : complex<f64>
    } do {
    ^bb0(%w: complex<f64>):
      %re = complex.re %w : complex<f64>
      %im = complex.im %w : complex<f64>
      %one = arith.mulf %re, %im : f64
      %other = arith.addf %re, %im : f64
      %next = complex.create %one, %other : complex<f64>
      scf.yield %next : complex<f64>
    }
    %im = complex.im %z : complex<f64>
    %b = tensor.insert %im into %a[%i] : tensor<?xf64>
    scf.yield %b : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// Not so where complex numbers themselves are stored.

// CHECK-LABEL: func.func @stored
// CHECK-NOT:     vector
// CHECK:         complex.create
// CHECK:         tensor.insert
func.func @stored(%count: index, %x: tensor<?xcomplex<f64>>) -> tensor<?xcomplex<f64>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 2.0 : f64
  %start = complex.constant [0.0, 1.0] : complex<f64>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xcomplex<f64>>) {
    %z = scf.while (%w = %start) : (complex<f64>) -> complex<f64> {
      %re = complex.re %w : complex<f64>
      %c = arith.cmpf olt, %re, %limit : f64
      scf.condition(%c) %w : complex<f64>
    } do {
    ^bb0(%w: complex<f64>):
      %re = complex.re %w : complex<f64>
      %im = complex.im %w : complex<f64>
      %sum = arith.addf %re, %im : f64
      %next = complex.create %sum, %im : complex<f64>
      scf.yield %next : complex<f64>
    }
    %b = tensor.insert %z into %a[%i] : tensor<?xcomplex<f64>>
    scf.yield %b : tensor<?xcomplex<f64>>
  }
  return %r : tensor<?xcomplex<f64>>
}
