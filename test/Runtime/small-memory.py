"""Ranks need no space in /dev/shm. Where the system permits no mount of their
own, they share memory with small pages.

REQUIRES: mount-namespaces
RUN: rm -rf %t && mkdir -p %t && cd %t && toy-files . && %python %s
"""

import subprocess

RUN = ["toy-dp2-tp2", "--data", "tokens.bin", "--steps", "3", "--log-json"]
FULL = "mount -t tmpfs -o size=4k pcc /dev/shm && exec \"$@\""
# setpriv takes the capability to mount, a limit of user namespaces the rest.
NO_MOUNT = ("echo 0 > /proc/sys/user/max_user_namespaces && "
            "exec setpriv --bounding-set -sys_admin --inh-caps -sys_admin "
            "\"$@\"")


def logOf(name, *command):
    run = subprocess.run([*command, *RUN, name], capture_output=True, text=True,
                         timeout=60)
    assert run.returncode == 0 and not run.stderr, run
    with open(name) as file:
        return [line.split(',"ms"')[0] for line in file]


plain = logOf("plain.json")
assert len(plain) == 3
assert logOf("full.json", "unshare", "--mount", "sh", "-c", FULL,
             "sh") == plain
assert logOf("small.json", "unshare", "--user", "--map-root-user", "sh", "-c",
             NO_MOUNT, "sh") == plain
