"""Conversations in JSON lines."""

import collections
import json

from .messages import Refused, shortened
from .reading import check_text, names_of, quoted, value_of
from .template import REASONING, with_reasoning

# where: file and line, for messages.
Conversation = collections.namedtuple("Conversation", "where messages tools")

SHAREGPT_ROLES = {
    "human": "user", "user": "user", "gpt": "assistant",
    "chatgpt": "assistant", "bing": "assistant", "bard": "assistant",
    "model": "assistant", "assistant": "assistant", "system": "system",
    "tool": "tool", "observation": "tool",
}
# A role that some templates have.
TEMPLATE_ROLES = ("observation",)
ROLES = ("roles are system, developer, user, assistant and tool, and others "
         "that the template has; the text of 'assistant' is learned")
CONTENT = ('it is a string, or a list of parts such as {"type": "text", "text": '
           '"..."}')


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
            f"it has {names_of(value)}" +
            '; a line is {"messages": [{"role": "user", "content": "..."}, '
            '{"role": "assistant", "content": "..."}]}')
    listed = value[key]
    if not isinstance(listed, list) or not listed:
        raise Refused(f"{where}: '{key}' is not a list of messages but "
                      f"{quoted(listed)}")
    # Some data has the other names under this key.
    if isinstance(listed[0], dict) and role not in listed[0]:
        for other in (("role", "content"), ("from", "value")):
            if other[0] in listed[0]:
                role, content = other
    messages = [parse_message(message, role, content, f"{where}: message {i}")
                for i, message in enumerate(listed, 1)]
    tools = value.get("tools") or None
    check_objects(tools, "tools", where)
    try:
        check_text(json.dumps(messages, ensure_ascii=False), where)
        check_text(json.dumps(tools, ensure_ascii=False), f"{where}: 'tools'")
    except RecursionError:
        raise Refused(f"{where}: the JSON is nested too deeply") from None
    return Conversation(where, messages, tools)


def parse_message(message, role, content, where):
    if not isinstance(message, dict) or role not in message:
        raise Refused(f"{where} has no '{role}': {quoted(message, 60)}")
    name = message[role]
    if not isinstance(name, str):
        raise Refused(f"{where}: '{role}' is not text but {quoted(name)}")
    known = SHAREGPT_ROLES.get(name.lower())
    if role != "role":
        if known is None:
            raise Refused(f"{where} is from '{name}', which is no role",
                          "known: " + ", ".join(SHAREGPT_ROLES))
        return {"role": known, "content": text_of(message, content, where)}
    if known not in (None, name) and name not in TEMPLATE_ROLES:
        raise Refused(f"{where} has role '{name}' instead of '{known}'", ROLES)
    check_objects(message.get("tool_calls"), "tool_calls", where)
    texts = [key for key in REASONING if message.get(key) is not None]
    if message.get(content) is not None or not message.get("tool_calls"):
        texts.append(content)
    return with_reasoning(
        {**message, **{key: text_of(message, key, where) for key in texts}})


def text_of(message, key, where):
    """Returns a field's text: a string, or the strings of its parts."""
    if key not in message:
        raise Refused(f"{where} has no '{key}'", f"it has {names_of(message)}")
    value = message[key]
    if value is None:
        raise Refused(f"{where}: '{key}' is null", f"{CONTENT}; only a message "
                      "with 'tool_calls' may have none")
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise Refused(f"{where}: '{key}' is not text but {quoted(value)}",
                      CONTENT)
    for number, part in enumerate(value, 1):
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(kind, str) and kind != "text":
            raise Refused(f"{where}: part {number} of '{key}' has type "
                          f"{shortened(kind)}, and programs take text only",
                          CONTENT)
        if kind is None or not isinstance(part.get("text"), str):
            raise Refused(f"{where}: part {number} of '{key}' is not text but "
                          f"{quoted(part)}", CONTENT)
    return "".join(part["text"] for part in value)


def check_objects(value, name, where):
    """Refuses a value that is neither null nor a list of objects."""
    if value is not None and not (
            isinstance(value, list) and
            all(isinstance(entry, dict) for entry in value)):
        raise Refused(f"{where}: '{name}' is not a list of objects but "
                      f"{quoted(value)}")
