// RUN: weft-opt %s --join-attention --split-input-file | filecheck %s
// RUN: weft-opt %s --join-attention --outline-kernels --split-input-file | filecheck %s --check-prefix=KERNELS

// All but the last product join the kernel of those who use them.
// KERNELS-LABEL: func.func @attention
// KERNELS-COUNT-1: call @kernel
// KERNELS-NOT: call @kernel
// CHECK-LABEL: func.func @attention
// CHECK: linalg.contract {{.*}}weft.joins
// CHECK-COUNT-5: weft.joins
// CHECK-NOT: weft.joins
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @attention(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x8xf32>, tensor<16x8xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = arith.subf %s, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %shares = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %total : tensor<16x16xf32>, tensor<16xf64>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%shares, %v : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %out : tensor<16x8xf32>
}

// -----

// Values are read as the halves that they are.
// CHECK-LABEL: func.func @of_bfloats
// CHECK-COUNT-6: weft.joins
// CHECK: linalg.contract {{.*}} : tensor<16x16xf32>, tensor<16x8xbf16>)
// KERNELS-LABEL: func.func @of_bfloats
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @of_bfloats(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xbf16>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x8xf32>, tensor<16x8xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = arith.subf %s, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %shares = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %total : tensor<16x16xf32>, tensor<16xf64>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x8xf32>
  %w = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<16x8xbf16>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<16x8xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%shares, %w : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %out : tensor<16x8xf32>
}

// -----

// Scores that somebody else asks for are in memory anyway.
// CHECK-LABEL: func.func @scores_are_asked_for
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @scores_are_asked_for
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @scores_are_asked_for(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x8xf32>, tensor<16x8xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = arith.subf %s, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %shares = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %total : tensor<16x16xf32>, tensor<16xf64>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%shares, %v : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %out, %scaled : tensor<16x8xf32>, tensor<16x16xf32>
}

// -----

// Shares of columns, and not of rows.
// CHECK-LABEL: func.func @of_columns
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @of_columns
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @of_columns(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x8xf32>, tensor<16x8xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, affine_map<(i, j) -> (j)>, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = arith.subf %s, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %shares = linalg.generic {indexing_maps = [#both, affine_map<(i, j) -> (j)>, #both], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %total : tensor<16x16xf32>, tensor<16xf64>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%shares, %v : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %out : tensor<16x8xf32>
}

// -----

// Exponentials that may be infinite stay so.
// CHECK-LABEL: func.func @nothing_is_subtracted
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @nothing_is_subtracted
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @nothing_is_subtracted(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x8xf32>, tensor<16x8xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = math.exp %s : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %shares = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %total : tensor<16x16xf32>, tensor<16xf64>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%shares, %v : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %out : tensor<16x8xf32>
}

// -----

// The largest number may be one that is no score.
// CHECK-LABEL: func.func @largest_of_more
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @largest_of_more
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @largest_of_more(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x8xf32>, tensor<16x8xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = arith.subf %s, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %shares = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %total : tensor<16x16xf32>, tensor<16xf64>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%shares, %v : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %out : tensor<16x8xf32>
}

// -----

// The sum has more than the weights.
// CHECK-LABEL: func.func @total_of_more
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @total_of_more
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @total_of_more(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 1.0 : f64
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x8xf32>, tensor<16x8xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = arith.subf %s, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %shares = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %total : tensor<16x16xf32>, tensor<16xf64>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%shares, %v : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %out : tensor<16x8xf32>
}

// -----

// Rows too long for threads.
// CHECK-LABEL: func.func @many_columns
// CHECK-NOT: weft.joins
// KERNELS-LABEL: func.func @many_columns
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @many_columns(%q: tensor<16x400xf32>, %k: tensor<16x400xf32>, %v: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x400xf32>, tensor<16x400xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = arith.subf %s, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %shares = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%weights, %total : tensor<16x16xf32>, tensor<16xf64>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%shares, %v : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %out : tensor<16x8xf32>
}

// -----

// What is divided behind the product is divided before it.
// CHECK-LABEL: func.func @divided_behind
// CHECK-COUNT-6: weft.joins
// CHECK: %[[OUT:.*]] = linalg.contract {{.*}} ins(%[[SHARES:.*]], %
// CHECK-NOT: linalg.generic
// CHECK: return %[[OUT]]
// KERNELS-LABEL: func.func @divided_behind
// KERNELS-COUNT-1: call @kernel
// KERNELS-NOT: call @kernel
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @divided_behind(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x8xf32>, tensor<16x8xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = arith.subf %s, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%weights, %v : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %end = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%out, %total : tensor<16x8xf32>, tensor<16xf64>) outs(%3 : tensor<16x8xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x8xf32>
  return %end : tensor<16x8xf32>
}

// -----

// Not where the product is asked for as it is.
// CHECK-LABEL: func.func @product_is_asked_for
// CHECK-NOT: weft.joins
// CHECK: arith.divf
// KERNELS-LABEL: func.func @product_is_asked_for
#iz = affine_map<(i, j, k) -> (i, k)>
#jz = affine_map<(i, j, k) -> (j, k)>
#zj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @product_is_asked_for(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %v: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f64
  %least = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %0 = tensor.empty() : tensor<16x16xf32>
  %00 = linalg.fill ins(%zero : f32) outs(%0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scores = linalg.contract indexing_maps = [#iz, #jz, #ij]
      ins(%q, %k : tensor<16x8xf32>, tensor<16x8xf32>) outs(%00 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16xf32>
  %rows = tensor.empty() : tensor<16xf32>
  %leasts = linalg.fill ins(%least : f32) outs(%rows : tensor<16xf32>) -> tensor<16xf32>
  %largest = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<16x16xf32>) outs(%leasts : tensor<16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %weights = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %largest : tensor<16x16xf32>, tensor<16xf32>) outs(%0 : tensor<16x16xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %1 = arith.subf %s, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %out = linalg.contract indexing_maps = [#iz, #zj, #ij]
      ins(%weights, %v : tensor<16x16xf32>, tensor<16x8xf32>) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %wide = tensor.empty() : tensor<16xf64>
  %nones = linalg.fill ins(%none : f64) outs(%wide : tensor<16xf64>) -> tensor<16xf64>
  %total = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%weights : tensor<16x16xf32>) outs(%nones : tensor<16xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<16xf64>
  %end = linalg.generic {indexing_maps = [#both, #row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%out, %total : tensor<16x8xf32>, tensor<16xf64>) outs(%3 : tensor<16x8xf32>) {
  ^bb0(%x: f32, %t: f64, %o: f32):
    %1 = arith.truncf %t : f64 to f32
    %2 = arith.divf %x, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x8xf32>
  return %end, %out : tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// What divides is a number, and no sums of rows.
// CHECK-LABEL: func.func @number
// CHECK-NOT: weft.joins
#both = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> ()>
#none = affine_map<() -> ()>
func.func @number(%x: tensor<16x8xf32>, %s: tensor<f32>) -> tensor<16x8xf32> {
  %0 = tensor.empty() : tensor<16x8xf32>
  %1 = tensor.empty() : tensor<f32>
  %doubled = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x8xf32>) outs(%0 : tensor<16x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.addf %a, %a : f32
    linalg.yield %2 : f32
  } -> tensor<16x8xf32>
  %number = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%s : tensor<f32>) outs(%1 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.addf %a, %a : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  %quotient = linalg.generic {indexing_maps = [#both, #one, #both], iterator_types = ["parallel", "parallel"]}
      ins(%doubled, %number : tensor<16x8xf32>, tensor<f32>) outs(%0 : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %2 = arith.divf %a, %b : f32
    linalg.yield %2 : f32
  } -> tensor<16x8xf32>
  return %quotient : tensor<16x8xf32>
}
