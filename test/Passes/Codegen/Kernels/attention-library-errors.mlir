// If only the library may compute attention, unsupported cases are rejected.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-expand-attention="on-device library=cudnn"

func.func @f32(%q: tensor<2x8x4x64xf32>, %at: tensor<8xi64>) {
  // expected-error @+2 {{cuDNN cannot compute the attention of '': the element type is f32, not bf16 or f16}}
  // expected-note @+1 {{--attention-backend auto uses cuDNN where it can and tiles elsewhere}}
  %o:2 = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x4x64xf32>, tensor<2x8x4x64xf32>, tensor<2x8x4x64xf32>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xf32>, tensor<2x8x4xf32>)
  return
}

// -----

func.func @heads(%q: tensor<2x8x4x80xbf16>, %at: tensor<8xi64>) {
  // expected-error @+2 {{the head size is 80, not 64 or 128}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x4x80xbf16>, tensor<2x8x4x80xbf16>, tensor<2x8x4x80xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x80xbf16>, tensor<2x8x4xf32>)
  return
}

// -----

func.func @places(%q: tensor<2x8x4x64xbf16>, %at: tensor<8xi64>) {
  // expected-error @+2 {{queries and keys do not have the same consecutive positions}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention causal %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  return
}

// -----

func.func @lse(%q: tensor<2x8x4x64xbf16>, %at: tensor<8xi64>)
    -> tensor<2x8x4xf32> {
  // expected-error @+2 {{its lse has uses other than its gradient}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  return %o#1 : tensor<2x8x4xf32>
}

// -----

func.func @long(%q: tensor<1x32768x1x64xbf16>, %at: tensor<32768xi64>) {
  // expected-error @+2 {{its backward pass needs a workspace of 2.0 GiB for a head}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<1x32768x1x64xbf16>, tensor<1x32768x1x64xbf16>,
         tensor<1x32768x1x64xbf16>, tensor<32768xi64>, tensor<32768xi64>)
      -> (tensor<1x32768x1x64xbf16>, tensor<1x32768x1xf32>)
  return
}

// -----

// Half a tile of keys is left over.
func.func @half(%q: tensor<2x192x4x64xbf16>, %at: tensor<192xi64>) {
  // expected-error @+2 {{its backward pass is wrong for 192 keys, an odd multiple of 64}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x192x4x64xbf16>, tensor<2x192x4x64xbf16>,
         tensor<2x192x4x64xbf16>, tensor<192xi64>, tensor<192xi64>)
      -> (tensor<2x192x4x64xbf16>, tensor<2x192x4xf32>)
  return
}

// -----

func.func @one(%q: tensor<2x1x4x64xbf16>, %k: tensor<2x8x4x64xbf16>,
               %one: tensor<1xi64>, %at: tensor<8xi64>) {
  // expected-error @+2 {{a sample has one query or key}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %k, %k positions %one, %at scale 0.125
      : (tensor<2x1x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<1xi64>, tensor<8xi64>)
      -> (tensor<2x1x4x64xbf16>, tensor<2x1x4xf32>)
  return
}

// -----

// Heads that share a key head stay together.
func.func @shared(%q: tensor<1x16384x8x64xbf16>, %k: tensor<1x16384x2x64xbf16>,
                  %at: tensor<16384xi64>) {
  // expected-error @+2 {{its backward pass needs a workspace of 2.0 GiB for the heads of a key head}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %k, %k positions %at, %at scale 0.125
      : (tensor<1x16384x8x64xbf16>, tensor<1x16384x2x64xbf16>,
         tensor<1x16384x2x64xbf16>, tensor<16384xi64>, tensor<16384xi64>)
      -> (tensor<1x16384x8x64xbf16>, tensor<1x16384x8xf32>)
  return
}

// -----

// The second head's lse would not start at a multiple of 16 bytes.
func.func @apart_heads(%q: tensor<1x16383x3x64xbf16>, %at: tensor<16383xi64>) {
  // expected-error @+2 {{its backward pass processes a key head at a time, and 1 heads x 16383 queries are not a multiple of 4}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<1x16383x3x64xbf16>, tensor<1x16383x3x64xbf16>,
         tensor<1x16383x3x64xbf16>, tensor<16383xi64>, tensor<16383xi64>)
      -> (tensor<1x16383x3x64xbf16>, tensor<1x16383x3xf32>)
  return
}

// -----

// A second sample's lse would start 4 bytes after a multiple of 16.
func.func @apart(%q: tensor<3x5001x1x64xbf16>, %at: tensor<5001xi64>) {
  // expected-error @+2 {{its backward pass processes a sample at a time, and 1 heads x 5001 queries are not a multiple of 4}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<3x5001x1x64xbf16>, tensor<3x5001x1x64xbf16>,
         tensor<3x5001x1x64xbf16>, tensor<5001xi64>, tensor<5001xi64>)
      -> (tensor<3x5001x1x64xbf16>, tensor<3x5001x1xf32>)
  return
}

// -----

func.func @window(%q: tensor<2x8x4x64xbf16>, %at: tensor<8xi64>) {
  // expected-error @+2 {{the mask has a window of 4}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention causal %q, %q, %q positions %at, %at scale 0.125 {window = 4 : i64}
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  return
}

// -----

func.func @chunk(%q: tensor<2x8x4x64xbf16>, %at: tensor<8xi64>) {
  // expected-error @+2 {{the mask has a chunk of 3}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention causal %q, %q, %q positions %at, %at scale 0.125 {chunk = 3 : i64}
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  return
}

// -----

func.func @cap(%q: tensor<2x8x4x64xbf16>, %at: tensor<8xi64>) {
  // expected-error @+2 {{scores have a soft cap}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %q, %q positions %at, %at scale 0.125 {softcap = 50.0}
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  return
}

// -----

func.func @sinks(%q: tensor<2x8x4x64xbf16>, %at: tensor<8xi64>, %sinks: tensor<4xf32>) {
  // expected-error @+2 {{it has sinks}}
  // expected-note @+1 {{--attention-backend auto}}
  %o:2 = nn.attention %q, %q, %q positions %at, %at sinks %sinks scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>, tensor<4xf32>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  return
}
