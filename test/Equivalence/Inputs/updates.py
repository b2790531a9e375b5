"""updates.py A B...: the checkpoints A, B, ... have updated as often as steps
were not skipped."""

import json
import sys

for path in sys.argv[1:]:
    with open(path + "/trainer_state.json") as file:
        state = json.load(file)
    done = state["step"] - state["skipped_steps"]
    if not 0 < state["skipped_steps"] or state["numbers"]["updates"] != done:
        sys.exit(f"{path}: {state['numbers']}, {state['skipped_steps']} of "
                 f"{state['step']} steps skipped")
