"""The files of a model directory that complete a directory of trained weights:
configurations, files of tokenizers and processors, and chat templates.
"""

import fnmatch
import json
import os
import shutil

FILES = ("config.json", "generation_config.json", "*tokenizer*.json",
         "special_tokens_map.json", "added_tokens.json", "*vocab*.json",
         "*vocab*.txt", "merges.txt", "dict.txt", "*.model", "*.tiktoken",
         "*.tokenizer", "bpe.codes", "normalizer.json", "emoji.json",
         "byte_maps.json", "word_shape.json", "word_pronunciation.json",
         "*.spm", "tokenizer.model.v3", "tekken.json", "chat_template.*",
         "*processor_config.json", "additional_chat_templates/*.jinja")
# Of a directory with code for its model.
CODE = "*.py"


def files_of(folder):
    """Their names, sorted."""
    patterns = FILES
    if read_json(os.path.join(folder, "config.json")).get("auto_map"):
        patterns += (CODE,)
    names = set(os.listdir(folder))
    inner = "additional_chat_templates"
    if os.path.isdir(os.path.join(folder, inner)):
        names |= {f"{inner}/{name}"
                  for name in os.listdir(os.path.join(folder, inner))}
    return sorted(name for name in names
                  if any(fnmatch.fnmatchcase(name, p) for p in patterns)
                  and os.path.isfile(os.path.join(folder, name)))


def copy_files(folder, target):
    """Copies them to the folder `target`, unless it is the same."""
    if os.path.samefile(folder, target):
        return
    for name in files_of(folder):
        path = os.path.join(target, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(os.path.join(folder, name), path)


def read_json(path):
    """The dictionary in a file; empty if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
