#!/usr/bin/python3
"""Compares the compiler's import table with the schemas of the `onnx` package.

    PYTHONPATH=.onnx test/Backend/schemas.py    # .onnx: scripts/install-deps --onnx

For each row of the table and each of its opsets, the attributes are those of
ONNX's schema, with their types, and the numbers of operands agree. An operator
that a newer ONNX changes, and an opset that it adds, are findings. Prints the
differences and exits with 1; --self-test also plants mistakes in the table, and
exits with 1 if one is not found.
"""
import argparse
import copy
import json
import os
import subprocess
import sys

from onnx import IR_VERSION, AttributeProto, defs

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))

#: Operators that ONNX Runtime's optimizer writes and ONNX has no schema of.
FOREIGN = {"SimplifiedLayerNormalization"}
TRAINING = "ai.onnx.preview.training"


def split_name(name):
    """(domain, operator) of a row's name."""
    domain, _, operator = name.rpartition(".")
    return domain, operator


def default_of(attribute):
    """The default of a schema's attribute as the table writes it, or None."""
    value = attribute.default_value
    return {AttributeProto.INT: str(value.i),
            AttributeProto.FLOAT: str(value.f),
            AttributeProto.STRING: value.s.decode()}.get(value.type)


def compare_attributes(row, version, schema):
    known = {a["name"]: a for a in row["attributes"]
             if a["since"] <= version <= a["until"]}
    for name in sorted(set(schema.attributes) - set(known)):
        yield f"the table lacks attribute '{name}'"
    for name in sorted(set(known) - set(schema.attributes)):
        yield f"ONNX has no attribute '{name}'"
    for name in sorted(set(known) & set(schema.attributes)):
        ours, theirs = known[name], schema.attributes[name]
        kind = str(theirs.type).rpartition(".")[2]
        if ours["type"] != kind:
            yield f"attribute '{name}' is {ours['type']}, not {kind}"
        if ours["required"] != theirs.required:
            yield f"whether attribute '{name}' is required differs"
        default = default_of(theirs)
        if ours["values"] and default is not None and (
                default not in ours["values"]):
            yield f"attribute '{name}' may not have its default, {default}"


def compare_operands(row, schema):
    needed = sum(i.option == defs.OpSchema.FormalParameterOption.Single
                 for i in schema.inputs)
    if row["least_operands"] > max(needed, schema.min_input):
        yield (f"needs {row['least_operands']} operands, but ONNX only "
               f"{schema.min_input}")
    if row["most_operands"] < min(schema.max_input, 1 << 20):
        yield (f"takes {row['most_operands']} operands, but ONNX up to "
               f"{schema.max_input}")


def compare(table):
    """Yields the differences between the table and ONNX."""
    newest = table["newest_opset"]
    if newest != defs.onnx_opset_version():
        yield (f"the table knows opsets up to {newest}, ONNX up to "
               f"{defs.onnx_opset_version()}")
    if table["newest_format"] != IR_VERSION:
        yield (f"the table knows files of IR version {table['newest_format']}, "
               f"ONNX of {IR_VERSION}")
    for row in table["rows"]:
        domain, operator = split_name(row["name"])
        if domain not in ("", TRAINING) or row["name"] in FOREIGN:
            continue
        most = 0
        for version in range(row["since"], min(newest, row["until"]) + 1):
            where = f"{row['name']} at opset {version}: "
            try:
                schema = defs.get_schema(operator, version, domain)
            except defs.SchemaError:
                yield where + "ONNX has no such operator"
                continue
            if schema.deprecated:
                yield where + "ONNX has it no more"
            for text in compare_attributes(row, version, schema):
                yield where + text
            for text in compare_operands(row, schema):
                yield where + text
            most = max(most, min(schema.max_input, 1 << 32))
        if row["most_operands"] < 1 << 20 and row["most_operands"] > most:
            yield (f"{row['name']} takes {row['most_operands']} operands, "
                   f"but ONNX at most {most}")


def row_of(table, name):
    return next(r for r in table["rows"] if r["name"] == name)


def attribute_of(table, operator, name):
    return next(a for a in row_of(table, operator)["attributes"]
                if a["name"] == name)


#: Planted mistakes: a description, and the change of a table.
MISTAKES = {
    "a lost attribute": lambda t: row_of(t, "CumSum")["attributes"].pop(),
    "an attribute of other operators":
        lambda t: row_of(t, "Relu")["attributes"].append(
            attribute_of(t, "Elu", "alpha")),
    "another type":
        lambda t: attribute_of(t, "Elu", "alpha").update(type="INT"),
    "a version too early":
        lambda t: attribute_of(t, "SpaceToDepth", "mode").update(since=13),
    "a version too late":
        lambda t: attribute_of(t, "Attention", "left_window_size").update(
            since=26),
    "an attribute kept too long":
        lambda t: attribute_of(t, "ReduceMax", "axes").update(until=18),
    "a default that is no value":
        lambda t: attribute_of(t, "DepthToSpace", "mode").update(
            values=["CRD"]),
    "an attribute that may be absent":
        lambda t: attribute_of(t, "Cast", "to").update(required=False),
    "a lost operand": lambda t: row_of(t, "Attention").update(most_operands=6),
    "an operand too many": lambda t: row_of(t, "Clip").update(most_operands=4),
    "an operand that must not be needed":
        lambda t: row_of(t, "Clip").update(least_operands=2),
    "an opset that ONNX has not": lambda t: t.update(newest_opset=99),
    "an operator that ended": lambda t: row_of(t, "Upsample").update(until=12),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tools", default=os.path.join(TOP, "build/bin"))
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    table = json.loads(subprocess.run(
        [os.path.join(options.tools, "pcc-docs"), "import-table"],
        stdout=subprocess.PIPE, check=True).stdout)
    findings = list(compare(table))
    for finding in findings:
        print(finding)
    missed = []
    for name, plant in MISTAKES.items() if options.self_test else []:
        changed = copy.deepcopy(table)
        plant(changed)
        if len(list(compare(changed))) <= len(findings):
            missed.append(name)
            print(f"not found: {name}")
    print(f"{len(table['rows'])} rows compared, {len(findings)} differ")
    sys.exit(1 if findings or missed else 0)


if __name__ == "__main__":
    main()
