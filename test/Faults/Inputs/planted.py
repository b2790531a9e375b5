"""Faults in the text of a program at phase rt that every check accepts: they
change what a kernel computes, for one layer or one bucket. Only a comparison of
results finds them.

FAULTS lists them: the plan that the fault is planted in, what a comparison must
name (a pattern of tensors, or a quantity), and the edit.
"""

import collections
import re

Fault = collections.namedtuple("Fault", "name plan names edit phase",
                               defaults=("rt",))


class Text:
    """The lines of a program, with its kernels and functions."""

    def __init__(self, text):
        self.lines = text.split("\n")

    def text(self):
        return "\n".join(self.lines)

    def block(self, begin):
        """The number of the line that ends the block of line `begin`."""
        indent = re.match(r" *", self.lines[begin])[0]
        end = begin + 1
        while self.lines[end] != indent + "}":
            end += 1
        return end

    def find(self, pattern, begin=0, end=None):
        """The numbers of all lines that match."""
        return [n for n in range(begin, len(self.lines) if end is None else end)
                if re.search(pattern, self.lines[n])]

    def copy(self, name, suffix):
        """Copies a kernel or function; returns the first line of the copy."""
        symbol = re.escape("@" + name) + r"\("
        starts = self.find(rf"func (private )?{symbol}")
        for begin in reversed(starts):
            end = self.block(begin)
            lines = self.lines[begin:end + 1]
            lines[0] = re.sub(symbol, f"@{name}{suffix}(", lines[0])
            self.lines[end + 1:end + 1] = lines
        return [n for n in self.find(rf"func (private )?"
                                     + re.escape(f"@{name}{suffix}("))]

    def change(self, begin, edit):
        """Edits the lines of a block as one text; it must change."""
        end = self.block(begin)
        before = "\n".join(self.lines[begin:end + 1])
        after = edit(before)
        assert after != before, before
        self.lines[begin:end + 1] = after.split("\n")


def replaced(pattern, new, count=1):
    """An edit that replaces a pattern in a kernel."""
    return lambda text: re.sub(pattern, new, text, count=count)


def chained(*edits):
    def edit(text):
        for one in edits:
            text = one(text)
        return text
    return edit


def in_layer(layer, body, kernel, edit):
    """A fault in a kernel, for one layer. `body`: the prefix of the functions
    that launch it for all layers; `kernel`: a pattern of its name."""
    def plant(source):
        text = Text(source)
        begin = 0
        calls = []
        while True:
            train = text.find(r"rt\.func @train\(", begin)
            if not train:
                break
            first, last = train[0], text.block(train[0])
            begin = last
            address = {}
            for n in range(first, last):
                line = text.lines[n]
                if found := re.match(r" *(%\w+) = rt\.address @(\S+)", line):
                    address[found[1]] = found[2]
                call = re.search(rf"rt\.call @({body}\S*?)\(([^)]*)\)", line)
                if call and any(f"h.{layer}." in address.get(a, "") for a in
                                call[2].split(", ")):
                    calls.append((n, call[1]))
        assert calls, body
        for n, name in calls:
            text.lines[n] = text.lines[n].replace(f"@{name}(", f"@{name}.fault(")
        kernels = set()
        for name in sorted({name for _, name in calls}):
            for start in reversed(text.copy(name, ".fault")):
                def launch(lines):
                    def rename(match):
                        kernels.add(match[1])
                        return f"rt.launch @{match[1]}_fault "
                    return re.sub(rf"rt\.launch @({kernel}) ", rename, lines)
                text.change(start, launch)
        assert kernels, kernel
        for name in kernels:
            start, = text.copy(name, "_fault")
            text.change(start, edit)
        return text.text()
    return plant


def in_kernels(kernel, edit, least=1):
    """A fault in all kernels whose line matches."""
    def plant(source):
        text = Text(source)
        found = text.find(rf"func\.func private @{kernel}\(")
        assert len(found) >= least, kernel
        for begin in reversed(found):
            text.change(begin, edit)
        return text.text()
    return plant


def bucket(elements):
    """The name of the kernel that updates a bucket's shard of so many
    elements, if it does nothing else."""
    return rf"kernel_\d+_adamw(?=\(%arg0: tensor<1x{elements}xf32>)"


def arguments(text):
    """The numbers of the operands of nn.adamw, by name."""
    found = re.search(
        r"nn\.adamw (?:decay )?(%\w+), (%\w+), (%\w+), (%\w+) grad_scale (%\w+) "
        r"lr (%\w+) betas (%\w+), (%\w+) eps (%\w+) weight_decay (%\w+) step "
        r"(%\w+)", text)
    return dict(zip("param grad exp_avg exp_avg_sq scale lr beta1 beta2 eps "
                    "weight_decay step".split(), found.groups()))


def exchanged(first, second):
    """An edit that exchanges two operands of nn.adamw."""
    def edit(text):
        names = arguments(text)
        a, b = names[first], names[second]
        head, op, tail = re.split(r"(nn\.adamw .*?step %\w+)", text, maxsplit=1)
        swap = {a: b, b: a}
        op = re.sub(r"%\w+", lambda m: swap.get(m[0], m[0]), op)
        return head + op + tail
    return edit


def constant(name, value, kind="f32"):
    """An edit that replaces an operand of nn.adamw by a constant."""
    def edit(text):
        operand = arguments(text)[name]
        head, op, tail = re.split(r"(nn\.adamw .*?step %\w+)", text, maxsplit=1)
        op = re.sub(rf"{operand}\b", "%fault", op)
        line = f"%fault = nn.constant dense<{value}> : tensor<{kind}>\n    "
        at = head.rindex("%new_param")
        return head[:at] + line + head[at:] + op + tail
    return edit


def scaled(name, factor):
    """An edit that scales an operand of nn.adamw."""
    def edit(text):
        operand = arguments(text)[name]
        head, op, tail = re.split(r"(nn\.adamw .*?step %\w+)", text, maxsplit=1)
        op = re.sub(rf"{operand}\b", "%fault", op)
        kind = {"grad": re.search(r" : (tensor<\S+?>)", tail)[1]}.get(
            name, "tensor<f32>")
        line = f"%fault = nn.scale {operand} by {factor} : {kind}\n    "
        at = head.rindex("%new_param")
        return head[:at] + line + head[at:] + op + tail
    return edit


def returned(edit):
    """Edits the line that returns a kernel's results."""
    def change(text):
        lines = text.split("\n")
        lines[-2] = edit(lines[-2])
        return "\n".join(lines)
    return change


def returned_swapped(text):
    return returned(lambda line: re.sub(r"return (%\w+), (%\w+)",
                                        r"return \2, \1", line))(text)


def doubled(result):
    """An edit that scales the first returned value by 2."""
    def edit(text):
        lines = text.split("\n")
        found = re.search(r"return (%\w+).* : (tensor<\S+?>)(,|$)", lines[-2])
        value, kind = found[1], found[2]
        lines[-2:-2] = [f"    %fault = nn.scale {value} by {result} : {kind}"]
        lines[-2] = re.sub(rf"return {value}\b", "return %fault", lines[-2])
        return "\n".join(lines)
    return edit


# The operands of a kernel that adds a bias and a residual.
OF_RESIDUAL = (r"(?= ins\([^:]*: memref<64xf32>, memref<1x16x64xf32>, "
               r"memref<1x16x64xf32>)")
LAYER = r"transformer\.h\.{}\."
NORMS = r"\.ln_|ln_f|c_proj\.bias|\bwpe"
MATRICES = r"(c_attn|c_proj|c_fc)\.weight"

# Plans of the GPT-2 example: ZeRO 2 with all of tp, pp and dp; and dropout with
# sequence and context parallelism, whose buckets are all reduced once.
PLANS = {
    "zero": ("gpt2/gpt2.onnx", "--seq 16 --tp 2 --pp 2 --dp 2 --zero 2 "
             "--global-batch-size 8 --micro-batch-size 1"),
    "sequence": ("gpt2/gpt2-dropout.onnx",
                 "--seq 16 --tp 2 --dp 2 --cp 2 --zero 0 "
                 "--sequence-parallel --global-batch-size 8 "
                 "--micro-batch-size 2"),
}

FAULTS = [
    # Forward.
    Fault("a residual added twice", "zero", LAYER.format(1),
          in_layer(1, "forward", r"kernel_\d+_sum" + OF_RESIDUAL,
                   replaced(r"nn\.sum (%arg1), (%\w+), (%arg2)",
                            r"nn.sum \1, \2, \3, \3"))),
    Fault("a residual halved", "zero", LAYER.format(2),
          in_layer(2, "forward", r"kernel_\d+_sum_layer_norm",
                   replaced(r"(%\w+) = nn\.sum %arg1, (%\w+), %arg2 : (.*)",
                            r"%fault = nn.scale %arg2 by 5.0E-1 : \3\n    "
                            r"\1 = nn.sum %arg1, \2, %fault : \3"))),
    Fault("another eps of a norm", "zero", LAYER.format(0),
          in_layer(0, "forward", r"kernel_\d+_layer_norm",
                   replaced(r"eps \S+", "eps 1.0E-2"))),
    Fault("another scale of attention", "zero", LAYER.format(3),
          in_layer(3, "forward", r"kernel_\d+_attention",
                   replaced(r"scale 2\.500000e-01", "scale 2.000000e-01"))),
    Fault("attention without its mask", "zero", LAYER.format(1),
          in_layer(1, "forward", r"kernel_\d+_attention",
                   replaced(r"attention causal", "attention"))),
    Fault("queries and keys swapped", "zero", LAYER.format(2),
          in_layer(2, "forward", r"kernel_\d+_attention",
                   replaced(r"attention causal (%\w+), (%\w+)",
                            r"attention causal \2, \1"))),
    Fault("another activation function", "zero", LAYER.format(0),
          in_layer(0, "forward", r"kernel_\d+_sum_gelu",
                   replaced(r"nn\.gelu tanh", "nn.gelu"))),
    Fault("dropout keyed by a local index of the sample", "sequence",
          LAYER.format(1),
          in_layer(1, "forward", r"kernel_\d+_sum_dropout",
                   chained(replaced(
                       r"(%\d+) = nn\.dropout (%\d+) samples (%\w+)",
                       r"%first = nn.constant dense<[0, 1]> : tensor<2xi64>"
                       "\n    "
                       r"\1 = nn.dropout \2 samples %first")))),
    Fault("dropout with the mask of another op", "sequence", LAYER.format(2),
          in_layer(2, "forward", r"kernel_\d+_sum_dropout_layer_norm",
                   replaced(r"id = (\d+)", r"id = 9\1"))),
    # Loss.
    Fault("a loss counted twice", "zero", "losses",
          in_kernels(r"kernel_\d+_cross_entropy_loss_reduce_sum",
                     replaced(r"nn\.sum %arg3, %0", "nn.sum %arg3, %0, %0"))),
    Fault("targets counted twice", "zero", "losses",
          in_kernels(r"kernel_\d+_valid_reduce_sum",
                     replaced(r"nn\.sum %arg1, %1", "nn.sum %arg1, %1, %1"))),
    # Backward.
    Fault("a residual's gradient left out", "zero", LAYER.format(1),
          in_layer(1, "backward", r"kernel_\d+_layer_norm_grad_sum",
                   replaced(r"nn\.sum %arg5, %0", "nn.sum %0"))),
    Fault("a residual's gradient added twice", "zero", LAYER.format(2),
          in_layer(2, "backward", r"kernel_\d+_layer_norm_grad_sum",
                   replaced(r"nn\.sum %arg5, %0", "nn.sum %arg5, %0, %0"))),
    Fault("gradients of a norm's scale and bias swapped", "zero",
          LAYER.format(3),
          in_layer(3, "backward",
                   r"kernel_\d+_layer_norm_grad_scale_reduce",
                   returned_swapped)),
    Fault("operands of an activation function's gradient swapped", "zero",
          LAYER.format(0),
          in_layer(0, "backward", r"kernel_\d+_gelu_grad",
                   replaced(r"tanh %arg0, %arg1", "tanh %arg1, %arg0"))),
    Fault("gradients of keys and values swapped", "zero", LAYER.format(1),
          in_layer(1, "backward", r"kernel_\d+_attention_grad",
                   chained(replaced(r"insert %dv dim 2 index 2",
                                    "insert %dv dim 2 index 9"),
                           replaced(r"insert %dk dim 2 index 1",
                                    "insert %dk dim 2 index 2"),
                           replaced(r"index 9", "index 1")))),
    Fault("a bias's gradient scaled by the number of replicas", "zero",
          LAYER.format(2),
          in_layer(2, "backward", r"kernel_\d+_reduce", doubled("2.0"))),
    Fault("an embedding's gradient with local ids", "zero", r"wte",
          in_kernels(r"kernel_\d+_embedding_grad(?=.*tensor<i64>\))",
                     replaced(r"(%0) = nn\.embedding_grad (\S+) (\S+) offset "
                              r"%arg2",
                              r"%first = nn.constant dense<0> : tensor<i64>"
                              "\n    "
                              r"\1 = nn.embedding_grad \2 \3 offset %first"))),
    # Clipping.
    Fault("a tied table counted twice in the norm", "zero", "norms",
          in_kernels(r"kernel_\d+_scale_reduce_sum(?=.*1x2048xf32)",
                     replaced(r"nn\.sum (%1, %3, %4, %5), %7",
                              r"nn.sum \1, %7, %7"))),
    Fault("a replicated bucket counted by each replica", "zero", "norms",
          in_kernels(r"kernel_\d+_scale_reduce_sum(?=.*1x448xf32)",
                     replaced(r"by 5\.000000e-01", "by 1.000000e+00"))),
    Fault("a bucket that is not clipped", "zero", MATRICES,
          in_kernels(bucket(24576), constant("scale", "1.0"))),
    Fault("a bucket not divided by the number of microbatches", "sequence",
          MATRICES, in_kernels(bucket(106496), scaled("grad", "2.0"))),
    # Update.
    Fault("a rate that is half as large", "zero", "rates",
          in_kernels(r"kernel_\d+_(?:compare_where_)?adamw",
                     scaled("lr", "0.5"), 6)),
    Fault("another rate for a bucket", "zero", NORMS,
          in_kernels(bucket(384), scaled("lr", "2.0"))),
    Fault("moments of a bucket decay alike", "zero", MATRICES,
          in_kernels(bucket(24576), exchanged("beta1", "beta2"))),
    Fault("another eps for a bucket", "zero", r"bias",
          in_kernels(bucket(224), constant("eps", "1.0E-3"))),
    Fault("weight decay of biases and norms", "zero", NORMS,
          in_kernels(bucket(384), replaced(r"nn\.adamw ", "nn.adamw decay "))),
    Fault("no weight decay of a bucket", "zero", MATRICES,
          in_kernels(bucket(24576), replaced(r"nn\.adamw decay ",
                                             "nn.adamw "))),
    Fault("a bucket whose step number stays 1", "zero", r"bias",
          in_kernels(bucket(224), constant("step", "1", "i64"))),
    Fault("a bucket that keeps its old parameters", "zero", NORMS,
          in_kernels(bucket(384),
                     returned(replaced("return %new_param",
                                       "return %arg0")))),
    Fault("a bucket without second moments", "zero", MATRICES,
          in_kernels(bucket(24576),
                     returned(replaced("%new_exp_avg_sq", "%arg3")))),
]
