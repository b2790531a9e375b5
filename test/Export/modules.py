"""Small modules, each with a fact that no exporter writes into a file.

CASES: name -> Case. Every case states its expected metadata. If it can be
trained, run.py trains it for some steps against PyTorch.
"""

import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn

VOCAB, WIDTH, SEQ, BATCH = 11, 8, 6, 4


@dataclasses.dataclass
class Case:
    """inputs: "tokens" (ids), "labels" (classes), "values" (floats).

    loss: pcc's --loss; None for a module that returns its loss. frozen, padded,
    tied, buffers and detached are the expected metadata: parameters that are
    not trained, name -> row, name -> aliases, names, the number of values.
    refused: a text in the error, if no file can be written.
    alone: the only exporter that can write it.
    """

    build: object
    inputs: tuple = ("tokens",)
    loss: str = "cross-entropy"
    frozen: tuple = ()
    padded: dict = dataclasses.field(default_factory=dict)
    tied: dict = dataclasses.field(default_factory=dict)
    buffers: tuple = ()
    detached: int = 0
    context: int = None
    refused: str = None
    alone: str = None


class Tokens(nn.Module):
    """Computes scores of every position from ids, through `body`."""

    padding = None

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCAB, WIDTH, padding_idx=self.padding)
        self.first = nn.Linear(WIDTH, WIDTH)
        self.second = nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)

    def forward(self, tokens):
        return self.head(self.body(self.table(tokens)))

    def body(self, x):
        return self.second(torch.tanh(self.first(x)))


class Frozen(Tokens):
    """Frozen are the table, a weight in the middle and a bias; a layer is
    unused."""

    def __init__(self):
        super().__init__()
        self.unused = nn.Linear(WIDTH, WIDTH)
        for p in (self.table.weight, self.second.weight, self.first.bias):
            p.requires_grad_(False)


class Detached(Tokens):
    def body(self, x):
        y = torch.tanh(self.first(x))
        return self.second(y) * torch.sigmoid(y.detach()) + x


class Data(Tokens):
    def body(self, x):
        return self.second(torch.tanh(self.first(x.data))) + x


class NoGrad(Tokens):
    """A normalization whose statistics are computed without gradients."""

    def body(self, x):
        y = self.first(x)
        with torch.no_grad():
            scale = torch.rsqrt((y * y).mean(-1, keepdim=True) + 1e-3)
        return self.second(y * scale)


class NoGradInside(Tokens):
    """A decorated function without gradients, and a block that enables them."""

    @torch.no_grad()
    def teacher(self, x):
        return torch.tanh(self.first(x))

    def body(self, x):
        with torch.no_grad():
            with torch.enable_grad():
                y = self.second(x)
        return y - self.teacher(x)


class DetachedParameter(Tokens):
    """A table that is trained by its lookups alone, not as the head."""

    def forward(self, tokens):
        x = self.body(self.table(tokens))
        return F.linear(x, self.table.weight.detach()) + self.head(x)


class StraightThrough(Tokens):
    def body(self, x):
        y = torch.tanh(self.first(x))
        y = y + (torch.floor(4 * y) / 4 - y).detach()
        return self.second(y)


class DetachedSilu(Tokens):
    """A function with the values of silu, but another gradient."""

    def body(self, x):
        y = self.first(x)
        return self.second(y * torch.sigmoid(y.detach()))


class DetachedNorm(Tokens):
    """A layer norm with a detached mean and variance."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)

    def body(self, x):
        y = self.first(x)
        mean = y.mean(-1, keepdim=True).detach()
        scale = ((y - mean) ** 2).mean(-1, keepdim=True).detach()
        y = (y - mean) / torch.sqrt(scale + 1e-5)
        return self.second(y * self.norm.weight + self.norm.bias)


class DetachedAttention(Tokens):
    """Attention whose weights are detached."""

    def body(self, x):
        q, k = self.first(x), self.second(x)
        scores = q @ k.transpose(1, 2) / math.sqrt(WIDTH)
        return torch.softmax(scores, -1).detach() @ q + k


class Padding(Tokens):
    padding = 2

    def __init__(self):
        super().__init__()
        # The padding row is not zero, and the tied head trains it.
        nn.init.normal_(self.table.weight)
        self.head.weight = self.table.weight


class FunctionalPadding(Tokens):
    def forward(self, tokens):
        x = F.embedding(tokens, self.table.weight, padding_idx=-1)
        return self.head(self.body(x))


class Buffers(Tokens):
    """Tables that look like parameters; one with random values."""

    def __init__(self):
        super().__init__()
        position = torch.arange(32.0)[:, None]
        rates = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(1e4) / WIDTH))
        table = torch.zeros(1, 32, WIDTH)
        table[0, :, 0::2] = torch.sin(position * rates)
        table[0, :, 1::2] = torch.cos(position * rates)
        self.register_buffer("sinusoids", table)
        self.register_buffer("noise", torch.randn(WIDTH))
        self.register_buffer("bias", torch.zeros(1, VOCAB), persistent=False)

    def forward(self, tokens):
        x = self.table(tokens) + self.sinusoids[:, :tokens.shape[1]]
        return self.head(self.body(x * self.noise)) + self.bias


class Tied(Tokens):
    def __init__(self):
        super().__init__()
        self.head.weight = self.table.weight
        self.second = self.first


class Scalars(Tokens):
    """Parameters of one element, one of them equal to a constant."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(1.0))
        self.temperature = nn.Parameter(torch.tensor([2.0]))
        self.shift = nn.Parameter(torch.tensor([[0.5]]))
        self.gate = nn.Linear(WIDTH, 1)

    def body(self, x):
        y = torch.tanh(self.first(x) * self.gain) * torch.sigmoid(self.gate(x))
        return 1.0 + self.second(2.0 * y + self.shift) / self.temperature


class Equal(Tokens):
    """Different parameters with equal initial values: also transposed, also
    ones."""

    def __init__(self):
        super().__init__()
        self.second.load_state_dict(self.first.state_dict())
        self.head.weight.data.copy_(self.table.weight)
        self.third = nn.Linear(WIDTH, WIDTH)
        self.third.weight.data.copy_(self.first.weight.T)
        self.norm, self.last = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def body(self, x):
        return self.third(self.last(super().body(self.norm(x))))


class Positions(Tokens):
    """A table of positions whose first two rows are never looked up."""

    def __init__(self):
        super().__init__()
        self.positions = nn.Embedding(20, WIDTH)

    def body(self, x):
        ids = torch.arange(x.shape[1]) + 2
        return super().body(x + self.positions(ids))


class WholePositions(Tokens):
    """Positions that are added as a whole, so that only one length runs."""

    def __init__(self):
        super().__init__()
        self.positions = nn.Parameter(torch.randn(1, SEQ, WIDTH))

    def body(self, x):
        return super().body(x + self.positions)


class Distances(Tokens):
    """A table that is too small for sequences longer than the example."""

    def __init__(self):
        super().__init__()
        self.far = nn.Embedding(2 * SEQ - 1, WIDTH)

    def body(self, x):
        at = torch.arange(x.shape[1])
        far = self.far(at[:, None] - at[None, :] + SEQ - 1)
        return super().body(x) + far.mean(1)


class SlicedPositions(Tokens):
    def __init__(self):
        super().__init__()
        self.positions = nn.Parameter(torch.randn(1, 24, WIDTH))

    def body(self, x):
        return super().body(x + self.positions[:, :x.shape[1]])


class Dropout(Tokens):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.25)

    def body(self, x):
        q = self.first(self.drop(x))[:, None]
        y = F.scaled_dot_product_attention(
            q, q, q, is_causal=True,
            dropout_p=0.5 if self.training else 0.0)
        return self.second(y[:, 0])


class Loss(Tokens):
    """Its own loss: cross entropy of labels other than -100."""

    def forward(self, tokens, labels):
        scores = super().forward(tokens)
        return F.cross_entropy(scores.flatten(0, 1), labels.flatten())


class OwnLoss(Tokens):
    """Cross entropy of labels other than -100, and a penalty."""

    def forward(self, tokens, labels):
        scores = super().forward(tokens)
        loss = F.cross_entropy(scores.flatten(0, 1), labels.flatten())
        return loss + 1e-2 * (scores * scores).mean()


class Smoothed(Tokens):
    """Label smoothing with class weights, which no exporter writes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weights", torch.rand(VOCAB) + 0.5)

    def forward(self, tokens, labels):
        scores = super().forward(tokens)
        return F.cross_entropy(scores.transpose(1, 2), labels, self.weights,
                               label_smoothing=0.1)


class Values(nn.Module):
    """Floats to floats."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(WIDTH, 16), nn.Linear(16, 2)

    def forward(self, values):
        return self.second(F.gelu(self.first(values)))


class ScaledNorm(Tokens):
    """TorchScript's exporter does not support rms_norm."""

    def __init__(self):
        super().__init__()
        self.norm = nn.RMSNorm(WIDTH)

    def body(self, x):
        return super().body(self.norm(x))


class GroupedHeads(Tokens):
    """Fused attention with one key for two heads."""

    def body(self, x):
        q = self.first(x).view(*x.shape[:2], 2, -1).transpose(1, 2)
        k = self.second(x)[..., :WIDTH // 2].unsqueeze(1)
        y = F.scaled_dot_product_attention(q, k, k, enable_gqa=True)
        return y.transpose(1, 2).flatten(2)


class LearnedQuery(Tokens):
    """The query of fused attention is repeated for each sample, a count that
    TorchScript writes as a number."""

    def __init__(self):
        super().__init__()
        self.probe = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.pool = nn.MultiheadAttention(WIDTH, 2, batch_first=True)

    def body(self, x):
        b, t, width = x.shape
        q = self.first(x).view(b, -1, 2, width // 2).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, q, q, attn_mask=None)
        x = x + self.second(y.transpose(1, 2).reshape(b, t, width))
        probe = self.probe.expand(x.shape[0], -1, -1)
        return x + self.pool(probe, x, x, need_weights=False)[0]


class Stack(Tokens):
    """More layers than are compared if a module is large."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def body(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return x


class Item(Tokens):
    def body(self, x):
        return self.second(x) * self.first.bias.sum().item()


class Clamped(Tokens):
    def body(self, x):
        with torch.no_grad():
            self.first.weight.clamp_(-1, 1)
        return super().body(x)


class Hooked(Tokens):
    def body(self, x):
        y = self.first(x)
        y.register_hook(lambda gradient: gradient.clamp(-1, 1))
        return self.second(y)


class Renormed(Tokens):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCAB, WIDTH, max_norm=1.0)


class Normed(Tokens):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(WIDTH)

    def body(self, x):
        return super().body(self.norm(x.transpose(1, 2)).transpose(1, 2))


class SharedMemory(Tokens):
    def __init__(self):
        super().__init__()
        self.second.weight = nn.Parameter(self.first.weight.data)


class TwoPaddings(Padding):
    def forward(self, tokens):
        x = self.table(tokens) + F.embedding(tokens, self.table.weight)
        return self.head(self.body(x))


class Half(torch.autograd.Function):
    """The identity with half the gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient / 2


class OwnTanh(torch.autograd.Function):
    """A backward of its own that is the right one."""

    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        y, = ctx.saved_tensors
        return gradient * (1 - y * y)


class OwnBackward(Tokens):
    def body(self, x):
        with torch.no_grad():
            shift = x.mean()
        return self.second(OwnTanh.apply(self.first(x))) + shift


class MaskInput(Tokens):
    """A padding mask of bools."""

    def forward(self, tokens, mask):
        x = self.body(self.table(tokens))
        q = self.first(x)[:, None]
        x = F.scaled_dot_product_attention(q, q, q, mask[:, None, None])
        return self.head(x[:, 0])


class Bag(Tokens):
    """The mean of a bag of ids is added to each of them."""

    padding_of_bag = None

    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(VOCAB, WIDTH,
                                   padding_idx=self.padding_of_bag)

    def forward(self, tokens):
        x = self.table(tokens) + self.bag(tokens)[:, None]
        return self.head(self.body(x))


class Sparse(Tokens):
    """A sparse gradient, of the looked-up rows alone."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCAB, WIDTH, sparse=True)


class PaddedBag(Bag):
    padding_of_bag = 2


class LargestOfBag(Bag):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(VOCAB, WIDTH, mode="max", padding_idx=-9)


class BagAtOffsets(Bag):
    """ONNX Runtime crashes on the file that dynamo writes."""

    def forward(self, tokens):
        begins = torch.arange(0, tokens.numel(), tokens.shape[1])
        x = self.table(tokens) + self.bag(tokens.flatten(), begins)[:, None]
        return self.head(self.body(x))


class HalfGradient(Tokens):
    def body(self, x):
        return self.second(Half.apply(self.first(x)))


class AllDetached(Tokens):
    def forward(self, tokens):
        return super().forward(tokens).detach()


CASES = {
    "frozen": Case(Frozen, frozen=("table.weight", "second.weight",
                                   "first.bias", "unused.weight",
                                   "unused.bias")),
    "detached": Case(Detached, detached=1),
    "data": Case(Data, detached=1),
    "no-grad": Case(NoGrad, detached=1),
    "no-grad-inside": Case(NoGradInside, detached=1,
                           frozen=("first.weight", "first.bias")),
    "detached-parameter": Case(DetachedParameter, detached=1),
    "straight-through": Case(StraightThrough, detached=1),
    "detached-silu": Case(DetachedSilu, detached=1),
    "detached-norm": Case(DetachedNorm, detached=2),
    "detached-attention": Case(DetachedAttention, detached=1),
    "padding": Case(Padding, padded={"table.weight": 2},
                    tied={"table.weight": ["head.weight"]}),
    "functional-padding": Case(FunctionalPadding,
                               padded={"table.weight": VOCAB - 1}),
    "buffers": Case(Buffers, buffers=("sinusoids", "noise", "bias"),
                    context=32),
    "tied": Case(Tied, tied={"table.weight": ["head.weight"],
                             "first.weight": ["second.weight"],
                             "first.bias": ["second.bias"]}),
    "scalars": Case(Scalars),
    "equal": Case(Equal),
    "positions": Case(Positions, context=18),
    "sliced-positions": Case(SlicedPositions, context=24),
    "whole-positions": Case(WholePositions, context=SEQ,
                            alone="TorchScript"),
    "distances": Case(Distances),
    "dropout": Case(Dropout),
    "loss": Case(Loss, ("tokens", "labels"), None),
    "own-loss": Case(OwnLoss, ("tokens", "labels"), None),
    "smoothed": Case(Smoothed, ("tokens", "labels"), None,
                     buffers=("weights",)),
    "own-backward": Case(OwnBackward, detached=1),
    "mask": Case(MaskInput, ("tokens", "mask")),
    "values": Case(Values, ("values",), "mse"),
    "rms-norm": Case(ScaledNorm),
    "grouped-heads": Case(GroupedHeads, alone="dynamo"),
    "learned-query": Case(LearnedQuery, alone="dynamo"),
    "stack": Case(Stack, frozen=("first.weight", "first.bias",
                                 "second.weight", "second.bias")),
    "bag": Case(Bag),
    "padded-bag": Case(PaddedBag),
    "largest-of-bag": Case(LargestOfBag),
    "bag-at-offsets": Case(BagAtOffsets, alone="neither",
                           refused="no exporter writes this module"),
    "item": Case(Item, refused="item() turns a value with a gradient"),
    "clamped": Case(Clamped, refused="clamp_ changes a value in place"),
    "hooked": Case(Hooked, refused="a hook changes a gradient"),
    "renormed": Case(Renormed, refused="an embedding has max_norm"),
    "batch-norm": Case(Normed, refused="buffer 'norm."),
    "shared-memory": Case(SharedMemory, refused="share their memory"),
    "two-paddings": Case(TwoPaddings, refused="is looked up with padding_idx"),
    "half-gradient": Case(HalfGradient, refused="gradient of 'first."),
    "all-detached": Case(AllDetached, refused="no parameter is trained"),
}


def build(name):
    torch.manual_seed(0)
    return CASES[name].build()


def samples(name, count, seed=1):
    """Inputs by name, `count` samples each; labels if pcc attaches the loss,
    else None."""
    case, generator = CASES[name], torch.Generator().manual_seed(seed)
    ids = torch.randint(VOCAB, (count, SEQ), generator=generator)
    ids[:, -1] = 2  # As padding.
    labels = torch.randint(VOCAB, (count, SEQ), generator=generator)
    labels[:, 0] = -100
    values = torch.randn(count, WIDTH, generator=generator)
    if case.loss == "mse":
        labels = torch.randn(count, 2, generator=generator)
    mask = torch.arange(SEQ) < 1 + torch.arange(count)[:, None] % SEQ
    known = {"mask": mask, "tokens": ids, "labels": labels, "values": values}
    inputs = {n: known[n] for n in case.inputs}
    return inputs, None if "labels" in inputs else labels
