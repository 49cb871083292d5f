// RUN: weft-opt %s --lower-launches --canonicalize --cse | filecheck %s

// Four launches that follow each other are a graph, with views between; what copies is none of them, nor are three.
// Its words: nine, three for each of four nodes, a place for the block that launches share, and one more.
// CHECK: weft.graphs = array<i64: 0, 23>
module attributes {gpu.container_module, weft.sites = []} {
  // CHECK-LABEL: func.func @f(
  func.func @f(%x: memref<4xf32>, %space: memref<32xi8>, %record: memref<20xi64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf32>], on_heap = [], polls = false, results = [], sizes, workspace = 0 : i64, written = [0], on_host = []}} {
    %c0 = arith.constant 0 : index
    // CHECK: call @weft_device_graph_begin(%{{.*}}, %c0_i64, %c3_i64, %c21_i64)
    // CHECK-COUNT-2: call @kernel_0(
    call @kernel_0(%x) : (memref<4xf32>) -> ()
    %y = memref.view %space[%c0][] : memref<32xi8> to memref<4xf32>
    call @kernel_0(%y) : (memref<4xf32>) -> ()
    // CHECK: call @kernel_1(
    // CHECK: call @weft_device_graph_end(
    // CHECK: memref.load
    call @kernel_1(%y) : (memref<4xf32>) -> ()
    func.call @host(%x) : (memref<4xf32>) -> ()
    // CHECK: call @host
    // CHECK-NOT: graph_begin
    call @kernel_0(%x) : (memref<4xf32>) -> ()
    // CHECK: return
    return
  }
  func.func private @host(memref<4xf32>)
  // CHECK: func.func private @kernel_0(
  func.func private @kernel_0(%x: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    // CHECK: call @weft_device_launch_in_graph({{.*}}, %c1_i64) : 
    gpu.launch_func @m::@one blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<4xf32>)
    return
  }
  // CHECK: func.func private @kernel_1(
  func.func private @kernel_1(%x: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %temporary = gpu.alloc () : memref<8xf32>
    gpu.launch_func @m::@two blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%temporary : memref<8xf32>, %x : memref<4xf32>)
    gpu.launch_func @m::@two blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%temporary : memref<8xf32>, %x : memref<4xf32>)
    // CHECK: call @weft_device_release_in_graph(
    gpu.dealloc %temporary : memref<8xf32>
    return
  }
  gpu.module @m {
    gpu.func @one(%x: memref<4xf32>) kernel {
      gpu.return
    }
    gpu.func @two(%x: memref<8xf32>, %y: memref<4xf32>) kernel {
      gpu.return
    }
  }
}
