"""Text and JSON of users: errors name the file, the line and the mistake."""

import json
import os

from .messages import Refused, shortened


def not_utf8(path, line, byte):
    return Refused(f"{path}:{line}: byte 0x{byte:02x} is not UTF-8",
                   f"iconv -f LATIN1 -t UTF-8 '{path}' converts a text of "
                   "Latin 1; --tokenizer needs UTF-8")


def read_text(path):
    """Returns the text of a file of UTF-8."""
    with open(path, encoding="utf-8") as file:
        try:
            return file.read()
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise not_utf8(path, line, error.object[error.start]) from None


def read_json(folder, name):
    """Returns a JSON object; an empty one if there is no such file."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return {}
    try:
        value = json.loads(read_text(path))
    except RecursionError:
        raise Refused(f"'{path}': the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Refused(f"'{path}' is not JSON: {error}") from None
    except ValueError:
        raise too_many_digits(f"'{path}'") from None
    if not isinstance(value, dict):
        raise Refused(f"'{path}' is not a JSON object")
    return value


def too_many_digits(where):
    # Python's own limit, which is against inputs that take long to convert.
    return Refused(f"{where}: an integer of the JSON has more than 4,300 digits")


def value_of(piece):
    """Returns the JSON object of a line."""
    where = f"{piece.path}:{piece.line}"
    try:
        value = json.loads(piece.data)
    except UnicodeDecodeError as error:
        raise Refused(f"{where}: byte 0x{piece.data[error.start]:02x} is not "
                      "UTF-8") from None
    except RecursionError:
        raise Refused(f"{where}: the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        reason = str(error).partition(": line ")[0]
        raise Refused(
            f"{where}: invalid JSON: {reason} at character {error.pos + 1} of "
            "the line", "each line is an object; --input-format text takes the "
            "file as text") from None
    except ValueError:
        raise too_many_digits(where) from None
    if not isinstance(value, dict):
        raise Refused(f"{where}: a JSON object is needed, this is "
                      f"{quoted(value)}")
    return value


def quoted(value, most=40):
    """Returns a JSON value for a message, cut off in the middle if it is long."""
    try:
        return shortened(json.dumps(value), most)
    except RecursionError:
        return "a deep nest"


def names_of(value, most=12):
    """Returns the names of an object's fields for a message."""
    names = [shortened(name) for name in value]
    return (", ".join(names[:most]) or "none") + (
        ", ..." if len(names) > most else "")


def half_of_pair(text):
    """Returns the index of half of a surrogate pair, which JSON can express and
    UTF-8 cannot, and its escape; None if there is none."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start, f"\\u{ord(text[error.start]):04x}"
    return None


def check_text(text, where):
    """Refuses halves of surrogate pairs."""
    found = half_of_pair(text)
    if found:
        raise Refused(f"{where}: character {found[0] + 1} of the text is half "
                      f"of a surrogate pair, {found[1]}")
