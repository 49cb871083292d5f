// RUN: weft-opt %s --split-input-file --outline-kernels --plan-buffers | filecheck %s

// Kernels stay out of a loop around them. What it carries starts in the result's own buffer; the new value cannot be
// made there, because the kernel reads the old one, so it is made in other memory and the two change places.

// CHECK-LABEL: func.func @power
// CHECK:       memref.copy %arg0, %arg2
// CHECK:       %[[T:.*]] = memref.view %arg3
// CHECK:       %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[OLD:.*]] = %arg2, %[[NEW:.*]] = %[[T]])
// CHECK-NEXT:    func.call @kernel_0(%[[OLD]], %arg1, %[[NEW]])
// CHECK-NEXT:    scf.yield %[[NEW]], %[[OLD]]
// CHECK-NEXT:  }
// CHECK:       scf.if
// CHECK-NEXT:    memref.copy %[[R]]#0, %arg2
// CHECK-NEXT:  }
// CHECK-NEXT:  return
func.func @power(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%y = %x) -> (tensor<4x4xf32>) {
    %e = tensor.empty() : tensor<4x4xf32>
    %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %p = linalg.matmul ins(%y, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %p : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// Equal kernels are shared inside and outside of loops, and a value is made where the loop carries it if nobody
// reads what was there.

// CHECK-LABEL: func.func @shared
// CHECK:       call @kernel_0(%arg0, %arg2)
// CHECK:       scf.for
// CHECK:         %[[T:.*]] = memref.view
// CHECK:         func.call @kernel_0(%arg2, %[[T]])
// CHECK:         func.call @kernel_0(%[[T]], %arg2)
// CHECK-NOT:     memref.copy
// CHECK:       }
// CHECK-NOT:   @kernel_1
#id = affine_map<(i) -> (i)>
func.func @shared(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.extract %n[] : tensor<i64>
  %bound = arith.index_cast %k : i64 to index
  %e = tensor.empty() : tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %r = scf.for %i = %c0 to %bound step %c1 iter_args(%y = %s) -> (tensor<8xf32>) {
    %f = tensor.empty() : tensor<8xf32>
    %t = linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, #id], iterator_types = ["parallel"]}
        ins(%y : tensor<8xf32>) outs(%f : tensor<8xf32>) {
    ^bb0(%a: f32, %out: f32):
      linalg.yield %a : f32
    } -> tensor<8xf32>
    %u = linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, #id], iterator_types = ["parallel"]}
        ins(%t : tensor<8xf32>) outs(%f : tensor<8xf32>) {
    ^bb0(%a: f32, %out: f32):
      linalg.yield %a : f32
    } -> tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// A loop over numbers carries scalars, and a loop that only looks at elements is one kernel.

// CHECK-LABEL: func.func @dot
// CHECK:       %[[D:.*]] = call @kernel_0
// CHECK:       memref.store %[[D]], %arg2[]
// CHECK:       func.func private @kernel_0
// CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f64)
func.func @dot(%x: tensor<8xf64>, %y: tensor<8xf64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<f64>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (tensor<f64>) {
    %a = tensor.extract %x[%i] : tensor<8xf64>
    %b = tensor.extract %y[%i] : tensor<8xf64>
    %c = tensor.extract %s[] : tensor<f64>
    %p = arith.mulf %a, %b : f64
    %t = arith.addf %c, %p : f64
    %u = tensor.from_elements %t : tensor<f64>
    scf.yield %u : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// Both branches store to the result.

// CHECK-LABEL: func.func @branch
// CHECK:       scf.if
// CHECK:         func.call @kernel_0(%arg1, %arg2)
// CHECK:       } else {
// CHECK:         memref.copy %arg1, %arg2
// CHECK:       }
// CHECK-NEXT:  return
#id = affine_map<(i) -> (i)>
func.func @branch(%flag: tensor<i8>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0 : i8
  %byte = tensor.extract %flag[] : tensor<i8>
  %condition = arith.cmpi ne, %byte, %zero : i8
  %r = scf.if %condition -> (tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %out: f32):
      %s = arith.negf %a : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// A row that both sides of a branch change is another shape of the array that the loop carries: elements are stored
// to it, and nothing is copied. With elements alone, all of it is one kernel.

// CHECK-LABEL: func.func @row
// CHECK-NOT:   scf.for
// CHECK:       call @kernel_0(%arg0, %arg1)
// CHECK-NOT:   memref.copy
// CHECK:       func.func private @kernel_0
func.func @row(%x: tensor<8xf64>) -> tensor<1x8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<1x8xf64>
  %m = linalg.fill ins(%zero : f64) outs(%e : tensor<1x8xf64>) -> tensor<1x8xf64>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %m) -> (tensor<1x8xf64>) {
    %v = tensor.extract %x[%i] : tensor<8xf64>
    %c = arith.cmpf ogt, %v, %zero : f64
    %b = scf.if %c -> (tensor<1x8xf64>) {
      %row = tensor.collapse_shape %a [[0, 1]] : tensor<1x8xf64> into tensor<8xf64>
      %set = tensor.insert %v into %row[%i] : tensor<8xf64>
      %all = tensor.expand_shape %set [[0, 1]] output_shape [1, 8] : tensor<8xf64> into tensor<1x8xf64>
      scf.yield %all : tensor<1x8xf64>
    } else {
      %row = tensor.collapse_shape %a [[0, 1]] : tensor<1x8xf64> into tensor<8xf64>
      %set = tensor.insert %zero into %row[%i] : tensor<8xf64>
      %all = tensor.expand_shape %set [[0, 1]] output_shape [1, 8] : tensor<8xf64> into tensor<1x8xf64>
      scf.yield %all : tensor<1x8xf64>
    }
    scf.yield %b : tensor<1x8xf64>
  }
  return %r : tensor<1x8xf64>
}

// -----

// A sum keeps the loop around kernels.

// CHECK-LABEL: func.func @row_of_sums
// CHECK:       scf.for
// CHECK-NOT:     memref.copy
// CHECK:         scf.if
// CHECK-NOT:     memref.copy
// CHECK:         memref.store {{.*}} : memref<8xf64>
// CHECK-NOT:     memref.copy
// CHECK:       } else {
// CHECK-NOT:     memref.copy
// CHECK:         memref.store {{.*}} : memref<8xf64>
// CHECK-NOT:     memref.copy
// CHECK:       return
func.func @row_of_sums(%x: tensor<8xf64>) -> tensor<1x8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<1x8xf64>
  %m = linalg.fill ins(%zero : f64) outs(%e : tensor<1x8xf64>) -> tensor<1x8xf64>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %m) -> (tensor<1x8xf64>) {
    %v = tensor.extract %x[%i] : tensor<8xf64>
    %c = arith.cmpf ogt, %v, %zero : f64
    %b = scf.if %c -> (tensor<1x8xf64>) {
      %row = tensor.collapse_shape %a [[0, 1]] : tensor<1x8xf64> into tensor<8xf64>
      %set = tensor.insert %v into %row[%i] : tensor<8xf64>
      %all = tensor.expand_shape %set [[0, 1]] output_shape [1, 8] : tensor<8xf64> into tensor<1x8xf64>
      scf.yield %all : tensor<1x8xf64>
    } else {
      %slice = tensor.extract_slice %x[0] [%i] [1] : tensor<8xf64> to tensor<?xf64>
      %n = tensor.empty() : tensor<f64>
      %o = linalg.fill ins(%zero : f64) outs(%n : tensor<f64>) -> tensor<f64>
      %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
          ins(%slice : tensor<?xf64>) outs(%o : tensor<f64>) {
      ^bb0(%p: f64, %q: f64):
        %t = arith.addf %p, %q : f64
        linalg.yield %t : f64
      } -> tensor<f64>
      %sum = tensor.extract %s[] : tensor<f64>
      %row = tensor.collapse_shape %a [[0, 1]] : tensor<1x8xf64> into tensor<8xf64>
      %set = tensor.insert %sum into %row[%i] : tensor<8xf64>
      %all = tensor.expand_shape %set [[0, 1]] output_shape [1, 8] : tensor<8xf64> into tensor<1x8xf64>
      scf.yield %all : tensor<1x8xf64>
    }
    scf.yield %b : tensor<1x8xf64>
  }
  return %r : tensor<1x8xf64>
}

// -----

// Where sizes may be exchanged, the other shape does not take the place of the array.

// CHECK-LABEL: func.func @exchanged
// CHECK:       scf.for
// CHECK:       return
func.func @exchanged(%x: tensor<?x?xf64>, %n: tensor<i64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.extract %n[] : tensor<i64>
  %bound = arith.index_cast %k : i64 to index
  %p = tensor.dim %x, %c0 : tensor<?x?xf64>
  %q = tensor.dim %x, %c1 : tensor<?x?xf64>
  %r = scf.for %i = %c0 to %bound step %c1 iter_args(%a = %x) -> (tensor<?x?xf64>) {
    %zero = arith.constant 0.0 : f64
    %flat = tensor.collapse_shape %a [[0, 1]] : tensor<?x?xf64> into tensor<?xf64>
    %set = tensor.insert %zero into %flat[%i] : tensor<?xf64>
    %all = tensor.expand_shape %set [[0, 1]] output_shape [%q, %p] : tensor<?xf64> into tensor<?x?xf64>
    scf.yield %all : tensor<?x?xf64>
  }
  return %r : tensor<?x?xf64>
}

// -----

// Every update of an argument is stored before the error that may follow it, all in its own memory.

// CHECK-LABEL: func.func @stores
// CHECK-NOT:     memref.copy
// CHECK:         memref.store %{{.*}}, %arg0[%{{.*}}] : memref<8xf64>
// CHECK:         func.call @weft_exit()
// CHECK:         memref.store %{{.*}}, %arg0[%{{.*}}] : memref<8xf64>
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @stores(%m: memref<8xf64>, %failed: tensor<i8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c7 step %c1 {
    %x = bufferization.to_tensor %m restrict writable : memref<8xf64> to tensor<8xf64>
    %j = arith.addi %i, %c1 : index
    %a = tensor.extract %x[%i] : tensor<8xf64>
    %b = tensor.extract %x[%j] : tensor<8xf64>
    %y = tensor.insert %b into %x[%i] : tensor<8xf64>
    bufferization.materialize_in_destination %y in restrict writable %m : (tensor<8xf64>, memref<8xf64>) -> ()
    "weft.raise_if"(%failed) {error = "ValueError", message = "no"} : (tensor<i8>) -> ()
    %z = tensor.insert %a into %y[%j] : tensor<8xf64>
    bufferization.materialize_in_destination %z in restrict writable %m : (tensor<8xf64>, memref<8xf64>) -> ()
  }
  return
}

// -----

// What grows lies in heap blocks: the new value is made in another block, and the two change places. The size is
// carried, too, and the result is the block that the caller gets.

// CHECK-LABEL: func.func @append
// CHECK-SAME:  %arg2: memref<?xmemref<?xi8>>, %arg3: index, {{.*}}, %arg6: memref<?xmemref<?xi8>>, %arg7: memref<?xindex>
// CHECK:       call @weft_reserve(%arg6, %[[A:.*]], %{{.*}})
// CHECK:       %[[SIZE:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (index)
// CHECK:         func.call @weft_reserve(%arg6, %[[B:.*]], %{{.*}})
// CHECK:         func.call @kernel_0
// CHECK-NOT:     memref.copy
// CHECK:         %[[NEW:.*]] = memref.load %arg6[%[[B]]]
// CHECK-NEXT:    %[[OLD:.*]] = memref.load %arg6[%[[A]]]
// CHECK-NEXT:    memref.store %[[OLD]], %arg6[%[[B]]]
// CHECK-NEXT:    memref.store %[[NEW]], %arg6[%[[A]]]
// CHECK-NEXT:    scf.yield
// CHECK-NOT:   memref.copy
// CHECK:       memref.store %[[SIZE]], %arg7
func.func @append(%x: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  %k = tensor.extract %n[] : tensor<i64>
  %bound = arith.index_cast %k : i64 to index
  %r = scf.for %i = %c0 to %bound step %c1 iter_args(%y = %x) -> (tensor<?xf64>) {
    %m = tensor.dim %y, %c0 : tensor<?xf64>
    %m1 = arith.addi %m, %c1 : index
    %e = tensor.empty(%m1) : tensor<?xf64>
    %a = tensor.insert_slice %y into %e[0] [%m] [1] : tensor<?xf64> into tensor<?xf64>
    %b = tensor.insert %v into %a[%m] : tensor<?xf64>
    scf.yield %b : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// What grows now and then stays in its block otherwise: only the side that grows it makes another one, and exchanges them.

// CHECK-LABEL: func.func @append_sometimes
// CHECK:       scf.for {{.*}} -> (index)
// CHECK:         scf.if {{.*}} -> (index) {
// CHECK:           func.call @kernel_0
// CHECK:           memref.store %{{.*}}, %arg7[
// CHECK-NEXT:      memref.store %{{.*}}, %arg7[
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield
// CHECK-NOT:     memref.copy
// CHECK:       return
func.func @append_sometimes(%x: tensor<?xf64>, %n: tensor<i64>, %c: tensor<i1>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  %k = tensor.extract %n[] : tensor<i64>
  %grows = tensor.extract %c[] : tensor<i1>
  %bound = arith.index_cast %k : i64 to index
  %r = scf.for %i = %c0 to %bound step %c1 iter_args(%y = %x) -> (tensor<?xf64>) {
    %z = scf.if %grows -> (tensor<?xf64>) {
      %m = tensor.dim %y, %c0 : tensor<?xf64>
      %m1 = arith.addi %m, %c1 : index
      %e = tensor.empty(%m1) : tensor<?xf64>
      %a = tensor.insert_slice %y into %e[0] [%m] [1] : tensor<?xf64> into tensor<?xf64>
      %b = tensor.insert %v into %a[%m] : tensor<?xf64>
      scf.yield %b : tensor<?xf64>
    } else {
      scf.yield %y : tensor<?xf64>
    }
    scf.yield %z : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// So it does where the other side updates it: that is in place, as in a dict of counts.

// CHECK-LABEL: func.func @update_or_append
// CHECK:       scf.for {{.*}} -> (index)
// CHECK:         scf.if {{.*}} -> (index) {
// CHECK:           func.call @kernel_0
// CHECK:         } else {
// CHECK-NOT:     weft_reserve
// CHECK-NOT:     memref.copy
// CHECK:           memref.store
// CHECK-NOT:     weft_reserve
// CHECK-NOT:     memref.copy
// CHECK:       return
func.func @update_or_append(%x: tensor<?xf64>, %n: tensor<i64>, %c: tensor<i1>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f64
  %k = tensor.extract %n[] : tensor<i64>
  %grows = tensor.extract %c[] : tensor<i1>
  %bound = arith.index_cast %k : i64 to index
  %r = scf.for %i = %c0 to %bound step %c1 iter_args(%y = %x) -> (tensor<?xf64>) {
    %z = scf.if %grows -> (tensor<?xf64>) {
      %m = tensor.dim %y, %c0 : tensor<?xf64>
      %m1 = arith.addi %m, %c1 : index
      %e = tensor.empty(%m1) : tensor<?xf64>
      %a = tensor.insert_slice %y into %e[0] [%m] [1] : tensor<?xf64> into tensor<?xf64>
      %b = tensor.insert %v into %a[%m] : tensor<?xf64>
      scf.yield %b : tensor<?xf64>
    } else {
      %b = tensor.insert %v into %y[%c0] : tensor<?xf64>
      scf.yield %b : tensor<?xf64>
    }
    scf.yield %z : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// A size that is the same after every iteration is known before the loop: no heap block.

// CHECK-LABEL: func.func @fixed
// CHECK-NOT:   weft_reserve
// CHECK-NOT:   -> (index)
func.func @fixed(%x: tensor<?xf64>, %n: tensor<i64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.extract %n[] : tensor<i64>
  %bound = arith.index_cast %k : i64 to index
  %r = scf.for %i = %c0 to %bound step %c1 iter_args(%y = %x) -> (tensor<?xf64>) {
    %m = tensor.dim %y, %c0 : tensor<?xf64>
    %e = tensor.empty(%m) : tensor<?xf64>
    %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%y : tensor<?xf64>) outs(%e : tensor<?xf64>) {
    ^bb0(%in: f64, %out: f64):
      %s = arith.negf %in : f64
      linalg.yield %s : f64
    } -> tensor<?xf64>
    scf.yield %a : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// Branches of different lengths: the result's block gets the one or the other, and its size is a result, too.

// CHECK-LABEL: func.func @lengths
// CHECK:       %[[N:.*]] = scf.if %{{.*}} -> (index)
// CHECK:         func.call @weft_reserve(%arg3
// CHECK:         scf.yield %[[TWO:.*]] : index
// CHECK:       } else {
// CHECK:         func.call @weft_reserve(%arg3
// CHECK:         scf.yield %[[THREE:.*]] : index
// CHECK:       memref.store %[[N]], %arg7
func.func @lengths(%flag: tensor<i8>, %x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : i8
  %byte = tensor.extract %flag[] : tensor<i8>
  %condition = arith.cmpi ne, %byte, %zero : i8
  %r = scf.if %condition -> (tensor<?xf32>) {
    %a = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    %b = tensor.cast %y : tensor<3xf32> to tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// The rest of an array that is known, from a place that a loop tells: it has a slot as large as the array, and of that
// a view as long as it is.

// CHECK-LABEL: func.func @rests
// CHECK-SAME:  %[[WORKSPACE:arg[0-9]+]]: memref<576xi8>
// CHECK-NOT:   weft_reserve
// CHECK:       scf.for
// CHECK:         %[[SLOT:.*]] = memref.view %[[WORKSPACE]]{{.*}} to memref<512xi8>
// CHECK:         memref.view %[[SLOT]]{{.*}}[%{{.*}}] : memref<512xi8> to memref<?xf64>
// CHECK:       return
func.func @rests(%x: tensor<64xf64>, %n: tensor<i64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  %k = tensor.extract %n[] : tensor<i64>
  %bound = arith.index_cast %k : i64 to index
  %total = tensor.from_elements %zero : tensor<f64>
  %r = scf.for %i = %c0 to %bound step %c1 iter_args(%y = %total) -> (tensor<f64>) {
    %least = arith.minsi %i, %c64 : index
    %from = arith.maxsi %least, %c0 : index
    %left = arith.subi %c64, %from : index
    %part = tensor.extract_slice %x[%from] [%left] [1] : tensor<64xf64> to tensor<?xf64>
    %e = tensor.empty(%left) : tensor<?xf64>
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%part : tensor<?xf64>) outs(%e : tensor<?xf64>) {
    ^bb0(%in: f64, %out: f64):
      %q = math.sqrt %in : f64
      linalg.yield %q : f64
    } -> tensor<?xf64>
    %once = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%s : tensor<?xf64>) outs(%y : tensor<f64>) {
    ^bb0(%in: f64, %out: f64):
      %sum = arith.addf %in, %out : f64
      linalg.yield %sum : f64
    } -> tensor<f64>
    %again = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%s : tensor<?xf64>) outs(%once : tensor<f64>) {
    ^bb0(%in: f64, %out: f64):
      %most = arith.maximumf %in, %out : f64
      linalg.yield %most : f64
    } -> tensor<f64>
    scf.yield %again : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// Of a large array, what is left of it may be small: a block that grows.

// CHECK-LABEL: func.func @rests_of_much
// CHECK:       scf.for
// CHECK:         func.call @weft_reserve
func.func @rests_of_much(%x: tensor<100000xf64>, %n: tensor<i64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = arith.constant 100000 : index
  %zero = arith.constant 0.0 : f64
  %k = tensor.extract %n[] : tensor<i64>
  %bound = arith.index_cast %k : i64 to index
  %total = tensor.from_elements %zero : tensor<f64>
  %r = scf.for %i = %c0 to %bound step %c1 iter_args(%y = %total) -> (tensor<f64>) {
    %least = arith.minsi %i, %most : index
    %from = arith.maxsi %least, %c0 : index
    %left = arith.subi %most, %from : index
    %part = tensor.extract_slice %x[%from] [%left] [1] : tensor<100000xf64> to tensor<?xf64>
    %e = tensor.empty(%left) : tensor<?xf64>
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%part : tensor<?xf64>) outs(%e : tensor<?xf64>) {
    ^bb0(%in: f64, %out: f64):
      %q = math.sqrt %in : f64
      linalg.yield %q : f64
    } -> tensor<?xf64>
    %once = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%s : tensor<?xf64>) outs(%y : tensor<f64>) {
    ^bb0(%in: f64, %out: f64):
      %sum = arith.addf %in, %out : f64
      linalg.yield %sum : f64
    } -> tensor<f64>
    %again = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%s : tensor<?xf64>) outs(%once : tensor<f64>) {
    ^bb0(%in: f64, %out: f64):
      %largest = arith.maximumf %in, %out : f64
      linalg.yield %largest : f64
    } -> tensor<f64>
    scf.yield %again : tensor<f64>
  }
  return %r : tensor<f64>
}
