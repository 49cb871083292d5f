// RUN: weft-opt %s --draw-by-place --split-input-file | filecheck %s

// Few numbers are some steps of the state away; the mask is computed where it is used, in the shape that it is used in.
// CHECK-LABEL: func.func @few
// CHECK-SAME: (%[[STATE:.*]]: tensor<6xi64>, %[[X:.*]]: tensor<4x5xf64>)
// CHECK: %[[TABLE:.*]] = arith.constant {{.*}} : tensor<257x2xi64>
// CHECK-NOT: weft.fill_random
// CHECK: linalg.generic
// CHECK: -> tensor<6xi64>
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<4x5xf64>)
// CHECK: tensor.extract %[[STATE]]
// CHECK: tensor.extract %[[TABLE]]
// CHECK: arith.uitofp
// CHECK: arith.cmpf
// CHECK-NOT: linalg.generic
// CHECK: return
#id = affine_map<(i, j) -> (i, j)>
func.func @few(%state: tensor<6xi64>, %x: tensor<4x5xf64>) -> (tensor<4x5xf64>, tensor<6xi64>) {
  %half = arith.constant 0.5 : f64
  %0 = tensor.empty() : tensor<20xf64>
  %1:2 = "weft.fill_random"(%state, %0) {algorithm = "pcg64", dtype = "float64", function = "uniform"} : (tensor<6xi64>, tensor<20xf64>) -> (tensor<20xf64>, tensor<6xi64>)
  %2 = tensor.expand_shape %1#0 [[0, 1]] output_shape [4, 5] : tensor<20xf64> into tensor<4x5xf64>
  %3 = tensor.empty() : tensor<4x5xf64>
  %4 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2, %x : tensor<4x5xf64>, tensor<4x5xf64>) outs(%3 : tensor<4x5xf64>) {
  ^bb0(%u: f64, %v: f64, %out: f64):
    %5 = arith.cmpf olt, %u, %half : f64
    %6 = arith.select %5, %v, %half : f64
    linalg.yield %6 : f64
  } -> tensor<4x5xf64>
  return %4, %1#1 : tensor<4x5xf64>, tensor<6xi64>
}

// -----

// Of many, the begins of stretches come first, by a loop over the bits of their numbers.
// CHECK-LABEL: func.func @many
// CHECK: linalg.generic
// CHECK: scf.for
// CHECK: -> (tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>)
// CHECK: linalg.generic
// CHECK: -> tensor<4000xf64>
func.func @many(%state: tensor<5xi64>) -> tensor<4000xf64> {
  %0 = tensor.empty() : tensor<4000xf64>
  %1:2 = "weft.fill_random"(%state, %0) {algorithm = "pcg64dxsm", dtype = "float64", function = "uniform"} : (tensor<5xi64>, tensor<4000xf64>) -> (tensor<4000xf64>, tensor<5xi64>)
  return %1#0 : tensor<4000xf64>
}

// -----

// No numbers are drawn by nobody.
// CHECK-LABEL: func.func @none
// CHECK-SAME: (%[[STATE:.*]]: tensor<6xi64>)
// CHECK-NOT: linalg.generic
// CHECK: return %{{.*}}, %[[STATE]]
func.func @none(%state: tensor<6xi64>) -> (tensor<0xf64>, tensor<6xi64>) {
  %0 = tensor.empty() : tensor<0xf64>
  %1:2 = "weft.fill_random"(%state, %0) {algorithm = "pcg64", dtype = "float64", function = "uniform"} : (tensor<6xi64>, tensor<0xf64>) -> (tensor<0xf64>, tensor<6xi64>)
  return %1#0, %1#1 : tensor<0xf64>, tensor<6xi64>
}

// -----

// A Philox encrypts the place.
// CHECK-LABEL: func.func @philox
// CHECK-NOT: scf.for
// CHECK: linalg.generic
// CHECK: -> tensor<?xf32>
func.func @philox(%state: tensor<12xi64>, %n: index) -> tensor<?xf32> {
  %0 = tensor.empty(%n) : tensor<?xf32>
  %1:2 = "weft.fill_random"(%state, %0) {algorithm = "philox", dtype = "float32", function = "uniform"} : (tensor<12xi64>, tensor<?xf32>) -> (tensor<?xf32>, tensor<12xi64>)
  return %1#0 : tensor<?xf32>
}

// -----

// Permutations of many places: halves of words, where chunks of them begin, sorted pairs, and where each place comes from.
// CHECK-LABEL: func.func @permutations
// CHECK-NOT: weft.fill_random
// CHECK: -> tensor<384xi32>
// CHECK: scf.while
// CHECK: -> tensor<12xi64>
// CHECK: scf.condition
// CHECK: -> tensor<78xi64>
// CHECK: "weft.sort"(%{{.*}}) {axis = 1 : i64, descending = false, weft.sorted_bits = array<i64: 32, 38>} : (tensor<2x39xi64>) -> tensor<2x39xi64>
// CHECK: -> tensor<2x40xi64>
// CHECK: -> tensor<6xi64>
// CHECK-NOT: weft.raise_if
func.func @permutations(%state: tensor<6xi64>) -> (tensor<2x40xi64>, tensor<6xi64>) {
  %0 = tensor.empty() : tensor<2x40xi64>
  %1:2 = "weft.fill_random"(%state, %0) {algorithm = "pcg64", dtype = "int64", function = "permutation"} : (tensor<6xi64>, tensor<2x40xi64>) -> (tensor<2x40xi64>, tensor<6xi64>)
  return %1#0, %1#1 : tensor<2x40xi64>, tensor<6xi64>
}

// -----

// Of a number of places that the run tells, there may be too many.
// CHECK-LABEL: func.func @places_of_the_run
// CHECK-NOT: weft.fill_random
// CHECK: scf.if
// CHECK: "weft.raise_if"
// CHECK-SAME: error = "MemoryError"
// CHECK: "weft.sort"
func.func @places_of_the_run(%state: tensor<6xi64>, %n: index) -> tensor<1x?xi64> {
  %0 = tensor.empty(%n) : tensor<1x?xi64>
  %1:2 = "weft.fill_random"(%state, %0) {algorithm = "pcg64", dtype = "int64", function = "permutation"} : (tensor<6xi64>, tensor<1x?xi64>) -> (tensor<1x?xi64>, tensor<6xi64>)
  return %1#0 : tensor<1x?xi64>
}

// -----

// Numbers of a sample are sorted to find those that come again; then they are shuffled.
// CHECK-LABEL: func.func @sample
// CHECK-NOT: weft.fill_random
// CHECK: "weft.sort"
// CHECK: -> tensor<80xi64>
// CHECK: "weft.sort"
// CHECK: return
func.func @sample(%state: tensor<6xi64>, %n: index) -> tensor<80xi64> {
  %numbers = arith.constant dense<[1000, 1]> : tensor<2xi64>
  %asked = tensor.cast %numbers : tensor<2xi64> to tensor<?xi64>
  %0 = tensor.empty() : tensor<80xi64>
  %table = tensor.empty(%n) : tensor<?xi64>
  %1:2 = "weft.fill_random"(%state, %0, %asked, %table) {algorithm = "pcg64", dtype = "int64", function = "choice"} : (tensor<6xi64>, tensor<80xi64>, tensor<?xi64>, tensor<?xi64>) -> (tensor<80xi64>, tensor<6xi64>)
  return %1#0 : tensor<80xi64>
}

// -----

// One of a population of more than 2^32 takes words, and is the host's.
// CHECK-LABEL: func.func @large_population
// CHECK: weft.fill_random
// CHECK-NOT: linalg.generic
func.func @large_population(%state: tensor<6xi64>, %n: index) -> tensor<80xi64> {
  %numbers = arith.constant dense<[8589934592, 0]> : tensor<2xi64>
  %asked = tensor.cast %numbers : tensor<2xi64> to tensor<?xi64>
  %0 = tensor.empty() : tensor<80xi64>
  %table = tensor.empty(%n) : tensor<?xi64>
  %1:2 = "weft.fill_random"(%state, %0, %asked, %table) {algorithm = "pcg64", dtype = "int64", function = "choice"} : (tensor<6xi64>, tensor<80xi64>, tensor<?xi64>, tensor<?xi64>) -> (tensor<80xi64>, tensor<6xi64>)
  return %1#0 : tensor<80xi64>
}

// -----

// A short one is one loop, which hands on the place in the stream in memory.
// CHECK-LABEL: func.func @permutation
// CHECK-NOT: weft.fill_random
// CHECK: scf.for {{.*}} -> (tensor<1x9xi64>, tensor<2xi64>)
// CHECK: scf.while
// CHECK: linalg.generic
// CHECK: -> tensor<6xi64>
func.func @permutation(%state: tensor<6xi64>) -> (tensor<1x9xi64>, tensor<6xi64>) {
  %0 = tensor.empty() : tensor<1x9xi64>
  %1:2 = "weft.fill_random"(%state, %0) {algorithm = "pcg64", dtype = "int64", function = "permutation"} : (tensor<6xi64>, tensor<1x9xi64>) -> (tensor<1x9xi64>, tensor<6xi64>)
  return %1#0, %1#1 : tensor<1x9xi64>, tensor<6xi64>
}

// -----

// Normal numbers of float32 take halves of words.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: weft.fill_random
// CHECK: scf.while
// CHECK: arith.divf {{.*}} : f32
// CHECK: -> tensor<20xf32>
func.func @halves(%state: tensor<6xi64>) -> (tensor<20xf32>, tensor<6xi64>) {
  %0 = tensor.empty() : tensor<20xf32>
  %1:2 = "weft.fill_random"(%state, %0) {algorithm = "pcg64", dtype = "float32", function = "normal"} : (tensor<6xi64>, tensor<20xf32>) -> (tensor<20xf32>, tensor<6xi64>)
  return %1#0, %1#1 : tensor<20xf32>, tensor<6xi64>
}

// -----

// Integers of which there are a power of two are the upper bits of words, or of their halves.
// CHECK-LABEL: func.func @integers
// CHECK-NOT: weft.fill_random
// CHECK: %[[SHIFT:.*]] = arith.constant 24 : i64
// CHECK: arith.shrui %{{.*}}, %[[SHIFT]]
// CHECK: return
func.func @integers(%state: tensor<6xi64>) -> tensor<8xi64> {
  %low = arith.constant dense<3> : tensor<1xi64>
  %high = arith.constant dense<258> : tensor<1xi64>
  %0 = tensor.empty() : tensor<8xi64>
  %1:2 = "weft.fill_random"(%state, %0, %low, %high) {algorithm = "pcg64", dtype = "int64", function = "integers"} : (tensor<6xi64>, tensor<8xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<8xi64>, tensor<6xi64>)
  return %1#0 : tensor<8xi64>
}

// -----

// Others are drawn again where they fall on a rest: some more parts than numbers are looked at, those that are kept become
// one array with their places, and if they are too few, the rest is looked for one after the other.
// CHECK-LABEL: func.func @redrawn
// CHECK-NOT: weft.fill_random
// CHECK: linalg.generic
// CHECK: -> (tensor<356xi32>, tensor<356xi8>)
// CHECK: %[[KEPT:.*]]:3 = scf.for {{.*}} -> (tensor<356xi32>, tensor<356xi64>, index)
// CHECK: arith.index_castui
// CHECK: scf.while ({{.*}} = %[[KEPT]]#0, {{.*}} = %[[KEPT]]#1, {{.*}} = %[[KEPT]]#2,
// CHECK: linalg.generic
// CHECK: -> tensor<100xi64>
// CHECK: linalg.generic
// CHECK: -> tensor<6xi64>
func.func @redrawn(%state: tensor<6xi64>) -> (tensor<100xi64>, tensor<6xi64>) {
  %low = arith.constant dense<0> : tensor<1xi64>
  %high = arith.constant dense<999> : tensor<1xi64>
  %0 = tensor.empty() : tensor<100xi64>
  %1:2 = "weft.fill_random"(%state, %0, %low, %high) {algorithm = "pcg64", dtype = "int64", function = "integers"} : (tensor<6xi64>, tensor<100xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<100xi64>, tensor<6xi64>)
  return %1#0, %1#1 : tensor<100xi64>, tensor<6xi64>
}

// -----

// A few are drawn one after the other from the start.
// CHECK-LABEL: func.func @few_redrawn
// CHECK-NOT: weft.fill_random
// CHECK: scf.while
// CHECK: attributes {weft.expected_turns = 9 : i64}
// CHECK: -> tensor<8xi8>
func.func @few_redrawn(%state: tensor<6xi64>) -> tensor<8xi8> {
  %low = arith.constant dense<-3> : tensor<1xi8>
  %high = arith.constant dense<3> : tensor<1xi8>
  %0 = tensor.empty() : tensor<8xi8>
  %1:2 = "weft.fill_random"(%state, %0, %low, %high) {algorithm = "pcg64", dtype = "int8", function = "integers"} : (tensor<6xi64>, tensor<8xi8>, tensor<1xi8>, tensor<1xi8>) -> (tensor<8xi8>, tensor<6xi64>)
  return %1#0 : tensor<8xi8>
}

// -----

// Bytes share halves of words, and one integer takes nothing of the stream.
// CHECK-LABEL: func.func @bytes_and_one
// CHECK-SAME: (%[[STATE:.*]]: tensor<6xi64>)
// CHECK-NOT: scf.while
// CHECK: arith.constant 255 : i64
// CHECK-NOT: weft.fill_random
// CHECK: return
func.func @bytes_and_one(%state: tensor<6xi64>) -> (tensor<8xi8>, tensor<8xi64>, tensor<6xi64>) {
  %low = arith.constant dense<0> : tensor<1xi8>
  %high = arith.constant dense<-1> : tensor<1xi8>
  %one = arith.constant dense<7> : tensor<1xi64>
  %0 = tensor.empty() : tensor<8xi8>
  %1 = tensor.empty() : tensor<8xi64>
  %2:2 = "weft.fill_random"(%state, %0, %low, %high) {algorithm = "pcg64", dtype = "uint8", function = "integers"} : (tensor<6xi64>, tensor<8xi8>, tensor<1xi8>, tensor<1xi8>) -> (tensor<8xi8>, tensor<6xi64>)
  %3:2 = "weft.fill_random"(%2#1, %1, %one, %one) {algorithm = "pcg64", dtype = "int64", function = "integers"} : (tensor<6xi64>, tensor<8xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<8xi64>, tensor<6xi64>)
  return %2#0, %3#0, %3#1 : tensor<8xi8>, tensor<8xi64>, tensor<6xi64>
}

// -----

// Between bounds that the run tells, the run tells how many parts are looked at, too.
// CHECK-LABEL: func.func @unknown_bounds
// CHECK-NOT: weft.fill_random
// CHECK: arith.remui
// CHECK: -> (tensor<?xi64>, tensor<?xi8>)
// CHECK: -> tensor<80xi64>
func.func @unknown_bounds(%state: tensor<6xi64>, %bound: tensor<1xi64>) -> tensor<80xi64> {
  %low = arith.constant dense<0> : tensor<1xi64>
  %0 = tensor.empty() : tensor<80xi64>
  %1:2 = "weft.fill_random"(%state, %0, %low, %bound) {algorithm = "pcg64", dtype = "int64", function = "integers"} : (tensor<6xi64>, tensor<80xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<80xi64>, tensor<6xi64>)
  return %1#0 : tensor<80xi64>
}

// -----

// Bytes that each have bounds of their own share halves in turn: the host draws them.
// CHECK-LABEL: func.func @bytes_of_own_bounds
// CHECK: weft.fill_random
// CHECK-NOT: linalg.generic
func.func @bytes_of_own_bounds(%state: tensor<6xi64>, %low: tensor<8xi8>, %high: tensor<8xi8>) -> tensor<8xi8> {
  %0 = tensor.empty() : tensor<8xi8>
  %1:2 = "weft.fill_random"(%state, %0, %low, %high) {algorithm = "pcg64", dtype = "int8", function = "integers"} : (tensor<6xi64>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>) -> (tensor<8xi8>, tensor<6xi64>)
  return %1#0 : tensor<8xi8>
}
