"""Names of discardable attributes are declared in headers, and every attribute is
written and read.

RUN: %python %s %root
RUN: rm -rf %t && mkdir -p %t/dialects %t/passes && cd %t
RUN: echo 'constexpr llvm::StringLiteral kOneAttr = "nn.one";' > dialects/A.h
RUN: echo 'constexpr llvm::StringLiteral kTwoAttr = "nn.two";' >> dialects/A.h
RUN: echo 'constexpr llvm::StringLiteral kBothAttr = "nn.both";' >> dialects/A.h
RUN: echo 'op->setAttr(kOneAttr, unit); x = op->hasAttr(kTwoAttr);' > passes/A.cpp
RUN: echo 'for (auto name : {kBothAttr}) b->setAttr(name, a->getAttr(name));' \
RUN:   >> passes/A.cpp
RUN: echo 'op->setAttr("nn.three", unit); op = "nn.four";' >> passes/A.cpp
RUN: echo 'constexpr llvm::StringRef kFive = "nn.five";' >> passes/A.cpp
RUN: echo 'constexpr llvm::StringLiteral kSixAttr = "nn.six";' >> dialects/A.h
RUN: echo 'op->setAttr(kSixAttr, one); op->removeAttr(kSixAttr);' >> passes/A.cpp
RUN: mkdir dialects/NN && echo 'def A : NN_Op<"four">;' > dialects/NN/A.td
RUN: not %python %s %t 2>&1 | FileCheck %s
CHECK: kOneAttr (nn.one) is never read
CHECK-NEXT: kSixAttr (nn.six) is never read
CHECK-NEXT: kTwoAttr (nn.two) is never written
CHECK-NEXT: passes/A.cpp spells "nn.three": give it a name
CHECK-NEXT: passes/A.cpp spells "nn.five": give it a name{{.*}}
CHECK-NOT: {{.}}
"""

import os
import re
import sys

ROOT = sys.argv[1]
FOLDERS = "analysis dialects frontend interpreter passes tools".split()
DECLARED = re.compile(r'StringLiteral (k\w+Attr)\s*=\s*"((?:nn|dist|pipe|rt|'
                      r'pcc)\.\w+)"')
# Statements about attributes in general neither write nor read one.
NEITHER = "dialects/NN/VerifyAttrs.cpp"
REMOVES = r"\bremove\w*Attr\((?:[^,;()]*,)?\s*"
# Any other mention of a name reads it.
WRITES = r"\b(?:set\w*Attr|set|getNamedAttr|NamedAttribute)\((?:[^,;()]*,)?\s*"

sources = {}
for folder in FOLDERS:
    for place, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in names:
            if name.endswith((".h", ".cpp")):
                path = os.path.relpath(os.path.join(place, name), ROOT)
                with open(os.path.join(ROOT, path)) as file:
                    sources[path] = re.sub(r"//.*", "", file.read())

names = {}
for path, text in sources.items():
    names.update(DECLARED.findall(text))
code = "".join(t for p, t in sources.items() if p != NEITHER)
code = DECLARED.sub("", code)
problems = []
for name, value in sorted(names.items()):
    # Attributes in a list of names are copied from op to op: written and read.
    if re.search(r"\{[^;{}()]*(?:StringRef\()?\b%s\b" % name, code):
        continue
    mentions = len(re.findall(r"\b%s\b" % name, code))
    writes = len(re.findall(WRITES + r"(?:\w+::)*%s\b" % name, code))
    if not writes:
        problems.append(f"{name} ({value}) is never written")
    removes = len(re.findall(REMOVES + r"(?:\w+::)*%s\b" % name, code))
    if mentions == writes + removes:
        problems.append(f"{name} ({value}) is never read")
# Names of ops have the same form.
ops = set()
for place, _, files in os.walk(os.path.join(ROOT, "dialects")):
    dialect = os.path.basename(place).lower()
    for name in files:
        if name.endswith(".td"):
            with open(os.path.join(place, name)) as file:
                ops.update(f"{dialect}.{op}"
                           for op in re.findall(r'"(\w+)"', file.read()))
for path, text in sorted(sources.items()):
    for value in re.findall(r'"((?:nn|dist|pipe|rt)\.\w+)"', text):
        if value not in ops and value not in names.values():
            problems.append(f'{path} spells "{value}": give it a name, a '
                            "StringLiteral k...Attr in a header")
sys.exit("\n".join(problems) or 0)
