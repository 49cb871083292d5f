// RUN: weft-opt %s --join-loops --split-input-file | filecheck %s

// Two kernels an iteration, and two arrays that take each other's place: one kernel. The host follows the loop to know
// which of the two has the result, and still looks for interrupts there.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: memref<64xf64>, %[[N:.*]]: index, %[[Y:.*]]: memref<64xf64>, %{{.*}}: memref<0xi8>, %{{.*}}: memref<20xi64>)
// CHECK: call @[[JOINED:kernel_[0-9]+]](%[[N]], %[[X]], %[[Y]])
// CHECK: %[[ENDS:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]], %[[B:.*]] = %[[Y]])
// CHECK: func.call @weft_poll
// CHECK-NOT: func.call @kernel
// CHECK: scf.yield %[[B]], %[[A]]
// CHECK: memref.extract_aligned_pointer_as_index %[[ENDS]]#0
// CHECK: func.func private @[[JOINED]](%{{.*}}: index, %{{.*}}: memref<64xf64>, %{{.*}}: memref<64xf64>)
// CHECK-SAME: weft.accesses = ["", "rw", "rw"], weft.reason = "one block does the whole loop
// CHECK-SAME: weft.side = "device"
// CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}, %[[NEW:.*]] = %{{.*}})
// CHECK-NEXT: func.call @kernel_0(%[[OLD]], %[[NEW]])
// CHECK-NEXT: func.call @kernel_1(%[[NEW]])
// CHECK-NOT: weft_poll
// CHECK: scf.yield %[[NEW]], %[[OLD]]
module attributes {weft.sites = []} {
func.func @f(%x: memref<64xf64>, %n: index, %y: memref<64xf64>, %w: memref<0xi8>, %record: memref<20xi64>) -> index
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<i64>], on_heap = [], on_host = [1], polls = true, results = [tensor<64xf64>], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %state = memref.alloca() : memref<2xi64>
  %ends:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<64xf64>, memref<64xf64>) {
    %left = memref.load %state[%c0] : memref<2xi64>
    %less = arith.subi %left, %one : i64
    memref.store %less, %state[%c0] : memref<2xi64>
    %now = arith.cmpi eq, %less, %zero : i64
    scf.if %now {
      %period = func.call @weft_poll(%record, %one) : (memref<20xi64>, i64) -> i64
      memref.store %period, %state[%c0] : memref<2xi64>
    }
    func.call @kernel_0(%a, %b) : (memref<64xf64>, memref<64xf64>) -> ()
    func.call @kernel_1(%b) : (memref<64xf64>) -> ()
    scf.yield %b, %a : memref<64xf64>, memref<64xf64>
  }
  %address = memref.extract_aligned_pointer_as_index %ends#0 : memref<64xf64> -> index
  return %address : index
}
func.func private @kernel_0(%x: memref<64xf64>, %y: memref<64xf64>) attributes {weft.accesses = ["r", "w"], weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<64xf64> to tensor<64xf64>
  %1 = tensor.empty() : tensor<64xf64>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%0 : tensor<64xf64>) outs(%1 : tensor<64xf64>) {
  ^bb0(%in: f64, %out: f64):
    %3 = arith.addf %in, %in : f64
    linalg.yield %3 : f64
  } -> tensor<64xf64>
  bufferization.materialize_in_destination %2 in restrict writable %y : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @kernel_1(%y: memref<64xf64>) attributes {weft.accesses = ["w"], weft.side = "device"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %y restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = tensor.insert %zero into %0[%c0] : tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @weft_poll(memref<20xi64>, i64) -> i64
}

// -----

// A number of the device decides how often it runs: the kernel tells how often it was, and the host follows.
// CHECK-LABEL: func.func @g(
// CHECK-SAME: memref<192xi8>
// CHECK-SAME: workspace = 192 : i64
// CHECK: %[[WORD:.*]] = memref.view %{{.*}} : memref<192xi8> to memref<i64>
// CHECK: call @[[JOINED:kernel_[0-9]+]]({{.*}}, %[[WORD]])
// CHECK: %[[COUNT:.*]] = memref.load %[[WORD]][] : memref<i64>
// CHECK: scf.while (%{{.*}} = %{{.*}}, %[[DONE:.*]] = %{{.*}})
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[DONE]], %[[COUNT]]
// CHECK: scf.condition(%[[MORE]])
// CHECK-NOT: memref.load
// CHECK: scf.yield
// CHECK: func.func private @[[JOINED]](
// CHECK: %[[ENDS:.*]]:2 = scf.while
// CHECK: memref.load %{{.*}}[] : memref<f64>
// CHECK: memref.store %[[ENDS]]#1, %{{.*}}[] : memref<i64>
module attributes {weft.sites = []} {
func.func @g(%x: memref<64xf64>, %steps: memref<i64>, %w: memref<128xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>], on_heap = [], on_host = [], polls = true, results = [tensor<i64>], sizes, workspace = 128 : i64, written = [0]}} {
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %half = arith.constant 0.5 : f64
  %sum = memref.view %w[%c64][] : memref<128xi8> to memref<f64>
  %end = scf.while (%i = %zero) : (i64) -> i64 {
    %error = memref.load %sum[] : memref<f64>
    %more = arith.cmpf ogt, %error, %half : f64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%i: i64):
    %two = arith.constant 2 : i64
    func.call @kernel_0(%x, %sum) : (memref<64xf64>, memref<f64>) -> ()
    %next = arith.addi %i, %two : i64
    scf.yield %next : i64
  }
  memref.store %end, %steps[] : memref<i64>
  return
}
func.func private @kernel_0(%x: memref<64xf64>, %s: memref<f64>) attributes {weft.accesses = ["r", "rw"], weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<64xf64> to tensor<64xf64>
  %1 = bufferization.to_tensor %s restrict writable : memref<f64> to tensor<f64>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%0 : tensor<64xf64>) outs(%1 : tensor<f64>) {
  ^bb0(%in: f64, %out: f64):
    %3 = arith.addf %in, %out : f64
    linalg.yield %3 : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %2 in restrict writable %s : (tensor<f64>, memref<f64>) -> ()
  return
}
}

// -----

// Left as they are: a loop that prints, one of arrays that many blocks have work with, and one with an array that may be
// another one of it, as a loop around swaps them.
// CHECK-LABEL: func.func @h(
// CHECK: scf.for
// CHECK-NEXT: func.call @kernel_0
// CHECK-NEXT: func.call @print
// CHECK: scf.for
// CHECK-NEXT: func.call @kernel_1
// CHECK: scf.for
// CHECK-NEXT: func.call @print
// CHECK-NEXT: scf.for
// CHECK-NEXT: func.call @kernel_0
// CHECK-NEXT: func.call @kernel_0
// CHECK-NOT: weft.reason
module attributes {weft.sites = []} {
func.func @h(%x: memref<64xf64>, %n: index, %large: memref<1000000xf64>, %w: memref<1024xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<i64>], on_heap = [], on_host = [1], polls = true, results = [tensor<1000000xf64>], sizes, workspace = 1024 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  scf.for %t = %c0 to %n step %c1 {
    func.call @kernel_0(%x) : (memref<64xf64>) -> ()
    func.call @print(%x) : (memref<64xf64>) -> ()
  }
  scf.for %t = %c0 to %n step %c1 {
    func.call @kernel_1(%large) : (memref<1000000xf64>) -> ()
  }
  %one = memref.view %w[%c0][] : memref<1024xi8> to memref<64xf64>
  %other = memref.view %w[%c512][] : memref<1024xi8> to memref<64xf64>
  %ends:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %one, %b = %other) -> (memref<64xf64>, memref<64xf64>) {
    func.call @print(%a) : (memref<64xf64>) -> ()
    scf.for %s = %c0 to %n step %c1 {
      func.call @kernel_0(%a) : (memref<64xf64>) -> ()
      func.call @kernel_0(%one) : (memref<64xf64>) -> ()
    }
    scf.yield %b, %a : memref<64xf64>, memref<64xf64>
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<64xf64>) -> tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @kernel_1(%x: memref<1000000xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<1000000xf64> to tensor<1000000xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<1000000xf64>) -> tensor<1000000xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<1000000xf64>, memref<1000000xf64>) -> ()
  return
}
func.func private @print(memref<64xf64>)
}

// -----

// Arrays that share memory in turn are views of it in the kernel, too, which so knows of it.
// CHECK-LABEL: func.func @i(
// CHECK: %[[BOTH:.*]] = memref.view %{{.*}} : memref<1024xi8> to memref<512xi8>
// CHECK-NEXT: call @[[JOINED:kernel_[0-9]+]](%{{.*}}, %[[BOTH]]) : (index, memref<512xi8>) -> ()
// CHECK-NEXT: return
// CHECK: func.func private @[[JOINED]](%{{.*}}: index, %[[SHARED:.*]]: memref<512xi8>)
// CHECK-DAG: %[[ONE:.*]] = memref.view %[[SHARED]][%{{.*}}][] : memref<512xi8> to memref<64xf64>
// CHECK-DAG: %[[OTHER:.*]] = memref.view %[[SHARED]][%{{.*}}][] : memref<512xi8> to memref<32xf64>
// CHECK: func.call @kernel_0(%[[ONE]])
// CHECK: func.call @kernel_2(%[[OTHER]])
module attributes {weft.sites = []} {
func.func @i(%n: index, %w: memref<1024xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<i64>], on_heap = [], on_host = [0], polls = true, results = [], sizes, workspace = 1024 : i64, written = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  scf.for %t = %c0 to %n step %c1 {
    %one = memref.view %w[%c128][] : memref<1024xi8> to memref<64xf64>
    func.call @kernel_0(%one) : (memref<64xf64>) -> ()
    %other = memref.view %w[%c256][] : memref<1024xi8> to memref<32xf64>
    func.call @kernel_2(%other) : (memref<32xf64>) -> ()
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<64xf64>) -> tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @kernel_2(%x: memref<32xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<32xf64> to tensor<32xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<32xf64>) -> tensor<32xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<32xf64>, memref<32xf64>) -> ()
  return
}
}

// -----

// The host ends the call where it has counted too far: it follows the loop, and the kernel ends at the same place. What
// it looks for in its own record is its own.
// CHECK-LABEL: func.func @j(
// CHECK: call @[[JOINED:kernel_[0-9]+]](%{{.*}}, %{{.*}})
// CHECK-NEXT: scf.for
// CHECK-NOT: func.call @kernel
// CHECK: scf.if
// CHECK-NEXT: memref.store %{{.*}} : memref<20xi64>
// CHECK-NEXT: func.call @weft_exit()
// CHECK: memref.load %{{.*}} : memref<20xi64>
// CHECK: scf.if
// CHECK-NEXT: func.call @weft_exit()
// CHECK: func.func private @[[JOINED]](
// CHECK: scf.for
// CHECK: func.call @kernel_0
// CHECK: %[[FAR:.*]] = arith.cmpi uge
// CHECK: scf.if %[[FAR]]
// CHECK-NEXT: func.call @weft_exit()
// CHECK: func.call @kernel_0
// CHECK-NOT: scf.if
module attributes {weft.sites = []} {
func.func @j(%x: memref<64xf64>, %n: index, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<i64>], on_heap = [], on_host = [1], polls = true, results = [], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  scf.for %t = %c0 to %n step %c1 {
    func.call @kernel_0(%x) : (memref<64xf64>) -> ()
    %far = arith.cmpi uge, %t, %c9 : index
    scf.if %far {
      memref.store %one, %record[%c0] : memref<20xi64>
      func.call @weft_exit() : () -> ()
    }
    func.call @kernel_0(%x) : (memref<64xf64>) -> ()
    %noted = memref.load %record[%c0] : memref<20xi64>
    %is_noted = arith.cmpi ne, %noted, %zero : i64
    scf.if %is_noted {
      func.call @weft_exit() : () -> ()
    }
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<64xf64>) -> tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @weft_exit()
}

// -----

// Data tells whether the host ends the call, which needs numbers for that: the kernel ends there, and stores which check
// it was, and the numbers. Behind it, the host does what it does there, and has no loop.
// CHECK-LABEL: func.func @k(
// CHECK: %[[ENDING:.*]] = memref.view %{{.*}} : memref<128xi8> to memref<i64>
// CHECK: %[[NUMBER:.*]] = memref.view %{{.*}} : memref<128xi8> to memref<f64>
// CHECK: call @[[JOINED:kernel_[0-9]+]]({{.*}}%[[ENDING]], %[[NUMBER]])
// CHECK: %[[LAST:.*]] = memref.load %[[ENDING]][] : memref<i64>
// CHECK: %[[HERE:.*]] = arith.cmpi eq, %{{.*}}, %[[LAST]]
// CHECK: scf.if %[[HERE]]
// CHECK: %[[FOUND:.*]] = memref.load %[[NUMBER]][] : memref<f64>
// CHECK: func.call @tell(%[[FOUND]])
// CHECK: func.call @weft_exit
// CHECK-NOT: scf.for
// CHECK: func.func private @[[JOINED]](
// CHECK: arith.constant -9223372036854775808 : i64
// CHECK: memref.store
// CHECK: scf.for
// CHECK: func.call @kernel_0
// CHECK: %[[READ:.*]] = memref.load %{{.*}} : memref<f64>
// CHECK: scf.if
// CHECK: memref.store %{{.*}} : memref<i64>
// CHECK: memref.store %[[READ]], %{{.*}} : memref<f64>
// CHECK-NOT: @tell
// CHECK: func.call @weft_exit
// CHECK: func.call @kernel_0
module attributes {weft.sites = []} {
func.func @k(%x: memref<64xf64>, %s: memref<f64>, %n: index, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<f64>, tensor<i64>], on_heap = [], on_host = [2], polls = true, results = [], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %limit = arith.constant 1.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    func.call @kernel_0(%x) : (memref<64xf64>) -> ()
    %number = memref.load %s[] : memref<f64>
    %large = arith.cmpf ogt, %number, %limit : f64
    scf.if %large {
      func.call @tell(%number) : (f64) -> ()
      memref.store %one, %record[%c0] : memref<20xi64>
      func.call @weft_exit() : () -> ()
    }
    func.call @kernel_0(%x) : (memref<64xf64>) -> ()
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<64xf64>) -> tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @weft_exit()
func.func private @tell(f64)
}

// -----

// Data tells whether the host ends the call, which needs an array of the loop for that: the kernel ends there, and stores which iteration it was and the numbers
// that the host needs. The host comes to the same place, and does there what it does.
// CHECK-LABEL: func.func @o(
// CHECK: %[[ENDING:.*]] = memref.view %{{.*}} : memref<128xi8> to memref<i64>
// CHECK: %[[NUMBER:.*]] = memref.view %{{.*}} : memref<128xi8> to memref<f64>
// CHECK: call @[[JOINED:kernel_[0-9]+]]({{.*}}%[[ENDING]], %[[NUMBER]])
// CHECK: %[[LAST:.*]] = memref.load %[[ENDING]][] : memref<i64>
// CHECK: scf.for %[[T:arg[0-9]+]] =
// CHECK-NOT: memref.load
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[T]] : index to i64
// CHECK: %[[HERE:.*]] = arith.cmpi eq, %{{.*}}, %[[LAST]]
// CHECK: scf.if %[[HERE]]
// CHECK: %[[FOUND:.*]] = memref.load %[[NUMBER]][] : memref<f64>
// CHECK: func.call @tell(%[[FOUND]], %{{.*}})
// CHECK: func.call @weft_exit
// CHECK-NOT: func.call @kernel
// CHECK: func.func private @[[JOINED]](
// CHECK: arith.constant -9223372036854775808 : i64
// CHECK: memref.store
// CHECK: scf.for
// CHECK: func.call @kernel_0
// CHECK: %[[READ:.*]] = memref.load %{{.*}} : memref<f64>
// CHECK: scf.if
// CHECK: memref.store %{{.*}} : memref<i64>
// CHECK: memref.store %[[READ]], %{{.*}} : memref<f64>
// CHECK-NOT: @tell
// CHECK: func.call @weft_exit
// CHECK: func.call @kernel_0
module attributes {weft.sites = []} {
func.func @o(%x: memref<64xf64>, %s: memref<f64>, %n: index, %y: memref<64xf64>, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<f64>, tensor<i64>], on_heap = [], on_host = [2], polls = true, results = [tensor<64xf64>], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %limit = arith.constant 1.0 : f64
  %ends:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<64xf64>, memref<64xf64>) {
    func.call @kernel_0(%a) : (memref<64xf64>) -> ()
    %number = memref.load %s[] : memref<f64>
    %large = arith.cmpf ogt, %number, %limit : f64
    scf.if %large {
      func.call @tell(%number, %a) : (f64, memref<64xf64>) -> ()
      memref.store %one, %record[%c0] : memref<20xi64>
      func.call @weft_exit() : () -> ()
    }
    func.call @kernel_0(%a) : (memref<64xf64>) -> ()
    scf.yield %b, %a : memref<64xf64>, memref<64xf64>
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<64xf64>) -> tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @weft_exit()
func.func private @tell(f64, memref<64xf64>)
}

// -----

// In a loop in the loop, in a branch, is a check of data: which one it was is all that the host has to know. A branch in
// which the host looks for interrupts is its own, and no part of the loops.
// CHECK-LABEL: func.func @l(
// CHECK: call @[[JOINED:kernel_[0-9]+]](
// CHECK: memref.load %{{.*}} : memref<i64>
// CHECK: func.call @weft_exit
// CHECK-NOT: scf.for
// CHECK: func.func private @[[JOINED]](
// CHECK: scf.for
// CHECK: func.call @kernel_0
// CHECK: scf.for
// CHECK-NOT: weft_poll
// CHECK: func.call @kernel_0
module attributes {weft.sites = []} {
func.func @l(%x: memref<64xf64>, %s: memref<f64>, %n: index, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<f64>, tensor<i64>], on_heap = [], on_host = [2], polls = true, results = [], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %limit = arith.constant 1.0 : f64
  %most = arith.constant 9.0 : f64
  %state = memref.alloca() : memref<2xi64>
  scf.for %t = %c0 to %n step %c1 {
    func.call @kernel_0(%x) : (memref<64xf64>) -> ()
    scf.for %u = %c0 to %n step %c1 {
      %left = memref.load %state[%c0] : memref<2xi64>
      %now = arith.cmpi eq, %left, %zero : i64
      scf.if %now {
        %period = func.call @weft_poll(%record, %one) : (memref<20xi64>, i64) -> i64
        memref.store %period, %state[%c0] : memref<2xi64>
      }
      func.call @kernel_0(%x) : (memref<64xf64>) -> ()
      %number = memref.load %s[] : memref<f64>
      %large = arith.cmpf ogt, %number, %limit : f64
      scf.if %large {
        %larger = arith.cmpf ogt, %number, %most : f64
        scf.if %larger {
          memref.store %one, %record[%c0] : memref<20xi64>
          func.call @weft_exit() : () -> ()
        }
      }
    }
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<64xf64>) -> tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @weft_exit()
func.func private @weft_poll(memref<20xi64>, i64) -> i64
}

// -----

// In a loop in the loop, a check of data is not told by the number of an iteration, if the host needs an array for it: that loop is joined, and the host
// goes on with the one around. A branch in which the host looks for interrupts is its own, and no part of the loops.
// CHECK-LABEL: func.func @p(
// CHECK: scf.for
// CHECK: func.call @kernel_0
// CHECK: func.call @[[JOINED:kernel_[0-9]+]](
// CHECK: memref.load %{{.*}} : memref<i64>
// CHECK: scf.for
// CHECK: func.call @weft_poll
// CHECK: func.call @weft_exit
// CHECK: func.func private @[[JOINED]](
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: func.call @kernel_0
module attributes {weft.sites = []} {
func.func @p(%x: memref<64xf64>, %s: memref<f64>, %n: index, %y: memref<64xf64>, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<f64>, tensor<i64>], on_heap = [], on_host = [2], polls = true, results = [tensor<64xf64>], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %limit = arith.constant 1.0 : f64
  %state = memref.alloca() : memref<2xi64>
  scf.for %t = %c0 to %n step %c1 {
    func.call @kernel_0(%x) : (memref<64xf64>) -> ()
    %ends:2 = scf.for %u = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<64xf64>, memref<64xf64>) {
      %left = memref.load %state[%c0] : memref<2xi64>
      %now = arith.cmpi eq, %left, %zero : i64
      scf.if %now {
        %period = func.call @weft_poll(%record, %one) : (memref<20xi64>, i64) -> i64
        memref.store %period, %state[%c0] : memref<2xi64>
      }
      func.call @kernel_0(%x) : (memref<64xf64>) -> ()
      %number = memref.load %s[] : memref<f64>
      %large = arith.cmpf ogt, %number, %limit : f64
      scf.if %large {
        func.call @tell(%a) : (memref<64xf64>) -> ()
        func.call @weft_exit() : () -> ()
      }
      scf.yield %b, %a : memref<64xf64>, memref<64xf64>
    }
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<64xf64>) -> tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @weft_exit()
func.func private @tell(memref<64xf64>)
func.func private @weft_poll(memref<20xi64>, i64) -> i64
}

// -----

// A loop in a loop, with a look for interrupts of its own: both are the kernel's.
// CHECK-LABEL: func.func @m(
// CHECK: call @[[JOINED:kernel_[0-9]+]](
// CHECK-NOT: call @kernel_0
// CHECK: func.func private @[[JOINED]](
// CHECK: scf.for
// CHECK: func.call @kernel_0
// CHECK: scf.for
// CHECK-NOT: weft_poll
// CHECK: func.call @kernel_0
module attributes {weft.sites = []} {
func.func @m(%x: memref<64xf64>, %n: index, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<i64>], on_heap = [], on_host = [1], polls = true, results = [], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %state = memref.alloca() : memref<2xi64>
  scf.for %t = %c0 to %n step %c1 {
    func.call @kernel_0(%x) : (memref<64xf64>) -> ()
    scf.for %u = %c0 to %n step %c1 {
      %left = memref.load %state[%c0] : memref<2xi64>
      %now = arith.cmpi eq, %left, %zero : i64
      scf.if %now {
        %period = func.call @weft_poll(%record, %one) : (memref<20xi64>, i64) -> i64
        memref.store %period, %state[%c0] : memref<2xi64>
      }
      func.call @kernel_0(%x) : (memref<64xf64>) -> ()
    }
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>) attributes {weft.accesses = ["rw"], weft.side = "device"} {
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<64xf64>) -> tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
func.func private @weft_poll(memref<20xi64>, i64) -> i64
}

// -----

// Parts of arrays that are known take no longer than all of them: a loop with such, and with memory for them, is joined.
// Where only the call tells how long an array is, it is not.
// CHECK-LABEL: func.func @n(
// CHECK: call @[[JOINED:kernel_[0-9]+]](
// CHECK: scf.for
// CHECK: func.call @kernel_0(
// CHECK: func.func private @[[JOINED]](%{{.*}}: index, %[[SLOT:.*]]: memref<512xi8>, %{{.*}}: memref<64xf64>)
// CHECK: scf.for
// CHECK: memref.view %[[SLOT]][%{{.*}}][%{{.*}}] : memref<512xi8> to memref<?xf64>
// CHECK: func.call @kernel_0(
module attributes {weft.sites = []} {
func.func @n(%x: memref<64xf64>, %n: index, %y: memref<?xf64>, %w: memref<512xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<i64>], on_heap = [], on_host = [1], polls = true, results = [tensor<?xf64>], sizes, workspace = 512 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %slot = memref.view %w[%c0][] : memref<512xi8> to memref<512xi8>
    %part = memref.view %slot[%c0][%t] : memref<512xi8> to memref<?xf64>
    func.call @kernel_0(%x, %t, %part) : (memref<64xf64>, index, memref<?xf64>) -> ()
  }
  scf.for %t = %c0 to %n step %c1 {
    func.call @kernel_0(%x, %t, %y) : (memref<64xf64>, index, memref<?xf64>) -> ()
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>, %n: index, %y: memref<?xf64>) attributes {weft.accesses = ["r", "", "w"], weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<64xf64> to tensor<64xf64>
  %part = tensor.extract_slice %0[0] [%n] [1] : tensor<64xf64> to tensor<?xf64>
  %1 = tensor.empty(%n) : tensor<?xf64>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%part : tensor<?xf64>) outs(%1 : tensor<?xf64>) {
  ^bb0(%in: f64, %out: f64):
    %3 = arith.addf %in, %in : f64
    linalg.yield %3 : f64
  } -> tensor<?xf64>
  bufferization.materialize_in_destination %2 in restrict writable %y : (tensor<?xf64>, memref<?xf64>) -> ()
  return
}
}

// -----

// Kernels that return numbers are the host's alone, and parts of what a block does: it has the number where it needs it.
// What goes on for who knows how long stays with the host, but all the loop does: arrays are copied once. A loop with
// arrays that many blocks have work with is left as it is.
// CHECK-LABEL: func.func @q(
// CHECK: call @[[JOINED:kernel_[0-9]+]](
// CHECK-NOT: call @kernel_0
// CHECK: call @[[SEARCH:kernel_[0-9]+]](
// CHECK: scf.for
// CHECK: func.call @kernel_1(
// CHECK: func.call @kernel_2(
// CHECK: func.func private @[[JOINED]](
// CHECK-SAME: weft.side = "device"
// CHECK: scf.for
// CHECK: %[[NUMBER:.*]] = func.call @kernel_0(
// CHECK: memref.store %[[NUMBER]]
// CHECK: func.func private @[[SEARCH]](
// CHECK-SAME: weft.reason = "the host does the whole loop{{.*}}weft.side = "host"
// CHECK: func.call @kernel_1(
module attributes {weft.sites = []} {
func.func @q(%x: memref<64xf64>, %n: index, %large: memref<1000000xf64>, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<i64>], on_heap = [], on_host = [1], polls = true, results = [tensor<1000000xf64>], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %s = func.call @kernel_0(%x) : (memref<64xf64>) -> f64
    memref.store %s, %x[%c0] : memref<64xf64>
  }
  scf.for %t = %c0 to %n step %c1 {
    %s = func.call @kernel_1(%x) : (memref<64xf64>) -> f64
    memref.store %s, %x[%c0] : memref<64xf64>
  }
  scf.for %t = %c0 to %n step %c1 {
    %s = func.call @kernel_1(%x) : (memref<64xf64>) -> f64
    func.call @kernel_2(%large, %s) : (memref<1000000xf64>, f64) -> ()
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>) -> f64 attributes {weft.accesses = ["r"], weft.reason = "it returns numbers that the host needs", weft.side = "host"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  %0 = bufferization.to_tensor %x restrict : memref<64xf64> to tensor<64xf64>
  %1 = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (f64) {
    %2 = tensor.extract %0[%i] : tensor<64xf64>
    %3 = arith.addf %s, %2 : f64
    scf.yield %3 : f64
  }
  return %1 : f64
}
func.func private @kernel_1(%x: memref<64xf64>) -> f64 attributes {weft.accesses = ["r"], weft.reason = "it returns numbers that the host needs", weft.side = "host"} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %0 = bufferization.to_tensor %x restrict : memref<64xf64> to tensor<64xf64>
  %1 = tensor.extract %0[%c0] : tensor<64xf64>
  %2 = scf.while (%s = %1) : (f64) -> f64 {
    %more = arith.cmpf ogt, %s, %one : f64
    scf.condition(%more) %s : f64
  } do {
  ^bb0(%s: f64):
    %3 = math.sqrt %s : f64
    scf.yield %3 : f64
  }
  return %2 : f64
}
func.func private @kernel_2(%x: memref<1000000xf64>, %s: f64) attributes {weft.accesses = ["w", ""], weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict writable : memref<1000000xf64> to tensor<1000000xf64>
  %1 = linalg.fill ins(%s : f64) outs(%0 : tensor<1000000xf64>) -> tensor<1000000xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<1000000xf64>, memref<1000000xf64>) -> ()
  return
}
}

// -----

// A kernel that copies, and a copy that is left out where two arrays are one, as a loop has swapped them.
// CHECK-LABEL: func.func @r(
// CHECK: call @[[JOINED:kernel_[0-9]+]](
// CHECK-NEXT: return
// CHECK: func.func private @[[JOINED]](
// CHECK: scf.for
// CHECK: scf.for
// CHECK: func.call @kernel_0(
// CHECK: arith.cmpi ne
// CHECK: memref.copy
module attributes {weft.sites = []} {
func.func @r(%x: memref<64xf64>, %n: index, %y: memref<64xf64>, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<i64>], on_heap = [], on_host = [1], polls = true, results = [tensor<64xf64>], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %ends:2 = scf.for %s = %c0 to %t step %c1 iter_args(%a = %x, %b = %y) -> (memref<64xf64>, memref<64xf64>) {
      func.call @kernel_0(%a, %b) : (memref<64xf64>, memref<64xf64>) -> ()
      scf.yield %b, %a : memref<64xf64>, memref<64xf64>
    }
    %one = memref.extract_aligned_pointer_as_index %ends#0 : memref<64xf64> -> index
    %other = memref.extract_aligned_pointer_as_index %x : memref<64xf64> -> index
    %differ = arith.cmpi ne, %one, %other : index
    scf.if %differ {
      memref.copy %ends#0, %x : memref<64xf64> to memref<64xf64>
    }
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>, %y: memref<64xf64>) attributes {weft.accesses = ["r", "w"], weft.side = "device"} {
  memref.copy %x, %y : memref<64xf64> to memref<64xf64>
  return
}
}

// -----

// A number that the host has is read before a loop that does not change it, which is one kernel then. One that the host
// stores in the loop is read in it, and the loop is left as it is.
// CHECK-LABEL: func.func @scaled(
// CHECK: %[[FACTOR:.*]] = memref.load %{{.*}}[] : memref<f64>
// CHECK-NOT: scf.for
// CHECK: call @[[JOINED:kernel_[0-9]+]](%{{.*}}, %{{.*}}, %[[FACTOR]])
// CHECK: scf.for
// CHECK: memref.load %{{.*}}[] : memref<f64>
// CHECK: func.call @kernel_0(
// CHECK: return
module attributes {weft.sites = []} {
func.func @scaled(%x: memref<64xf64>, %factor: memref<f64>, %n: index, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<64xf64>, tensor<f64>, tensor<i64>], on_heap = [], on_host = [1], polls = false, results = [], sizes, workspace = 0 : i64, written = [0]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %f = memref.load %factor[] : memref<f64>
    func.call @kernel_0(%x, %f) : (memref<64xf64>, f64) -> ()
  }
  %changing = memref.alloca() : memref<f64>
  scf.for %t = %c0 to %n step %c1 {
    %f = memref.load %changing[] : memref<f64>
    %twice = arith.addf %f, %f : f64
    memref.store %twice, %changing[] : memref<f64>
    func.call @kernel_0(%x, %f) : (memref<64xf64>, f64) -> ()
  }
  return
}
func.func private @kernel_0(%x: memref<64xf64>, %f: f64) attributes {weft.accesses = ["rw", ""], weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict writable : memref<64xf64> to tensor<64xf64>
  %1 = linalg.fill ins(%f : f64) outs(%0 : tensor<64xf64>) -> tensor<64xf64>
  bufferization.materialize_in_destination %1 in restrict writable %x : (tensor<64xf64>, memref<64xf64>) -> ()
  return
}
}
