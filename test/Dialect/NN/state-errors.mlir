// One violation of every constraint of parameters, states and their uses.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{has 2 dims, but its source has 1 strides and 1 valid extents}}
nn.param @w : tensor<8x12xf32> init normal source <
  name = "w", file = "m.onnx", offset = 0, type = tensor<96xf32>,
  file_size = 1000, digest = 7, base = 0, strides = [1], valid = [96]>

// -----

// expected-error@+1 {{has a valid extent of 13 in a dim of 12}}
nn.param @w : tensor<8x12xf32> init normal source <
  name = "w", file = "m.onnx", offset = 0, type = tensor<8x13xf32>,
  file_size = 1000, digest = 7, base = 0, strides = [13, 1], valid = [8, 13]>

// -----

// expected-error@+1 {{reads elements 1 to 96 of a source of 96}}
nn.param @w : tensor<8x12xf32> init normal source <
  name = "w", file = "m.onnx", offset = 0, type = tensor<8x12xf32>,
  file_size = 1000, digest = 7, base = 1, strides = [12, 1], valid = [8, 12]>

// -----

// expected-error@+1 {{has no initial value, such as 'init normal'}}
nn.param @w : tensor<4xf32> decay

// -----

// expected-error@+1 {{'uniform' is no initial value}}
nn.param @w : tensor<4xf32> init uniform

// -----

// expected-error@+1 {{has uses with 3 numbers, which are no pairs (node, operand)}}
nn.param @w : tensor<4xf32> init zero uses [1, 2, 3]

// -----

// expected-error@+1 {{belongs to @w, which is not a parameter}}
nn.state @grad.w : tensor<4xf32> gradient of @w
nn.state @w : tensor<4xf32> sum

// -----

func.func @f() {
  // expected-error@+1 {{names @w, which does not exist}}
  %0 = nn.read @w : tensor<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{names @f, which is neither nn.param nor nn.state}}
  %0 = nn.read @f : tensor<4xf32>
  return
}

// -----

// expected-note@+1 {{it is declared as 'tensor<4xf32>'}}
nn.param @w : tensor<4xf32> init normal
func.func @f() {
  // expected-error@+1 {{uses @w as 'tensor<5xf32>'}}
  %0 = nn.read @w : tensor<5xf32>
  return
}

// -----

// expected-note@+1 {{it is declared as 'tensor<4xf32>'}}
nn.param @w : tensor<4xf32> init normal
func.func @f(%x: tensor<4xbf16>) {
  // expected-error@+1 {{uses @w as 'tensor<4xbf16>'}}
  nn.write %x, @w : tensor<4xbf16>
  return
}

// -----

// expected-note@+1 {{it is declared as 'tensor<4xf32>'}}
nn.state @s : tensor<4xf32> sum
func.func @f(%x: tensor<5xf32>) {
  // expected-error@+1 {{uses @s as 'tensor<5xf32>'}}
  nn.accumulate %x, @s : tensor<5xf32>
  return
}

// -----

nn.param @w : tensor<4xf32> init normal
func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{adds to @w, which is not a state}}
  nn.accumulate %x, @w : tensor<4xf32>
  return
}

// -----

nn.state @s : tensor<4xbf16> sum
func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{adds 'f32' to a state of 'bf16', which is not wider}}
  nn.accumulate %x, @s : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{has a source of unknown shape, 'tensor<?x12xf32>'}}
nn.param @w : tensor<8x12xf32> init normal source <
  name = "w", file = "m.onnx", offset = 0, type = tensor<?x12xf32>,
  file_size = 1000, digest = 7, base = 0, strides = [12, 1], valid = [8, 12]>

// -----

// expected-error@+1 {{has a stride of 9223372036854775807, which overflows the element's index}}
nn.param @w : tensor<8x12xf32> init normal source <
  name = "w", file = "m.onnx", offset = 0, type = tensor<8x12xf32>,
  file_size = 1000, digest = 7, base = 0, strides = [9223372036854775807, 1],
  valid = [8, 12]>
