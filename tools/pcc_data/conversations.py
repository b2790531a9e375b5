"""Conversations in JSON lines."""

import collections
import json

from .corpus import check_text, value_of
from .messages import Refused, shortened
from .template import with_reasoning

# where: file and line, for messages.
Conversation = collections.namedtuple("Conversation", "where messages tools")

SHAREGPT_ROLES = {
    "human": "user", "user": "user", "gpt": "assistant",
    "chatgpt": "assistant", "bing": "assistant", "bard": "assistant",
    "model": "assistant", "assistant": "assistant", "system": "system",
    "tool": "tool", "observation": "tool",
}


def parse(piece):
    """Returns the conversation of a line: `messages` of objects with role and
    content, or ShareGPT's `conversations` with from and value."""
    where = f"{piece.path}:{piece.line}"
    value = value_of(piece)
    for key, role, content in (("messages", "role", "content"),
                               ("conversations", "from", "value")):
        if key in value:
            break
    else:
        raise Refused(
            f"{where}: no field 'messages' or 'conversations'",
            "it has " + (", ".join(f"'{name}'" for name in value) or "none") +
            '; a line is {"messages": [{"role": "user", "content": "..."}, '
            '{"role": "assistant", "content": "..."}]}')
    listed = value[key]
    if not isinstance(listed, list) or not listed:
        raise Refused(f"{where}: '{key}' is not a list of messages but "
                      f"{shortened(json.dumps(listed), 40)}")
    # Some data has the other names under this key.
    if isinstance(listed[0], dict) and role not in listed[0]:
        for other in (("role", "content"), ("from", "value")):
            if other[0] in listed[0]:
                role, content = other
    messages = [parse_message(message, role, content, f"{where}: message {i}")
                for i, message in enumerate(listed, 1)]
    check_text(json.dumps(messages, ensure_ascii=False), where)
    return Conversation(where, messages, value.get("tools") or None)


def parse_message(message, role, content, where):
    if not isinstance(message, dict) or not isinstance(message.get(role), str):
        raise Refused(f"{where} has no '{role}': "
                      f"{shortened(json.dumps(message), 60)}")
    if role == "role":
        if message.get(content) is None and not message.get("tool_calls"):
            raise Refused(f"{where} has no '{content}'",
                          f"it has {', '.join(map(repr, message))}")
        return with_reasoning(message)
    name = SHAREGPT_ROLES.get(message[role].lower())
    if name is None:
        raise Refused(f"{where} is from '{message[role]}', which is no role",
                      "known: " + ", ".join(SHAREGPT_ROLES))
    if not isinstance(message.get(content), str):
        raise Refused(f"{where} has no text '{content}'")
    return {"role": name, "content": message[content]}
