"""The wheel's layout is one that pip installs: tools in its scripts, the files that
programs are linked from in its data, Python's modules, and licences. Its bytes depend
on nothing but its files.

RUN: rm -rf %t && mkdir %t && %python %s %root %t | FileCheck %s
CHECK: pcc/py.typed
CHECK-NEXT: pcc_data/cli.py
CHECK-NEXT: pcc_export/cli.py
CHECK-NEXT: pcc_train-[[V:[0-9.]+]].data/data/lib/pcc/pcc-link-cpu.txt
CHECK-NEXT: pcc_train-[[V]].data/scripts/pcc
CHECK-NEXT: pcc_train-[[V]].data/scripts/pcc-data
CHECK-NEXT: pcc_train-[[V]].dist-info/METADATA
CHECK-NEXT: pcc_train-[[V]].dist-info/RECORD
CHECK-NEXT: pcc_train-[[V]].dist-info/WHEEL
CHECK-NEXT: pcc_train-[[V]].dist-info/licenses/copyright
CHECK-NEXT: scripts are executable, and Python's begin with #!python
CHECK-NEXT: the record has sizes and digests
CHECK-NEXT: Tag: py3-none-manylinux_2_{{[0-9]+}}_x86_64
CHECK-NEXT: Requires-Dist: nvidia-cublas==13.{{.+}}; extra == 'cuda'
CHECK-NEXT: two wheels are equal
"""

import base64
import csv
import hashlib
import io
import os
import sys
import zipfile

ROOT, FOLDER = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import loading

script = loading.script("build-wheel")


def write(stage, times):
    for name, text in {
            "bin/pcc": "\x7fELF", "bin/pcc-data": "#!/usr/bin/env python3\nx\n",
            "lib/pcc/pcc-link-cpu.txt": "{object}\n",
            "lib/pcc/python/pcc_data/cli.py": "import sys\n",
            "lib/pcc/python/pcc_export/cli.py": "import os\n",
            "lib/pcc/python/pcc/py.typed": "",
            "share/doc/pcc-train/copyright": "licence\n"}.items():
        path = os.path.join(FOLDER, stage, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(path, (times, times))
    wheel = os.path.join(FOLDER, stage + ".whl")
    script.pack(os.path.join(FOLDER, stage), wheel)
    return wheel


first, second = write("first", 10**9), write("second", 10**9 + 5000)
with zipfile.ZipFile(first) as file:
    entries = {entry.filename: entry for entry in file.infolist()}
    data = {name: file.read(name) for name in entries}
print("\n".join(sorted(entries)))
scripts = [name for name in entries if ".data/scripts/" in name]
if (all(entries[name].external_attr >> 16 == 0o100755 for name in scripts)
        and any(data[name] == b"#!python\nx\n" for name in scripts)):
    print("scripts are executable, and Python's begin with #!python")
record = next(name for name in entries if name.endswith("RECORD"))
rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(data[record].decode()))}


def digest(name):
    found = base64.urlsafe_b64encode(hashlib.sha256(data[name]).digest())
    return "sha256=" + found.decode().rstrip("=")


if (set(rows) == set(entries) and rows.pop(record) == ["", ""]
        and all(row == [digest(name), str(len(data[name]))]
                for name, row in rows.items())):
    print("the record has sizes and digests")
for name, start in ("WHEEL", "Tag:"), ("METADATA", "Requires-Dist: nvidia-cublas"):
    text = data[record.replace("RECORD", name)].decode()
    print(next(line for line in text.splitlines() if line.startswith(start)))
with open(first, "rb") as a, open(second, "rb") as b:
    if a.read() == b.read():
        print("two wheels are equal")
