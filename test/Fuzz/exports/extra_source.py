"""The source of modules other than the blocks: (lines of __init__, lines of
forward) by choice."""

# With a third entry: the tensors' names, for --freeze.
BUFFERS = {
    "scale": (["self.register_buffer('scales', torch.rand(D) + 0.5)"],
              ["x = x * self.scales"], "scales"),
    "unsaved": (["self.register_buffer('factors', torch.rand(D) + 0.5, "
                 "persistent=False)"], ["x = x * self.factors"], "factors"),
    "shift": (["self.register_buffer('shift', torch.randn(1, 1, D) * 0.3)"],
              ["x = x + self.shift"], "shift"),
    "permutation": (["self.register_buffer('order', torch.randperm(D))"],
                    ["x = x[..., self.order]"], None),
    "single": (["self.register_buffer('factor', torch.tensor(0.7))"],
               ["x = x * self.factor"], "factor"),
    "statistics": (["self.register_buffer('average', torch.randn(D) * 0.2)",
                    "self.register_buffer('spread', torch.rand(D) + 0.5)"],
                   ["x = (x - self.average) / self.spread"],
                   "average|spread"),
}
SCALARS = {
    "temperature": (["self.temperature = nn.Parameter(torch.tensor(1.3))"],
                    ["x = x / self.temperature"], "temperature"),
    "gain": (["self.gain = nn.Parameter(torch.tensor([0.8]))"],
             ["x = x * self.gain"], "gain"),
    "gain-1x1": (["self.gain = nn.Parameter(torch.tensor([[0.8]]))"],
                 ["x = x * self.gain"], "gain"),
    "exp-scale": (["self.logit_scale = nn.Parameter(torch.tensor(0.3))"],
                  ["x = x * self.logit_scale.exp()"], "logit_scale"),
    "offset": (["self.offset = nn.Parameter(torch.tensor([0.2]))"],
               ["x = x + self.offset"], "offset"),
}
DETACHED = {
    "branch": (["self.side = nn.Linear(D, D)"],
               ["x = x + self.side(x.detach())"]),
    "no-grad": ([], ["with torch.no_grad():",
                     "    size = x.abs().mean(-1, keepdim=True) + 1.0",
                     "x = x / size"]),
    "data": (["self.side = nn.Linear(D, D)"],
             ["x = x + self.side(x.data)"]),
}
REVERSALS = {
    "flip-seq": ["x = x.flip(1)"],
    "flip-width": ["x = x.flip(-1)"],
    "roll": ["x = torch.roll(x, 1, dims=1)"],
    "shift": ["x = x + 0.5 * F.pad(x, (0, 0, 1, 0))[:, :-1]"],
    "stride-width": ["x = torch.cat((x[..., ::2], 0.5 * x[..., 1::2]), -1)"],
}
# Layers that turn inputs into rows of width D.
PATCHES = (["self.patches = nn.Conv2d(3, D, 2, stride=2)"],
           ["x = self.patches(pixel_values)"])
PROJECT = (["self.project = nn.Linear(6, D)"], ["x = self.project(features)"])
SPEECH = (["self.conv1 = nn.Conv1d(6, D, 3, padding=1)",
           "self.conv2 = nn.Conv1d(D, D, 3, stride={0}, padding=1)"],
          ["x = F.gelu(self.conv1(features.transpose(1, 2)))",
           "x = F.gelu(self.conv2(x)).transpose(1, 2)"])
POOLS = {
    "mean": ([], ["x = x.mean(1)"]), "first": ([], ["x = x[:, 0]"]),
    "last": ([], ["x = x[:, -1]"]), "max": ([], ["x = x.amax(1)"]),
    "strided": ([], ["x = x[:, ::2].mean(1)"]),
    "adaptive": ([], ["x = F.adaptive_avg_pool1d(x.transpose(1, 2), 1)"
                      ".squeeze(-1)"]),
    "masked-mean": ([], ["m = attention_mask[:, :, None].to(x.dtype)",
                         "x = (x * m).sum(1) / m.sum(1)"]),
    "masked-max": ([], ["m = attention_mask[:, :, None] == 0",
                        "x = x.masked_fill(m, -1e4).amax(1)"]),
    "pooler": (["self.pooler = nn.Linear(D, D)"],
               ["x = torch.tanh(self.pooler(x[:, 0]))"]),
    "attention": (["self.pool_score = nn.Linear(D, 1)"],
                  ["share = F.softmax(self.pool_score(x), dim=1)",
                   "x = (share * x).sum(1)"]),
    # A learned query, as in the last layer of SigLIP's image encoder.
    "query": (["self.probe = nn.Parameter(torch.randn(1, 1, D))",
               "self.pool_attn = nn.MultiheadAttention(D, H, "
               "batch_first=True)",
               "self.pool_norm = nn.LayerNorm(D)", "self.pool_mlp = MLP()"],
              ["probe = self.probe.expand(x.shape[0], -1, -1)",
               "x = self.pool_attn(probe, x, x, need_weights=False)[0]",
               "x = x + self.pool_mlp(self.pool_norm(x))",
               "x = x[:, 0]"]),
}


def front(c):
    """A convolution over positions, added to the embedding; in a decoder it
    sees only earlier positions."""
    groups = {"conv": "", "depthwise": ", groups=D"}.get(c["front"])
    if groups is None:
        return [], []
    if c["causal"] == "none":
        return ([f"self.front = nn.Conv1d(D, D, 3, padding=1{groups})"],
                ["x = x + F.gelu(self.front(x.transpose(1, 2)))"
                 ".transpose(1, 2)"])
    return ([f"self.front = nn.Conv1d(D, D, 3{groups})"],
            ["rows = F.pad(x.transpose(1, 2), (2, 0))",
             "x = x + F.silu(self.front(rows)).transpose(1, 2)"])


def stem(c):
    """The same for images, before positions are one dim."""
    groups = {"conv": "", "depthwise": ", groups=D"}.get(c["front"])
    lines = (["self.stem = nn.Conv2d(D, D, 3, padding=1"
              f"{groups})"], ["x = x + self.stem(x)"])
    return lines if groups is not None else ([], [])
