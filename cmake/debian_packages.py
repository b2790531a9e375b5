#!/usr/bin/env python3
"""Queries the Debian packages that files belong to.

    debian_packages.py list LIBRARY...
        prints the distribution, then the name of each library and its package;
        nothing on other distributions
    debian_packages.py licences FOLDER FILE...
        copies the copyright file of each package as FOLDER/<package>, and the
        common licences that it refers to"""

import os
import re
import shutil
import subprocess
import sys

COMMON = "/usr/share/common-licenses"


def package_of(path):
    """The package of a file; dpkg may know it below /usr or not."""
    real = os.path.realpath(path)
    for name in (path, real, real.removeprefix("/usr"), "/usr" + real):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True,
                               text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    sys.exit(f"debian_packages.py: error: no package contains '{path}'")


def print_packages(*paths):
    if not shutil.which("dpkg-query"):
        return
    with open("/etc/os-release", encoding="utf-8") as file:
        facts = dict(re.findall(r'^(\w+)="?([^"\n]*)', file.read(), re.M))
    print(facts["NAME"].split()[0], facts.get("VERSION_ID", ""))
    for path in paths:
        print(os.path.basename(path), package_of(path))


def copy_licences(folder, *paths):
    os.makedirs(folder, exist_ok=True)
    for package in sorted({package_of(path) for path in paths}):
        with open(f"/usr/share/doc/{package}/copyright", "rb") as file:
            text = file.read()
        with open(os.path.join(folder, package), "wb") as file:
            file.write(text)
        for name in re.findall(rb"/usr/share/common-licenses/([\w.+-]*\w)",
                               text):
            licence = os.path.join(COMMON, name.decode())
            if os.path.exists(licence):
                shutil.copyfile(licence, os.path.join(folder, name.decode()))


{"list": print_packages, "licences": copy_licences}[sys.argv[1]](*sys.argv[2:])
