// RUN: not weft-opt %s 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: weft-opt %s --allow-unregistered-dialect | filecheck %s

// REFUSED: error: operation being parsed with an unregistered dialect
// CHECK: "some.thing"() : () -> ()
"some.thing"() : () -> ()
