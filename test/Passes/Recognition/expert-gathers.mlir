// Experts whose form is not recognized gather a weight matrix per token and
// choice: 512 x 2 x 512 x 512 numbers for each of two lookups, 2 GiB.
// RUN: not pcc-opt %s -nn-check-expert-gathers 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: pcc-opt %s -nn-check-expert-gathers=allow 2>&1 | FileCheck %s --check-prefix=ALLOWED
// Two stages, two parts of the tokens and 16 bits leave an eighth.
// RUN: pcc-opt %s -nn-check-expert-gathers='stages=2 parts=2 element-bytes=2' 2>&1 | FileCheck %s --check-prefix=SMALL
// Lookups by tokens, of biases and of recognized experts are none.
// RUN: sed 's/%[a-z]*gather = .*//' %s | pcc-opt -nn-check-expert-gathers 2>&1 | FileCheck %s --check-prefix=NONE

// REFUSED: error: {{.*}}'/moe/Gather' gathers a weight matrix for each token and each expert that the token chooses: 2.0 GiB on a rank, with 1 more such gathers, more than 1 GiB
// REFUSED: note: {{.*}}this form of experts is not recognized, so they are not sharded either; PyTorch's exporters write a form that is with experts_implementation="batched_mm"
// REFUSED: note: {{.*}}--allow-gathered-experts trains them nevertheless
// ALLOWED: warning: {{.*}}'/moe/Gather' gathers a weight matrix for each token and each expert that the token chooses: 2.0 GiB on a rank, with 1 more such gathers{{$}}
// ALLOWED-NOT: allow
// SMALL: warning: {{.*}}'/moe/Gather' gathers {{.*}}: 256.0 MiB on a rank
// NONE-NOT: {{error|warning}}
nn.param @table : tensor<64x512xf32> init normal
nn.param @up : tensor<8x512x512xf32> init normal
nn.param @bias : tensor<8x512xf32> init normal
func.func @forward(%tokens: tensor<512xi64>, %scores: tensor<512x8xf32>) {
  %table = nn.read @table : tensor<64x512xf32>
  %x = nn.embedding %tokens, %table : tensor<512xi64>, tensor<64x512xf32> -> tensor<512x512xf32>
  %ids = nn.top_k %scores : tensor<512x8xf32> -> tensor<512x2xi32>
  %bias = nn.read @bias : tensor<8x512xf32>
  %b = nn.embedding %ids, %bias : tensor<512x2xi32>, tensor<8x512xf32> -> tensor<512x2x512xf32>
  %up = nn.read @up : tensor<8x512x512xf32>
  %gather = nn.embedding %ids, %up : tensor<512x2xi32>, tensor<8x512x512xf32> -> tensor<512x2x512x512xf32> loc("/moe/Gather")
  %secondgather = nn.embedding %ids, %up : tensor<512x2xi32>, tensor<8x512x512xf32> -> tensor<512x2x512x512xf32> loc("/moe/Gather_1")
  return
}
