// RUN: not weft-opt %s --lower-device-memory 2>&1 | filecheck %s

// A plan of another function, or one for the processor alone.
// CHECK: error: a planned function has an argument for errors: run --plan-buffers={device=true} before
module attributes {weft.sites = []} {
func.func @f(%x: memref<4xf64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf64>], on_heap = [], on_host = [], polls = false, results = [], sizes, workspace = 0 : i64, written = []}} {
  return
}
}
