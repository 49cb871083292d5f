// RUN: weft-opt %s --branch-at-exits | filecheck %s

func.func private @weft_exit()
func.func private @weft_poll()

// CHECK-LABEL: func.func @check(
// CHECK:       cf.cond_br %arg0, ^[[FAILED:.*]], ^[[REST:.*]]
// CHECK:       ^[[FAILED]]:
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    call @weft_exit()
// CHECK-NEXT:    cf.br ^[[REST]]
// CHECK:       ^[[REST]]:
// CHECK-NEXT:    return
func.func @check(%failed: i1, %record: memref<i64>, %n: i64) {
  scf.if %failed {
    memref.store %n, %record[] : memref<i64>
    func.call @weft_exit() : () -> ()
  }
  return
}

// What does not exit, and what is in loops, stays.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:   cf.cond_br
// CHECK:       scf.if
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:       return
func.func @others(%c: i1, %record: memref<i64>, %n: i64, %i: index) {
  scf.if %c {
    memref.store %n, %record[] : memref<i64>
    func.call @weft_poll() : () -> ()
  }
  scf.for %j = %i to %i step %i {
    scf.if %c {
      memref.store %n, %record[] : memref<i64>
      func.call @weft_exit() : () -> ()
    }
  }
  return
}
