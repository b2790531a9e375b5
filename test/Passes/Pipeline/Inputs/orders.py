"""Programs of a few stages, and the actions of their stages in a step, written
by hand.

Independent of the compiler: a schedule is a list of actions, in each of which a
stage receives, runs and sends; an adjacent send and receive of the same two
stages are an exchange.
"""


def program(stages, entry="train"):
    """A chain of stages, with a value each way between neighbours."""
    lines = ['pipe.input @x : tensor<2xf32> role data name "x"']
    lines += [f"pipe.value @{name}{s} : tensor<2xf32>"
              for s in range(stages) for name in "ag"]

    def task(name, stage, phase, taken, given):
        types = ", ".join(f"%{i}: tensor<2xf32>" for i in range(len(taken)))
        results = ", ".join(["tensor<2xf32>"] * len(given))
        lines.extend([
            f"pipe.task @{name}{stage} stage {stage} {phase} calls "
            f"@{name}{stage}.body ({', '.join(taken)})"
            + (f" -> ({', '.join(given)})" if given else ""),
            f"pipe.body @{name}{stage}.body ({types})"
            + (f" -> ({results})" if given else "") + " {",
            "  pipe.yield" + (f" {', '.join('%0' for _ in given)} : {results}"
                              if given else ""),
            "}"])

    def before(s):
        return f"@a{s - 1}" if s else "@x"
    for s in range(stages):
        task("f", s, "forward" if entry == "train" else "evaluate",
             [before(s)], [f"@a{s}"])
    for s in reversed(range(stages if entry == "train" else 0)):
        task("b", s, "backward",
             [f"@a{s}"] + ([f"@g{s + 1}"] if s + 1 < stages else []),
             [f"@g{s}"])
    return "\n".join(lines) + "\n"


def turns(kind, stage, stages, microbatches, entry="train"):
    """(is backward, microbatch), in order."""
    forward = [(False, i) for i in range(microbatches)]
    if entry != "train":
        return forward
    backward = [(True, i) for i in range(microbatches)]
    if kind == "gpipe" and stages > 1:
        return forward + backward
    ahead = min(stages - stage, microbatches)
    order = forward[:ahead]
    for i in range(microbatches):
        order.append(backward[i])
        order += forward[ahead + i:ahead + i + 1]
    return order


def steps(kind, stage, stages, microbatches, entry="train"):
    """The lines of a stage's list."""
    lines = []
    for is_backward, i in turns(kind, stage, stages, microbatches, entry):
        name, step = ("g", -1) if is_backward else ("a", 1)
        channel = int(is_backward)
        source, target = stage - step, stage + step
        if 0 <= source < stages:
            value = f"@{name}{stage + 1 if is_backward else source}"
            end = f"{value} microbatch {i} from {source} channel {channel}"
            # An exchange with what was sent just before to the same stage.
            if lines and lines[-1].startswith("pipe.send") and \
                    f" to {source} " in lines[-1]:
                lines[-1] = lines[-1].replace("send", "exchange") + ", " + end
            else:
                lines.append("pipe.recv " + end)
        lines.append(f"pipe.run @{'b' if is_backward else 'f'}{stage} "
                     f"microbatch {i}")
        if 0 <= target < stages:
            lines.append(f"pipe.send @{name}{stage} microbatch {i} to "
                         f"{target} channel {channel}")
    return lines
