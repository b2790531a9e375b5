"""filled.py FROM TO NUMBER: an array of whole numbers, all of them NUMBER."""

import sys

source, target, number = sys.argv[1:]
with open(source, "rb") as file:
    content = file.read()
start = 10 + int.from_bytes(content[8:10], "little")
assert b"'<i8'" in content[:start]
element = int(number).to_bytes(8, "little", signed=True)
with open(target, "wb") as file:
    file.write(content[:start] + element * ((len(content) - start) // 8))
