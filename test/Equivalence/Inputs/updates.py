"""updates.py A B...: the updates in the checkpoints A, B, ... are as many as
the steps that were not skipped."""

import json
import sys

for path in sys.argv[1:]:
    with open(path + "/trainer_state.json") as file:
        state = json.load(file)
    done = state["step"] - state["skipped_steps"]
    if not 0 < state["skipped_steps"] or state["numbers"]["updates"] != done:
        sys.exit(f"{path}: {state['numbers']}, {state['skipped_steps']} of "
                 f"{state['step']} steps skipped")
