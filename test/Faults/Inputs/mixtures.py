"""Faults in the text of programs that train mixtures of experts: in routing, in
the collectives around experts, in their gradients, buckets and balance. Most
are edits of a text at phase spmd, where nn.experts is one op; some change what
a kernel of a text at phase rt computes.

FAULTS lists them as planted.py does. A check may refuse a fault; a comparison
must find the others.
"""

import re

from planted import Fault, replaced

FORWARD = r"nn\.experts "
BACKWARD = r"nn\.experts_grad "
SHARDING = r"#dist\.sharding<@mesh, \[.*?\](?:, partial = \{[^}]*\})?>"


def numbers(lines, pattern):
    """The numbers of the lines that match; there must be one."""
    found = [n for n, line in enumerate(lines) if re.search(pattern, line)]
    assert found, pattern
    return found


def definition(lines, name, before):
    """The number of the line before another that defines a value."""
    stem = re.escape(name.split("#")[0])
    for n in range(before - 1, -1, -1):
        head = lines[n].split(" = ")[0]
        if re.search(rf"^ +(.*, )?{stem}(:\d+)?(,|$)", head):
            return n
    raise AssertionError(name)


def operand(line, role):
    """An operand of nn.experts or nn.experts_grad. Roles: x, dy, or the word
    before the operand."""
    if role == "dy":
        return re.search(r"nn\.experts_grad \w+ (%[\w#]+)", line)[1]
    if role == "x":
        return re.search(r"nn\.experts(?:_grad \w+ %[\w#]+,| \w+) (%[\w#]+)",
                         line)[1]
    return re.search(rf" {role} (%[\w#]+)", line)[1]


def edited(lines, n, edit):
    """The text with an edit of a line, which must change it."""
    changed = edit(lines[n])
    assert changed != lines[n], lines[n]
    return "\n".join([*lines[:n], changed, *lines[n + 1:]])


def at(pattern, which, edit, after=None):
    """Edits the line that matches, the which-th of them. With `after`, counts
    from the first line after that which matches it."""
    def plant(source):
        lines = source.split("\n")
        begin = numbers(lines, after)[0] if after else 0
        n = [n for n in numbers(lines, pattern) if n >= begin][which]
        return edited(lines, n, edit)
    return plant


def feeding(op, which, role, edit):
    """Edits the line that defines an operand of the which-th op."""
    def plant(source):
        lines = source.split("\n")
        n = numbers(lines, op)[which]
        n = definition(lines, operand(lines[n], role), n)
        return edited(lines, n, edit)
    return plant


def using(op, which, result, edit):
    """Edits the first line after the which-th op that reads its result, and
    then the first that reads that line's result, until one changes."""
    def plant(source):
        lines = source.split("\n")
        n = numbers(lines, op)[which]
        name = re.split(r":\d+|, | = ", lines[n].strip())[result]
        while True:
            n = next(m for m in range(n + 1, len(lines))
                     if re.search(re.escape(name) + r"\b", lines[m]))
            changed = edit(lines[n])
            if changed != lines[n]:
                lines[n] = changed
                return "\n".join(lines)
            name = re.match(r" *(%\w+)", lines[n])[1]
    return plant


def of_other(op, target, other, role):
    """The target-th op reads the operand of the other-th."""
    def plant(source):
        lines = source.split("\n")
        found = numbers(lines, op)
        old = operand(lines[found[target]], role)
        new = operand(lines[found[other]], role)
        assert old != new
        lines[found[target]] = re.sub(re.escape(old) + r"\b", new,
                                      lines[found[target]], count=1)
        return "\n".join(lines)
    return plant


def over(old, new):
    """An edit of a collective: it runs over another axis of the same extent."""
    return replaced(rf'over \["{old}"\]', f'over ["{new}"]')


def reduced_before(axis):
    """An edit of a collective: its operand is reduced over an axis first."""
    def edit(line):
        found = re.search(r"dist\.(?:reduce_scatter|all_reduce sum) (%\w+).*?"
                          r" : (tensor<\S+?>)( |$)", line)
        if not found:
            return line
        shardings = re.search(r"dist\.shardings = \[(" + SHARDING + r")\]",
                              line)[1].replace(f', "{axis}"', "")
        value = re.escape(found[1]) + r"\b"
        return (f'    %fault = dist.all_reduce sum {found[1]} over ["{axis}"] '
                f"{{dist.shardings = [{shardings}]}} : {found[2]}\n"
                + re.sub(r"(dist\.(?:reduce_scatter|all_reduce sum)) " + value,
                         r"\1 %fault", line))
    return edit


def reduced_also(axis):
    """An edit of rt.reduce_scatter: its operand is all-reduced first."""
    def edit(line):
        found = re.match(r"( *)rt\.reduce_scatter (%\w+) to .*?( stream \d+)? "
                         r"\{.*array<i64: (\d+), .*?\} : (memref<\S+>) to",
                         line)
        return (f'{found[1]}rt.all_reduce sum {found[2]} over ["{axis}"]'
                f"{found[3] or ''} {{rt.values = array<i64: {found[4]}, "
                f"{found[4]}>}} : {found[5]}\n{line}")
    return edit


def left_out(line):
    """An edit of an all_reduce: its operand is its result."""
    found = re.match(r"( *%\w+) = dist\.all_reduce sum (%\w+) over \S+ "
                     r"(\{.*\}) : (tensor<\S+>)$", line)
    return f"{found[1]} = nn.sum {found[2]} {found[3]} : {found[4]}" if found \
        else line


def squared(line):
    """An edit of an all_gather: its result is multiplied by itself."""
    found = re.match(r"( *)(%\w+) = .*?(\{dist\..*\}) : .*-> (tensor<\S+>)$",
                     line)
    attributes = re.sub(r"dist\.id = \d+ : i64, ", "", found[3])
    return (line.replace(f"{found[2]} =", "%fault =")
            + f"\n{found[1]}{found[2]} = nn.mul %fault, %fault {attributes} : "
            + found[4])


def everywhere(*edits):
    """Edits all lines: (pattern of lines, pattern, replacement)."""
    def plant(source):
        lines = source.split("\n")
        for which, pattern, new in edits:
            for n in numbers(lines, which):
                lines[n] = re.sub(pattern, new, lines[n])
        return "\n".join(lines)
    return plant


def last_row_dropped(source):
    """Edits the kernels that route rows to 4 experts: the last row has no
    token."""
    def limits(match):
        values = ", ".join(["4"] * (int(match[2]) - 1) + ["0"])
        return match[0].replace("dense<4>", f"dense<[{values}]>")
    changed, count = re.subn(
        r"(%\w+) = nn\.constant dense<4> : tensor<(\d+)xi32>"
        r"(?=\n *%\w+ = nn\.compare lt %\w+, \1 :)", limits, source)
    assert count
    return changed


def next_operand(line):
    """An edit of a launch: it reads the buffer after its first operand."""
    return re.sub(r"ins\(%(\d+)", lambda m: f"ins(%{int(m[1]) + 1}", line)


LAYER = r"layers\.{}\."
OF_EXPERTS = r"mlp\.experts"

# dp, ep and tp have 2 ranks each, so that a collective can run over the wrong
# one. "hot": a router that sends all tokens to two experts of one rank, so that
# all rows are used.
PLANS = {
    "experts": ("models/qwen3-moe-eval-17.onnx",
                "--seq 16 --tp 2 --dp 4 --ep 2 --zero 2 --global-batch-size 8"),
    "biases": ("models/gpt-oss-dynamo.onnx",
               "--seq 16 --tp 2 --dp 4 --ep 2 --zero 1 --global-batch-size 8"),
    "balance": ("models/deepseek-v3-dynamo.onnx",
                "--seq 16 --tp 2 --dp 4 --ep 2 --zero 2 --global-batch-size 8 "
                "--moe-bias-rate 0.01 --moe-aux-loss 0.05"),
    "hot": ("moe --layers=2 --seq=16 --vocab=64 --width=32 --inner=24 "
            "--experts=8 --untied --routing=hash --choices=2 --batch=4",
            "--tp 2 --dp 4 --ep 2 --global-batch-size 8"),
}


def all_to_two_experts(text):
    """The module of plan "hot" from what make.py prints."""
    text = re.sub(r"\[\d, \d\](?=[,\]])", "[0, 3]", text)
    return f'module attributes {{pcc.phase = "nn"}} {{\n{text}}}\n'


def spmd(name, names, edit, plan="experts"):
    return Fault(name, plan, names, edit, "spmd")


FAULTS = [
    # Routing.
    spmd("experts' offset by another extent", LAYER.format(0),
         feeding(FORWARD, 0, "offset", replaced("by 4", "by 2"))),
    spmd("experts' offset by another axis", LAYER.format(1),
         feeding(FORWARD, 1, "offset", replaced('"ep"', '"tp"'))),
    spmd("experts' offset by another axis in the gradient", LAYER.format(1),
         feeding(BACKWARD, 0, "offset", replaced('"ep"', '"dp"'))),
    spmd("gates applied twice", LAYER.format(1),
         feeding(FORWARD, 1, "gates", squared)),
    spmd("gates applied twice in the gradient", LAYER.format(0),
         feeding(BACKWARD, 1, "gates", squared)),
    spmd("ids of another layer in the gradient", LAYER.format(0),
         of_other(BACKWARD, 1, 0, "ids")),
    spmd("gates of another layer in the gradient", LAYER.format(0),
         of_other(BACKWARD, 1, 0, "gates")),
    spmd("tokens of another layer in the gradient", LAYER.format(0),
         of_other(BACKWARD, 1, 0, "x")),
    spmd("weights of another layer in the gradient", LAYER.format(1),
         of_other(BACKWARD, 0, 1, "w2")),
    spmd("weights of another layer", LAYER.format(1),
         of_other(FORWARD, 1, 0, "w1")),
    spmd("another activation function in the gradient", LAYER.format(0),
         at(BACKWARD, 1, replaced("experts_grad silu", "experts_grad gelu"))),
    spmd("another alpha in the gradient", LAYER.format(1),
         at(BACKWARD, 0, replaced(r"alpha = \S+", "alpha = 1.000000e+00")),
         "biases"),
    spmd("another limit", LAYER.format(0),
         at(FORWARD, 0, replaced(r"limit = \S+", "limit = 1.000000e-01")),
         "biases"),
    # Splits.
    spmd("w1 split otherwise than w2", OF_EXPERTS,
         everywhere((r"layers\.0\.mlp\.experts\.gate_up_proj",
                     r'\{"ep"\}, \{\}, \{"tp"\}', '{"tp"}, {}, {"ep"}'))),
    spmd("experts split by tp, their columns by ep", OF_EXPERTS,
         everywhere((r"layers\.\d\.mlp\.experts\.(gate_up|down)_proj",
                     r'\{"ep"\}, \{\}, \{"tp"\}', '{"tp"}, {}, {"ep"}'))),
    # Collectives.
    spmd("a reduce_scatter left out", LAYER.format(0),
         using(FORWARD, 0, 0, replaced(
             r'dist\.reduce_scatter (%\w+) dim 0 over \["ep"\]',
             r"nn.slice \1 at [0, 0, 0] step [1, 1, 1]"))),
    spmd("a reduce_scatter doubled", LAYER.format(1),
         using(FORWARD, 1, 0, reduced_before("ep"))),
    spmd("a reduce_scatter over dp", LAYER.format(1),
         using(FORWARD, 1, 0, over("ep", "dp"))),
    spmd("a reduce_scatter of tokens' gradients over dp", LAYER.format(0),
         using(BACKWARD, 1, 0, over("ep", "dp"))),
    spmd("an all_reduce over tp left out", LAYER.format(0),
         using(FORWARD, 0, 0, left_out)),
    spmd("an all_reduce of gates' gradients over tp left out", LAYER.format(1),
         using(BACKWARD, 0, 1, left_out)),
    spmd("gates' gradients reduced over ep twice", LAYER.format(1),
         using(BACKWARD, 0, 1, reduced_before("ep"))),
    spmd("x gathered over ep and ids over dp", LAYER.format(0),
         feeding(FORWARD, 0, "ids", over("ep", "dp"))),
    spmd("x gathered over dp", LAYER.format(1),
         feeding(FORWARD, 1, "x", over("ep", "dp"))),
    spmd("gates gathered over tp", LAYER.format(1),
         feeding(FORWARD, 1, "gates", over("ep", "tp"))),
    spmd("gradients gathered over dp", LAYER.format(0),
         feeding(BACKWARD, 1, "dy", over("ep", "dp"))),
    # Gradients and buckets.
    spmd("experts' gradients reduced over ep too", OF_EXPERTS,
         at(r'reduce_scatter %\w+ dim 1 over \["dp"\]', 0,
            reduced_before("ep"), after=r"@reduce\(")),
    spmd("experts' gradients reduced over ep instead of dp", OF_EXPERTS,
         at(r'reduce_scatter %\w+ dim 1 over \["dp"\]', 0, over("dp", "ep"),
            after=r"@reduce\(")),
    spmd("experts' parameters gathered over ep", OF_EXPERTS,
         at(r'all_gather %\w+ dim 1 over \["dp"\]', 0, over("dp", "ep"))),
    spmd("gradients of w2 accumulated in another layer", OF_EXPERTS,
         at(r"nn\.accumulate .*@grad\.\S*layers\.1\.mlp\.experts\.down_proj", 0,
            replaced(r"@grad\.(\S*layers)\.1\.", r"@grad.\1.0."))),
    # Biases.
    spmd("b2 added by each rank of f", LAYER.format(0),
         at(r'reduce_scatter %\w+ dim 0 over \["ep"\]', 1,
            reduced_before("tp"), after=FORWARD), "biases"),
    spmd("b2 of experts by another offset", LAYER.format(0),
         at(r'dist\.offset \["ep"\] by 2', 1, replaced("by 2", "by 1"),
            after=r"@microbatch\("), "biases"),
    spmd("b1 of another layer", LAYER.format(1),
         of_other(FORWARD, 1, 0, "b1"), "biases"),
    # Balance.
    spmd("choices of experts counted over dp alone", r"correction_bias",
         at(r"dist\.all_reduce sum .* : tensor<1x8xf32>$", 0,
            replaced(r'over \["dp", "ep"\]', 'over ["dp"]')), "balance"),
    spmd("a correction bias updated in the other direction", r"correction_bias",
         at(r"nn\.scale %\w+ by 1\.0+e-02 ", 0,
            replaced(r"by 1\.0+e-02", "by -1.0e-02")), "balance"),
    # Calls and kernels.
    Fault("a reduce_scatter over dp, of buffers", "experts", LAYER.format(0),
          at(r'rt\.reduce_scatter %arg2 .*over \["ep"\]', 0, over("ep", "dp"))),
    Fault("ids gathered over dp, of buffers", "experts", LAYER.format(1),
          at(r'rt\.all_gather .*over \["ep"\].*xi32> to', 0,
             over("ep", "dp"))),
    Fault("an all_reduce over tp left out, of buffers", "experts",
          LAYER.format(0),
          at(r'rt\.all_reduce sum .*over \["tp"\]', 0, lambda line: "",
             after=r"rt\.reduce_scatter ")),
    Fault("experts' gradients reduced over ep too, of buffers", "experts",
          OF_EXPERTS,
          at(r'rt\.reduce_scatter .*over \["dp"\]', 0, reduced_also("ep"))),
    Fault("ends of another route", "experts", LAYER.format(0),
          at(r"rt\.launch @kernel_\d+_compare_cast_reduce ins\(%\w+ : "
             r"memref<128xi32>\) outs\(%\w+ : memref<4xi32>\)", 0,
             next_operand)),
    Fault("rows one too few, with a router that needs all", "hot",
          LAYER.format(0), last_row_dropped),
]
