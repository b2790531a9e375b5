"""Writes programs of one op with inputs and expected values for pcc-run."""

import json
import os

import numpy as np

# The operands, in order, of ops with several optional ones.
SEGMENTS = {
    "attention": (
        "q k v q_pos k_pos bias sinks samples seed step head_origin starts"
    ).split(),
    "attention_grad": (
        "d_result q k v result lse max q_pos k_pos bias samples seed step "
        "head_origin starts"
    ).split(),
}
TYPES = {"float64": "f32", "float32": "f32", "int64": "i64", "bool": "i1"}


def tensor_type(array, element=None):
    array = np.asarray(array)
    dims = "".join(f"{n}x" for n in array.shape)
    return f"tensor<{dims}{element or TYPES[array.dtype.name]}>"


def attribute(value):
    if value is True:
        return "unit"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, int):
        return f"{value} : i64"
    if isinstance(value, float):
        return f"{value:.17e} : f64"
    return "array<i64: " + ", ".join(map(str, value)) + ">"


def op_text(op, operands, attributes, results):
    """`operands`: [(name, SSA value, type)], `results`: their types."""
    if op == "compare":  # its attribute has no generic form
        (_, lhs, kind), (_, rhs, _) = operands
        return (f"%r:1 = nn.compare {attributes['relation']} {lhs}, {rhs} : "
                f"{kind} -> {results[0]}")
    given = {k: attribute(v) for k, v in attributes.items() if v is not False}
    if op in SEGMENTS:
        present = [name for name, _, _ in operands]
        counts = [int(name in present) for name in SEGMENTS[op]]
        given["operandSegmentSizes"] = (
            "array<i32: " + ", ".join(map(str, counts)) + ">"
        )
    text = ", ".join(f"{k} = {v}" for k, v in given.items())
    text = f" <{{{text}}}>" if given else ""
    values = ", ".join(value for _, value, _ in operands)
    types = ", ".join(t for _, _, t in operands)
    return (
        f'%r:{len(results)} = "nn.{op}"({values}){text} : '
        f"({types}) -> ({', '.join(results)})"
    )


def numbers(array):
    array = np.asarray(array)
    if array.dtype.kind != "f":
        return array.tolist()
    special = lambda x: x if np.isfinite(x) else str(x)
    nested = lambda x: [nested(y) for y in x] if x.ndim else special(float(x))
    return nested(array)


def write(directory, name, text, inputs, expected):
    os.makedirs(directory, exist_ok=True)
    base = os.path.join(directory, name)
    with open(base + ".mlir", "w") as file:
        file.write(text)
    for kind, values in (("inputs", inputs), ("expected", expected)):
        with open(f"{base}.{kind}.json", "w") as file:
            json.dump({k: numbers(v) for k, v in values.items()}, file)


def forward(directory, name, op, attributes, inputs, outputs, types={}):
    """A function of the op alone. `inputs`: name -> array, in order;
    `outputs`: arrays; `types`: element types by input name or result index."""
    arguments = [
        (n, f"%{n}", tensor_type(x, types.get(n))) for n, x in inputs.items()
    ]
    results = [tensor_type(x, types.get(i)) for i, x in enumerate(outputs)]
    signature = ", ".join(
        f'{v}: {t} {{nn.name = "{n}"}}' for n, v, t in arguments
    )
    returned = ", ".join(f"%r#{i}" for i in range(len(results)))
    text = (
        f"func.func @forward({signature}) -> ({', '.join(results)}) {{\n"
        f"  {op_text(op, arguments, attributes, results)}\n"
        f"  return {returned} : {', '.join(results)}\n}}\n"
    )
    expected = {str(i): x for i, x in enumerate(outputs)}
    write(directory, name, text, inputs, expected)


def loss(directory, name, op, attributes, inputs, outputs, cotangents,
         gradients):
    """The op's float operands are parameters, and @loss is the sum of its
    results times the cotangents; results are listed in `outputs` by name."""
    lines, arguments, body = [], [], []
    operands, given = [], {}
    for n, x in inputs.items():
        kind = tensor_type(x)
        if x.dtype.kind == "f":
            lines.append(f'nn.param @"{n}" : {kind} init normal')
            body.append(f'%{n} = nn.read @"{n}" : {kind}')
            given["@" + n] = x
        else:
            arguments.append(f'%{n}: {kind} {{nn.name = "{n}"}}')
            given[n] = x
        operands.append((n, f"%{n}", kind))
    results = [tensor_type(x) for x in outputs.values()]
    body.append(op_text(op, operands, attributes, results))
    terms = []
    for i, (n, kind) in enumerate(zip(outputs, results)):
        if n not in cotangents:
            continue
        arguments.append(f'%d_{n}: {kind} {{nn.name = "d_{n}"}}')
        given["d_" + n] = cotangents[n]
        dims = ", ".join(map(str, range(outputs[n].ndim)))
        body.append(f"%p{i} = nn.mul %r#{i}, %d_{n} : {kind}")
        body.append(
            f"%s{i} = nn.reduce %p{i} [{dims}] : {kind} -> tensor<f32>"
        )
        terms.append(f"%s{i}")
    body.append(f"%loss = nn.sum {', '.join(terms)} : tensor<f32>")
    body.append("%count = nn.constant dense<1.0> : tensor<f32>")
    body.append("return %loss, %count : tensor<f32>, tensor<f32>")
    lines.append(
        f"func.func @loss({', '.join(arguments)}) -> "
        "(tensor<f32>, tensor<f32>) {"
    )
    lines += ["  " + line for line in body] + ["}", ""]
    expected = {"@grad." + n: x for n, x in gradients.items()}
    write(directory, name, "\n".join(lines), given, expected)
