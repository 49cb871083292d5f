// RUN: weft-opt %s --join-sums --split-input-file | filecheck %s
// RUN: weft-opt %s --join-sums=widened=false --split-input-file | filecheck %s --check-prefix=ALONE

#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#number = affine_map<(i) -> (i)>

// Two sums of the columns of one array are one nest, each with its own fill; so is what is made of both.
// CHECK-LABEL: func.func @both
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: %[[G:.*]] = linalg.fill
// CHECK: %[[S:.*]]:2 = linalg.generic {{.*}} ins(%arg0 : tensor<8x16xf32>) outs(%[[F]], %[[G]] :
// CHECK: ^bb0(%[[X:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK: %[[C:.*]] = arith.addf %[[A]], %[[X]]
// CHECK: %[[Q:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK: %[[D:.*]] = arith.addf %[[B]], %[[Q]]
// CHECK: linalg.yield %[[C]], %[[D]]
// CHECK: %[[M:.*]]:2 = linalg.generic {{.*}} ins(%[[S]]#0, %[[S]]#1 :
// CHECK-NOT: linalg.generic
// CHECK: return %[[M]]#0, %[[M]]#1
func.func @both(%x: tensor<8x16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#whole, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %mean = linalg.generic {indexing_maps = [#number, #number], iterator_types = ["parallel"]} ins(%sum : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.sqrt %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %squares = linalg.generic {indexing_maps = [#whole, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %root = linalg.generic {indexing_maps = [#number, #number], iterator_types = ["parallel"]} ins(%squares : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %mean, %root : tensor<16xf32>, tensor<16xf32>
}

// -----

// The second one reads what is made of the first; another array is summed; rows are gone over again; no sum at all.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-5: linalg.generic
// CHECK: return
func.func @apart(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %ce = tensor.empty() : tensor<16xf32>
  %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<16xf32>) -> tensor<16xf32>
  %w = tensor.empty() : tensor<8x16xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %centred = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<8x16xf32>, tensor<8xf32>) outs(%w : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  %largest = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %first = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%y : tensor<8x16xf32>) outs(%cf : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %second = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%y, %first : tensor<8x16xf32>, tensor<16xf32>) outs(%cf : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %s = arith.addf %o, %d : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %sum, %largest, %centred, %first, %second : tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>
}

// -----

// Rows are gone over again behind what is made of both numbers of each: one kernel reads the row once.
// CHECK-LABEL: func.func @gone_over_again
// CHECK-COUNT-4: linalg.generic
// CHECK: return
func.func @gone_over_again(%x: tensor<8x16xf64>) -> tensor<8x16xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
  %w = tensor.empty() : tensor<8x16xf64>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf64>) outs(%f : tensor<8xf64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.addf %o, %a : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  %largest = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf64>) outs(%f : tensor<8xf64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.maximumf %o, %a : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  %both = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%sum, %largest : tensor<8xf64>, tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %s = arith.subf %a, %b : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %both : tensor<8x16xf64>, tensor<8xf64>) outs(%w : tensor<8x16xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %s = arith.mulf %a, %b : f64
    linalg.yield %s : f64
  } -> tensor<8x16xf64>
  return %scaled : tensor<8x16xf64>
}

// -----

// A sum of f32 in f64 is joined, or left alone with the code that vectors have for it.
// CHECK-LABEL: func.func @rounded
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// ALONE-LABEL: func.func @rounded
// ALONE-COUNT-2: linalg.generic
func.func @rounded(%x: tensor<64xf32>) -> (tensor<f64>, tensor<f32>) {
  %zero = arith.constant 0.0 : f64
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %g = tensor.empty() : tensor<f32>
  %h = linalg.fill ins(%low : f32) outs(%g : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<64xf32>) outs(%f : tensor<f64>) {
  ^bb0(%a: f32, %o: f64):
    %b = arith.extf %a : f32 to f64
    %s = arith.addf %o, %b {weft.rounded} : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  %largest = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<64xf32>) outs(%h : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %sum, %largest : tensor<f64>, tensor<f32>
}

// -----

// What a body looks up has to be there, too: the table is made later than the first sum.
// CHECK-LABEL: func.func @looked_up
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<8xf32>)
// CHECK: %[[T:.*]] = tensor.from_elements
// CHECK: linalg.generic
// CHECK: tensor.extract %[[T]]
func.func @looked_up(%x: tensor<8xf32>, %y: f32) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %t = tensor.from_elements %y, %zero : tensor<2xf32>
  %other = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %zero_index = arith.constant 0 : index
    %n = tensor.extract %t[%zero_index] : tensor<2xf32>
    %q = arith.mulf %a, %n : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %sum, %other : tensor<f32>, tensor<f32>
}

// -----

#whole = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>

// What is in memory stays as it is: another op may write between the two.
// CHECK-LABEL: func.func @in_memory
// CHECK-COUNT-2: linalg.generic
// ALONE-LABEL: func.func @in_memory
func.func @in_memory(%x: memref<8xf64>, %sum: memref<f64>, %most: memref<f64>) {
  linalg.generic {indexing_maps = [#whole, #all], iterator_types = ["reduction"]} ins(%x : memref<8xf64>) outs(%sum : memref<f64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.addf %out, %in : f64
    linalg.yield %s : f64
  }
  linalg.generic {indexing_maps = [#whole, #all], iterator_types = ["reduction"]} ins(%x : memref<8xf64>) outs(%most : memref<f64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.maximumf %out, %in : f64
    linalg.yield %s : f64
  }
  return
}

// -----

// A sum of what indices name is not brought before their check where there may be nothing to read, else it is.
// CHECK-LABEL: func.func @behind_a_check
// CHECK: linalg.generic
// CHECK: "weft.raise_if"
// CHECK: linalg.generic
// CHECK-LABEL: func.func @never_empty
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: "weft.raise_if"
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @behind_a_check(%x: tensor<?xf32>, %a: tensor<8xindex>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant false
  %c = tensor.empty() : tensor<i1>
  %d = linalg.fill ins(%none : i1) outs(%c : tensor<i1>) -> tensor<i1>
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %place = arith.constant 0 : index
  %wrong = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a : tensor<8xindex>) outs(%d : tensor<i1>) {
  ^bb0(%i: index, %o: i1):
    %n = arith.cmpi slt, %i, %place : index
    %s = arith.ori %o, %n : i1
    linalg.yield %s : i1
  } -> tensor<i1>
  "weft.raise_if"(%wrong) {error = "IndexError", message = "outside"} : (tensor<i1>) -> ()
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a : tensor<8xindex>) outs(%f : tensor<f32>) {
  ^bb0(%i: index, %o: f32):
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
func.func @never_empty(%x: tensor<9xf32>, %a: tensor<8xindex>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant false
  %c = tensor.empty() : tensor<i1>
  %d = linalg.fill ins(%none : i1) outs(%c : tensor<i1>) -> tensor<i1>
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %place = arith.constant 0 : index
  %wrong = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a : tensor<8xindex>) outs(%d : tensor<i1>) {
  ^bb0(%i: index, %o: i1):
    %n = arith.cmpi slt, %i, %place : index
    %s = arith.ori %o, %n : i1
    linalg.yield %s : i1
  } -> tensor<i1>
  "weft.raise_if"(%wrong) {error = "IndexError", message = "outside"} : (tensor<i1>) -> ()
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a : tensor<8xindex>) outs(%f : tensor<f32>) {
  ^bb0(%i: index, %o: f32):
    %v = tensor.extract %x[%i] : tensor<9xf32>
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
