// One violation of every constraint on windows, chunks, soft caps and sinks.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics

func.func @f(%q: tensor<2x3x2x4xf32>, %at: tensor<3xi64>) {
  // expected-error@+1 {{has a window of -1}}
  %0:2 = nn.attention causal %q, %q, %q positions %at, %at scale 0.5 {window = -1 : i64}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x3x2x4xf32>, %at: tensor<3xi64>) {
  // expected-error@+1 {{has a window without a causal mask}}
  %0:2 = nn.attention %q, %q, %q positions %at, %at scale 0.5 {window = 2 : i64}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x3x2x4xf32>, %lse: tensor<2x3x2xf32>, %at: tensor<3xi64>) {
  // expected-error@+1 {{has a chunk without a causal mask}}
  %0:3 = nn.attention_grad %q, %q, %q, %q result %q lse %lse positions %at, %at scale 0.5 {chunk = 2 : i64}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x3x2x4xf32>, %at: tensor<3xi64>) {
  // expected-error@+1 {{has a soft cap of -1}}
  %0:2 = nn.attention %q, %q, %q positions %at, %at scale 0.5 {softcap = -1.0}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x3x2x4xf32>, %lse: tensor<2x3x2xf32>, %at: tensor<3xi64>) {
  // expected-error@+1 {{has a soft cap of INF}}
  %0:3 = nn.attention_grad %q, %q, %q, %q result %q lse %lse positions %at, %at scale 0.5 {softcap = 0x7FF0000000000000 : f64}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x3x2x4xf32>, %at: tensor<3xi64>, %sinks: tensor<3xf32>) {
  // expected-error@+1 {{needs one sink for each of 2 query heads}}
  %0:2 = nn.attention %q, %q, %q positions %at, %at sinks %sinks scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xf32>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x1x4x4xf32>, %at: tensor<4xi64>) {
  // expected-error@+1 {{has a chunk of -4}}
  %0, %1 = nn.masked_softmax causal %x positions %at, %at scale 1.0 {chunk = -4 : i64}
      : (tensor<2x1x4x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x1x4x4xf32>, tensor<2x1x4xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x1x4x4xf32>, %at: tensor<4xi64>, %sinks: tensor<1x1xf32>) {
  // expected-error@+1 {{needs one sink for each of 1 query heads}}
  %0, %1 = nn.masked_softmax causal %x positions %at, %at sinks %sinks scale 1.0
      : (tensor<2x1x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1xf32>) -> (tensor<2x1x4x4xf32>, tensor<2x1x4xf32>)
  return
}
