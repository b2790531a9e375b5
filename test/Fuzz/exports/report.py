"""The results of runs, one JSON object a line, and their summary."""

import collections
import json
import os
import re

import choices as grammar
import judge
import running


def load(path):
    """Results by seed."""
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return {row["seed"]: row for row in rows}


def append(path, row):
    with open(path, "a") as file:
        file.write(json.dumps(row) + "\n")


def share(part, whole):
    return f"{part} of {whole} ({100 * part / max(whole, 1):.1f} %)"


def guessed(warning):
    """Whether a warning is about a file's meaning, not about a plan's costs."""
    return not re.search("tensor-parallel rank", warning)


def rates(rows):
    """Lines with the rates among exported modules."""
    lines = []
    through = [r for r in rows if r["exporter"] == "pcc-export"]
    for name, those in (("train as PyTorch does", rows),
                        ("  through pcc-export", through)):
        fine = [r for r in those if r["class"] == "trained"]
        lines.append(f"{name}: {share(len(fine), len(those))}")
    guesses = [r for r in through if any(map(guessed, r["warnings"]))]
    lines.append("warn of a guess where the file proves everything (that of "
                 f"pcc-export): {share(len(guesses), len(through))}")
    for name in sorted({r["exporter"] for r in rows} - {"pcc-export"}):
        those = [r for r in rows if r["exporter"] == name]
        guesses = [r for r in those if any(map(guessed, r["warnings"]))]
        lines.append(f"  where it does not ({name}): "
                     f"{share(len(guesses), len(those))}")
    return lines


def summary(results):
    """The summary of results, as text."""
    rows = list(results)
    lines = [f"{len(rows)} modules"]
    counts = collections.Counter(r["class"] for r in rows)
    for kind, meaning in judge.CLASSES.items():
        lines.append(f"  {counts[kind]:5} {kind}: {meaning}")
    lines += rates([r for r in rows if r["class"] != "not exported"])
    drawn = [grammar.draw(r["seed"]) for r in rows]
    lines.append("features:")
    for name in grammar.FEATURES:
        count = sum(grammar.has(c, name) for c in drawn)
        lines.append(f"  {name}: {share(count, len(rows))}")
    by_exporter = collections.Counter(c["exporter"] for c in drawn)
    lines.append("exporters: " + ", ".join(
        f"{name} {count}" for name, count in sorted(by_exporter.items())))
    for kind in ("refused", "warned", "not exported", *judge.FAULTS):
        reasons = {}
        for row in rows:
            if row["class"] == kind:
                reason = running.general(row["reason"])
                reasons.setdefault(reason, []).append(row["seed"])
        if not reasons:
            continue
        lines.append(f"{kind}:")
        ordered = sorted(reasons.items(), key=lambda i: (-len(i[1]), i[0]))
        for reason, seeds in ordered:
            some = " ".join(map(str, seeds[:6]))
            lines.append(f"  {len(seeds):4}  {reason}  (seeds {some})")
    said = collections.Counter(
        running.general(w) for r in rows for w in r.get("warnings", ()))
    if said:
        lines.append("warnings:")
        lines += [f"  {count:4}  {text}" for text, count in said.most_common()]
    return "\n".join(lines)
