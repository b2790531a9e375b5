"""The cases on which one rank and many are compared: small models, and all
choices of a plan. Odd on purpose: a prime number of classes, three layers on
two stages, three data ranks, fewer microbatches than stages.
"""

import collections
import itertools
import os
import subprocess
import sys

from cover import cover

MAKE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "Inputs",
                    "models", "make.py")
GLOBAL_BATCH, SEQ, CLASSES, MOST_RANKS = 24, 16, 131, 8
# Wide enough that no sum of a few vectors comes near zero, where the gradient of
# a norm, and its rounding error in bf16 or fp16, is unbounded.
WIDTH = 64
INNER = 2 * WIDTH
# Layers have 4 query heads; LLaMA's share 2 key and value heads. The mixture of
# experts is a LLaMA whose MLPs are 8 experts; ids of tokens choose 2 of them, so
# no rounding changes a choice.
LAYERS = {"gpt": 4, "llama": 3, "moe": 3}
EXPERTS, CHOSEN = 8, 2

Plan = collections.namedtuple(
    "Plan",
    "family tied dropout precision tp pp dp cp sp zero schedule microbatches "
    "recompute ep etp state", defaults=(1, 0, "f32"))
CHOICES = Plan(
    family=("gpt", "llama"), tied=(True, False), dropout=(False, True),
    precision=("f32", "bf16", "fp16"),
    tp=(1, 2, 4), pp=(1, 2, 3, 4), dp=(1, 2, 3), cp=(1, 2), sp=(False, True),
    zero=(0, 1, 2, 3), schedule=("1f1b", "gpipe"), microbatches=(1, 2, 3, 4, 8),
    recompute=("none", "selective", "full"), ep=(1,), etp=(0,),
    state=("f32",))
# Plans that split experts; etp 0: as tp.
EXPERT_CHOICES = CHOICES._replace(
    family=("moe",), tied=(False,), dropout=(False,), pp=(1, 2), dp=(1, 2, 4),
    microbatches=(1, 2, 3), ep=(1, 2, 4), etp=(0, 1))


def with_moments(choices, state):
    """The choices that affect how moments of a type are rounded."""
    return choices._replace(
        state=(state,), dropout=(False,), precision=("f32", "bf16"),
        schedule=CHOICES.schedule[:1], recompute=("none",))


def is_possible(plan):
    return (plan.tp * plan.pp * plan.dp * plan.cp <= MOST_RANKS
            and plan.pp <= LAYERS[plan.family]
            and GLOBAL_BATCH % (plan.dp * plan.microbatches) == 0
            and (plan.tp > 1 or not plan.sp)
            and (plan.dp * plan.cp > 1 or not plan.zero)
            and plan.dp % plan.ep == 0
            and (plan.tp > 1 or not plan.etp)
            and (plan.family != "moe" or plan.tp * plan.ep > 1)
            # Without stages there is nothing to schedule.
            and (plan.pp > 1 or plan.schedule == CHOICES.schedule[0]))


def plans(count=0, choices=CHOICES):
    """Plans in which every possible pair of choices occurs; at least
    `count`."""
    several = [field for field, all_of in choices._asdict().items()
               if len(all_of) > 1]
    possible = collections.namedtuple("Choices", several)
    rows = {possible(*(getattr(plan, field) for field in several)): plan
            for plan in itertools.starmap(Plan, itertools.product(*choices))
            if is_possible(plan)}
    return [rows[row] for row in cover(rows, count)]


def matches(plan, choices):
    """Whether a plan has all choices of a text such as "gpt,tp=2,sp=True"."""
    wanted = [part.split("=") if "=" in part else ("family", part)
              for part in choices.split(",") if part]
    return all(str(getattr(plan, key)) == value for key, value in wanted)


def chosen(count, match):
    """The plans with all choices of a text such as "gpt,tp=2,sp=True". Plans
    that split experts are chosen by "moe", plans with moments of bf16 by
    "state=bf16"."""
    choices = EXPERT_CHOICES if "moe" in match.split(",") else CHOICES
    if "state=bf16" in match.split(","):
        choices = with_moments(choices, "bf16")
    found = plans(count, choices)
    return [plan for plan in found if matches(plan, match)]


def one_rank(plan):
    """The plan whose results another plan must equal."""
    return plan._replace(tp=1, pp=1, dp=1, cp=1, sp=False, zero=0, microbatches=1,
                         schedule=CHOICES.schedule[0], recompute="none", ep=1,
                         etp=0)


def model(plan, folder):
    """The path of the file with a plan's model, which is written if missing."""
    batch = GLOBAL_BATCH // plan.microbatches
    name = "-".join([plan.family, "tied" if plan.tied else "untied",
                     *["dropout"] * plan.dropout, str(batch)])
    path = os.path.join(folder, name + ".mlir")
    if not os.path.exists(path):
        text = subprocess.run(
            [sys.executable, MAKE, plan.family,
             f"--layers={LAYERS[plan.family]}", f"--batch={batch}",
             f"--seq={SEQ}", f"--vocab={CLASSES}", f"--width={WIDTH}",
             f"--inner={INNER}",
             *(["--dropout=0.1"] if plan.dropout else []),
             *(["--routing=hash", f"--experts={EXPERTS}", f"--choices={CHOSEN}"]
               if plan.family == "moe" else []),
             *([] if plan.tied else ["--untied"])],
            stdout=subprocess.PIPE, text=True, check=True).stdout
        with open(path, "w") as file:
            file.write('module attributes {pcc.phase = "nn"} {\n'
                       f'{text}}}\n')
    return path


def flags(plan):
    """pcc's flags for a plan, without the model."""
    return ["-q", f"--tp={plan.tp}", f"--pp={plan.pp}", f"--dp={plan.dp}",
            f"--cp={plan.cp}", *["--sequence-parallel"] * plan.sp,
            *[f"--ep={plan.ep}"] * (plan.ep > 1), *["--etp=1"] * plan.etp,
            f"--zero={plan.zero}", f"--schedule={plan.schedule}",
            f"--recompute={plan.recompute}", f"--precision={plan.precision}",
            f"--optimizer-state={plan.state}",
            f"--global-batch-size={GLOBAL_BATCH}"]
