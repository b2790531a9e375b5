// One model for each reason why documents cannot be masked, and a warning.
// RUN: pcc-opt %s --nn-documents=ends=7 --split-input-file --verify-diagnostics

// Attention sees later documents.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+2 {{--documents: 'attend' is attention without a causal mask, so a document would see the next one}}
// expected-note@+1 {{documents are masked in causal attention only}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %o, %lse = nn.attention %q, %q, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>) loc("attend")
  return %o : tensor<2x6x1x4xf32>
}

// -----

// A token sees the one before it.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+2 {{--documents: 'cut' combines several positions}}
// expected-note@+1 {{documents are masked in attention that pcc recognizes; other ops must compute each position separately}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %head = nn.slice %q at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x6x1x4xf32> -> tensor<2x5x1x4xf32> loc("cut")
  %zero = nn.constant dense<0.0> : tensor<2x1x1x4xf32>
  %before = nn.concat %zero, %head along 1 : tensor<2x1x1x4xf32>, tensor<2x5x1x4xf32> -> tensor<2x6x1x4xf32>
  %r = nn.sum %q, %before : tensor<2x6x1x4xf32>
  %o, %lse = nn.attention causal %r, %r, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>)
  return %o : tensor<2x6x1x4xf32>
}

// -----

// A mean over positions.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+2 {{--documents: 'joined' computes with a sum over positions}}
// expected-note@+1 {{documents are masked in attention that pcc recognizes; other ops must compute each position separately}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %mean = nn.reduce %q [1] : tensor<2x6x1x4xf32> -> tensor<2x1x4xf32> loc("mean")
  %wide = nn.broadcast %mean [0, 2, 3] : tensor<2x1x4xf32> -> tensor<2x6x1x4xf32>
  %r = nn.sum %q, %wide : tensor<2x6x1x4xf32> loc("joined")
  %o, %lse = nn.attention causal %r, %r, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>)
  return %o : tensor<2x6x1x4xf32>
}

// -----

// A bias by position that is no mask.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+2 {{--documents: 'attend' has a bias by position, and nothing shows that a document's is the same wherever it begins}}
// expected-note@+1 {{where it depends on distances alone --keep-positions is the same}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %distance = nn.constant dense<[[[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]]]]> : tensor<1x1x1x6xf32>
  %o, %lse, %max = nn.attention causal %q, %q, %q positions %at, %at bias %distance scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>, tensor<1x1x1x6xf32>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>) loc("attend")
  return %o : tensor<2x6x1x4xf32>
}

// -----

// A rotation by other positions.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+2 {{--documents: 'turn' rotates by other positions than 0, 1, ... of the tokens}}
// expected-note@+1 {{--keep-positions leaves them as they are}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %late = nn.constant dense<[4, 5, 6, 7, 8, 9]> : tensor<6xi64>
  %r = nn.rope %q positions %late theta 1.0e4 dim 4 : tensor<2x6x1x4xf32>, tensor<6xi64> loc("turn")
  %o, %lse = nn.attention causal %r, %r, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>)
  return %o : tensor<2x6x1x4xf32>
}

// -----

// Integers by position.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+2 {{--documents: 'numbered' numbers positions}}
// expected-note@+1 {{positions are reset at each document; --keep-positions leaves them as they are}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %each = nn.broadcast %at [1] : tensor<6xi64> -> tensor<2x6xi64>
  %sum = nn.sum %ids, %each : tensor<2x6xi64> loc("numbered")
  %y = nn.embedding %sum, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  %r = nn.reshape %y : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %o, %lse = nn.attention causal %r, %r, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>)
  return %o : tensor<2x6x1x4xf32>
}

// -----

// Keys of another sequence.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+1 {{--documents: 'attend' attends to other positions than those of the tokens}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %z = nn.constant dense<0.5> : tensor<2x6x1x4xf32>
  %o, %lse = nn.attention causal %q, %z, %z positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>) loc("attend")
  return %o : tensor<2x6x1x4xf32>
}

// -----

// No attention along the sequence.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+1 {{--documents: no attention of the model runs along the sequence}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  return %q : tensor<2x6x1x4xf32>
}

// -----

// A sum over positions as the model's output.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+1 {{--documents: 'sum' is a sum over positions}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>) loc("attend")
  %sum = nn.reduce %o [1] : tensor<2x6x1x4xf32> -> tensor<2x1x4xf32> loc("sum")
  return %sum : tensor<2x1x4xf32>
}

// -----

// The end is no token.
nn.param @wte : tensor<7x4xf32> init normal
// expected-error@+1 {{--documents: token 7 is outside the vocabulary of 7, by 'words'}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) -> tensor<2x6x4xf32> {
  %wte = nn.read @wte : tensor<7x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<7x4xf32> -> tensor<2x6x4xf32> loc("words")
  return %x : tensor<2x6x4xf32>
}

// -----

// No tokens.
// expected-error@+1 {{--documents: the model has no input of token ids}}
func.func @forward(%x: tensor<2x6x4xf32> {nn.role = #nn.role<data>, nn.name = "x"}) -> tensor<2x6x4xf32> {
  return %x : tensor<2x6x4xf32>
}

// -----

// A bias by position, gated by tokens.
nn.param @wte : tensor<8x4xf32> init normal
nn.param @rel : tensor<6x6xf32> init normal
// expected-error@+2 {{--documents: 'attend' has a bias by position, and nothing shows that a document's is the same wherever it begins}}
// expected-note@+1 {{where it depends on distances alone --keep-positions is the same}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %rel = nn.read @rel : tensor<6x6xf32>
  %wide = nn.broadcast %rel [2, 3] : tensor<6x6xf32> -> tensor<2x1x6x6xf32>
  %gates = nn.reduce %x [2] : tensor<2x6x4xf32> -> tensor<2x6xf32>
  %gate = nn.broadcast %gates [0, 2] : tensor<2x6xf32> -> tensor<2x1x6x6xf32>
  %bias = nn.mul %wide, %gate : tensor<2x1x6x6xf32>
  %o, %lse, %max = nn.attention causal %q, %q, %q positions %at, %at bias %bias scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>, tensor<2x1x6x6xf32>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>) loc("attend")
  return %o : tensor<2x6x1x4xf32>
}

// -----

// A bias of keys that differs by position of the query.
nn.param @wte : tensor<8x4xf32> init normal
nn.param @keys : tensor<6x4xf32> init normal
// expected-error@+2 {{--documents: 'attend' has a bias by position, and nothing shows that a document's is the same wherever it begins}}
// expected-note@+1 {{where it depends on distances alone --keep-positions is the same}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %keys = nn.read @keys : tensor<6x4xf32>
  %scores = nn.contract "bsd,td->bst" %x, %keys : tensor<2x6x4xf32>, tensor<6x4xf32> -> tensor<2x6x6xf32>
  %bias = nn.reshape %scores : tensor<2x6x6xf32> -> tensor<2x1x6x6xf32>
  %o, %lse, %max = nn.attention causal %q, %q, %q positions %at, %at bias %bias scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>, tensor<2x1x6x6xf32>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>) loc("attend")
  return %o : tensor<2x6x1x4xf32>
}

// -----

// A bias of keys by token and by position.
nn.param @wte : tensor<8x4xf32> init normal
nn.param @keys : tensor<6xf32> init normal
// expected-error@+2 {{--documents: 'attend' has a bias by position, and nothing shows that a document's is the same wherever it begins}}
// expected-note@+1 {{where it depends on distances alone --keep-positions is the same}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %keys = nn.read @keys : tensor<6xf32>
  %wide = nn.broadcast %keys [1] : tensor<6xf32> -> tensor<2x6xf32>
  %own = nn.reduce %x [2] : tensor<2x6x4xf32> -> tensor<2x6xf32>
  %sum = nn.sum %own, %wide : tensor<2x6xf32>
  %bias = nn.reshape %sum : tensor<2x6xf32> -> tensor<2x1x1x6xf32>
  %o, %lse, %max = nn.attention causal %q, %q, %q positions %at, %at bias %bias scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>, tensor<2x1x1x6xf32>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>) loc("attend")
  return %o : tensor<2x6x1x4xf32>
}

// -----

// Key 0 is always visible.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+2 {{--documents: 'attend' hides other keys in a document that begins later}}
// expected-note@+1 {{--keep-positions masks by the index in the sample}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %mask = nn.constant dense<[[[[0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9], [0.0, -1.0e9, 0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, -1.0e9, -1.0e9, 0.0, -1.0e9, -1.0e9], [0.0, -1.0e9, -1.0e9, -1.0e9, 0.0, -1.0e9], [0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9, 0.0]]]]> : tensor<1x1x6x6xf32>
  %o, %lse, %max = nn.attention causal %q, %q, %q positions %at, %at bias %mask scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>, tensor<1x1x6x6xf32>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>) loc("attend")
  return %o : tensor<2x6x1x4xf32>
}

// -----

// A loss that predicts the token after the next one.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+1 {{--documents: 'loss' predicts another token than the next one}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}, %labels: tensor<2x6xi64> {nn.role = #nn.role<labels>}) -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss} {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>)
  %y = nn.reshape %o : tensor<2x6x1x4xf32> -> tensor<2x6x4xf32>
  %logits = nn.slice %y at [0, 0, 0] step [1, 1, 1] : tensor<2x6x4xf32> -> tensor<2x4x4xf32>
  %next = nn.slice %labels at [0, 2] step [1, 1] : tensor<2x6xi64> -> tensor<2x4xi64>
  %losses, %sums = nn.cross_entropy %logits, %next classes 4 : tensor<2x4x4xf32>, tensor<2x4xi64> -> tensor<2x4xf32> loc("loss")
  %loss = nn.reduce %losses [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %loss, %loss : tensor<f32>, tensor<f32>
}

// -----

// A loss of its own whose targets are not known.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+2 {{--documents: the targets of the model's own loss are not known, so those after the end of a document would count}}
// expected-note@+1 {{targets are recognized if they are the classes of a cross-entropy, [batch, sequence]; --loss causal-lm attaches a loss to the logits}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}, %goal: tensor<2x6x1x4xf32> {nn.role = #nn.role<data>, nn.name = "goal"}) -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss} {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %d = nn.sub %q, %goal : tensor<2x6x1x4xf32>
  %loss = nn.reduce %d [0, 1, 2, 3] : tensor<2x6x1x4xf32> -> tensor<f32>
  return %loss, %loss : tensor<f32>, tensor<f32>
}

// -----

// Chunks are counted in the sample.
nn.param @wte : tensor<8x4xf32> init normal
// expected-warning@+2 {{--documents: 'attend' sees chunks of 4 positions, which are counted from the start of the sample}}
// expected-note@+1 {{a document that begins within a chunk has a shorter first chunk}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32> loc("words")
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.5 {chunk = 4 : i64}
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>) loc("attend")
  return %o : tensor<2x6x1x4xf32>
}

// -----

// Labels of another length than the tokens.
nn.param @wte : tensor<8x4xf32> init normal
// expected-error@+2 {{--documents: the targets of the model's own loss are not known, so those after the end of a document would count}}
// expected-note@+1 {{targets are recognized if they are the classes of a cross-entropy, [batch, sequence]; --loss causal-lm attaches a loss to the logits}}
func.func @forward(%ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>}, %labels: tensor<2x5xi64> {nn.role = #nn.role<labels>}) -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss} {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  %logits = nn.slice %x at [0, 0, 0] step [1, 1, 1] : tensor<2x6x4xf32> -> tensor<2x5x4xf32>
  %losses, %sums = nn.cross_entropy %logits, %labels classes 4 : tensor<2x5x4xf32>, tensor<2x5xi64> -> tensor<2x5xf32>
  %loss = nn.reduce %losses [0, 1] : tensor<2x5xf32> -> tensor<f32>
  return %loss, %loss : tensor<f32>, tensor<f32>
}
