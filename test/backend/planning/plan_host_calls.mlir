// RUN: weft-opt %s --split-input-file --outline-kernels --plan-buffers | filecheck %s

// A call of Python stands between kernels: it gets the addresses, and the sizes that the type does not tell, in words
// on the stack. The record says that it failed until it sets it back.

// CHECK-LABEL: func.func @straight
// CHECK-SAME:  %[[X:.*]]: memref<?x3xf32>, %[[R:.*]]: memref<2xf32>, %{{.*}}: memref<0xi8>, %[[RECORD:.*]]: memref<20xi64>
// CHECK-DAG:   %[[WORDS:.*]] = memref.alloca() : memref<3xi64>
// CHECK-DAG:   %[[SIZE:.*]] = memref.dim %[[X]]
// CHECK:       memref.extract_aligned_pointer_as_index %[[X]]
// CHECK:       memref.store %{{.*}}, %[[WORDS]]
// CHECK:       arith.index_cast %[[SIZE]]
// CHECK:       memref.store %{{.*}}, %[[WORDS]]
// CHECK:       memref.extract_aligned_pointer_as_index %[[R]]
// CHECK:       memref.store %{{.*}}, %[[WORDS]]
// CHECK:       memref.store %{{.*}}, %[[RECORD]]
// CHECK:       call @weft_host_call(%{{.*}}, %{{.*}}) : (i64, i64) -> ()
// CHECK:       memref.load %[[RECORD]]
// CHECK:       call @weft_exit()
// CHECK-NOT:   @host.0
func.func private @host.0(tensor<?x3xf32>) -> tensor<2xf32>
func.func @straight(%x: tensor<?x3xf32>) -> tensor<2xf32> {
  %r = func.call @host.0(%x) : (tensor<?x3xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// A loop that calls Python is no kernel, although it works on single elements.

// CHECK-LABEL: func.func @loop
// CHECK:       scf.for
// CHECK:         func.call @weft_host_call
// CHECK-NOT:   @kernel_
func.func private @host.0(tensor<i64>)
func.func @loop(%count: tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %count[] : tensor<i64>
  %n = arith.index_cast %e : i64 to index
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i64
    %t = tensor.from_elements %k : tensor<i64>
    func.call @host.0(%t) : (tensor<i64>) -> ()
  }
  return
}

// -----

// A branch without any operands is kept for what it calls.

// CHECK-LABEL: func.func @branch
// CHECK:       scf.if
// CHECK:         func.call @weft_host_call
// CHECK-NOT:   @kernel_
func.func private @host.0()
func.func @branch(%c: tensor<i8>) {
  %zero = arith.constant 0 : i8
  %e = tensor.extract %c[] : tensor<i8>
  %b = arith.cmpi ne, %e, %zero : i8
  scf.if %b {
    func.call @host.0() : () -> ()
  }
  return
}

// -----

// An argument is not written before Python was called, which may raise.

// CHECK-LABEL: func.func @write_after
// CHECK:       call @weft_host_call
// CHECK:       call @kernel_0(%arg1, %arg0)
#id = affine_map<(i) -> (i)>
func.func private @host.0()
func.func @write_after(%m: memref<4xf32>, %x: tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  func.call @host.0() : () -> ()
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  bufferization.materialize_in_destination %y in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// The last operands say the sizes of results that types do not tell: their block is made large enough before the call.

// CHECK-LABEL: func.func @any_size
// CHECK:       call @weft_host_call
// CHECK:       %[[COUNT:.*]] = memref.load %{{.*}}[] : memref<i64>
// CHECK:       %[[SIZE:.*]] = arith.index_cast %[[COUNT]] : i64 to index
// CHECK:       call @weft_reserve
// CHECK:       memref.view %{{.*}}[%{{.*}}][%[[SIZE]]]
// CHECK:       call @weft_host_call
func.func private @host.0(tensor<3xf64>) -> tensor<i64>
func.func private @host.1(tensor<i64>) -> tensor<?xf64>
func.func @any_size(%x: tensor<3xf64>) -> tensor<?xf64> {
  %n = func.call @host.0(%x) : (tensor<3xf64>) -> tensor<i64>
  %r = func.call @host.1(%n) : (tensor<i64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// What only raises an exception ends the call, whatever the record says.

// CHECK-LABEL: func.func @raising
// CHECK:       scf.if
// CHECK:         func.call @weft_host_call
// CHECK-NEXT:    func.call @weft_exit
// CHECK:       call @weft_host_call
// CHECK-NOT:   weft_exit
// CHECK:       memref.load
// CHECK:       scf.if
func.func private @host.0() attributes {weft.python = "raise"}
func.func private @host.1() attributes {weft.python = "print"}
func.func @raising(%c: tensor<i8>) {
  %zero = arith.constant 0 : i8
  %e = tensor.extract %c[] : tensor<i8>
  %p = arith.cmpi ne, %e, %zero : i8
  scf.if %p {
    func.call @host.0() : () -> ()
  }
  func.call @host.1() : () -> ()
  return
}

// -----

// What the backend can do natively is called without a record: it never fails.

// CHECK-LABEL: func.func @native
// CHECK:       %[[WORDS:.*]] = memref.alloca() : memref<2xi64>
// CHECK:       memref.extract_aligned_pointer_as_index %[[WORDS]]
// CHECK:       call @weft_twister_uniform_float64(%{{.*}}) : (i64) -> i64
// CHECK-NOT:   @weft_host_call
// CHECK-NOT:   @weft_exit
func.func private @host.0(tensor<i64>) -> tensor<2xf64> attributes {weft.native = "weft_twister_uniform_float64"}
func.func @native(%x: tensor<i64>) -> tensor<2xf64> {
  %r = func.call @host.0(%x) : (tensor<i64>) -> tensor<2xf64>
  return %r : tensor<2xf64>
}

// -----

// Collectives go to the backend first, and to Python where that says so.
// CHECK-LABEL: func.func @together
// CHECK:       %[[STATUS:.*]] = {{(func\.)?}}call @weft_collective(%{{.*}}) : (i64) -> i64
// CHECK:       %[[LEFT:.*]] = arith.cmpi ne, %[[STATUS]]
// CHECK:       scf.if %[[LEFT]] {
// CHECK:         call @weft_host_call
// CHECK:         call @weft_exit
func.func private @host.1048576(tensor<i64>, tensor<2xf64>) -> tensor<2xf64> attributes {weft.native = "weft_collective"}
func.func @together(%n: tensor<i64>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %r = func.call @host.1048576(%n, %x) : (tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
  return %r : tensor<2xf64>
}
