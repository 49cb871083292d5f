// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @read_of_a_tensor(%x: tensor<3xf32>) {
  // expected-error @below {{weft.read_ref reads a !weft.ref, not f32[3]}}
  %0 = "weft.read_ref"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @read_as_another_type(%ref: !weft.ref<tensor<3xf32>>) {
  // expected-error @below {{'weft.read_ref' op returns f32[3], not f64[3]}}
  %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf64>
  return
}

// -----

func.func @write_of_another_type(%ref: !weft.ref<tensor<3xf32>>, %x: tensor<4xf32>) {
  // expected-error @below {{weft.write_ref cannot write f32[4] to ref f32[3]}}
  "weft.write_ref"(%ref, %x) : (!weft.ref<tensor<3xf32>>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @cell_of_another_type(%x: tensor<3xf32>) {
  // expected-error @below {{'weft.alloc_ref' op returns ref f32[3], not ref f32[?]}}
  %0 = "weft.alloc_ref"(%x) : (tensor<3xf32>) -> !weft.ref<tensor<?xf32>>
  return
}

// -----

func.func @condition_of_rank_1(%x: tensor<3xi1>) {
  // expected-error @below {{weft.raise_if needs a bool[] condition, not bool[3]}}
  "weft.raise_if"(%x) {error = "ValueError", message = "no"} : (tensor<3xi1>) -> ()
  return
}

// -----

func.func @value_of_another_type(%fails: tensor<i1>, %x: tensor<f32>) {
  // expected-error @below {{weft.raise_if formats i64[] values, not f32[]}}
  "weft.raise_if"(%fails, %x) {error = "ValueError", message = "{0}"} : (tensor<i1>, tensor<f32>) -> ()
  return
}

// -----

func.func @missing_attributes(%fails: tensor<i1>) {
  // expected-error @below {{'weft.raise_if' op needs the attribute error and message}}
  "weft.raise_if"(%fails) : (tensor<i1>) -> ()
  return
}

// -----

func.func @arithmetic_on_a_cell(%ref: !weft.ref<tensor<2xf32>>) {
  // expected-error @below {{'weft.negative' op takes arrays, not ref f32[2]}}
  %0 = "weft.negative"(%ref) : (!weft.ref<tensor<2xf32>>) -> tensor<2xf32>
  return
}

// -----

func.func @cell_in_a_cell(%ref: !weft.ref<tensor<2xf32>>) {
  // expected-error @below {{'weft.write_ref' op takes arrays, not ref f32[2]}}
  "weft.write_ref"(%ref, %ref) : (!weft.ref<tensor<2xf32>>, !weft.ref<tensor<2xf32>>) -> ()
  return
}

// -----

func.func @message_that_looks_into_a_value(%c: tensor<i1>, %n: tensor<i64>) {
  // expected-error @below {{'weft.raise_if' op weft.raise_if cannot show 1 values as '{0.real} and {1}'}}
  "weft.raise_if"(%c, %n) {error = "ValueError", message = "{0.real} and {1}"} : (tensor<i1>, tensor<i64>) -> ()
  return
}

// -----

func.func @message_of_more_values_than_there_are(%c: tensor<i1>, %n: tensor<i64>) {
  // expected-error @below {{cannot show 1 values as '{1}'}}
  "weft.raise_if"(%c, %n) {error = "ValueError", message = "{1}"} : (tensor<i1>, tensor<i64>) -> ()
  return
}

// -----

func.func @error_that_nobody_knows(%c: tensor<i1>) {
  // expected-error @below {{weft.raise_if cannot raise SystemExit; it can raise IndexError}}
  "weft.raise_if"(%c) {error = "SystemExit", message = ""} : (tensor<i1>) -> ()
  return
}
