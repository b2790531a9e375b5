"""scripts/check finds planted problems, and reports none in correct files.

RUN: rm -rf %t && mkdir -p %t && %python %s %root %build %t
"""

import json
import os
import re
import subprocess
import sys

ROOT, BUILD, FOLDER = map(os.path.abspath, sys.argv[1:4])


def write(path, text):
    path = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def check(tree, *arguments, build=BUILD):
    done = subprocess.run(
        [os.path.join(ROOT, "scripts", "check"), *arguments, "--build", build,
         "--root", os.path.join(FOLDER, tree)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def expect(wanted, result):
    """wanted: patterns of the lines of errors; empty if the check passes."""
    status, text = result
    lines = re.findall(r"^\w+: error: (.*)$", text, re.M)
    fits = status == (1 if wanted else 0) and len(lines) == len(wanted)
    if not fits or not all(map(re.search, wanted, lines)):
        sys.exit(f"expected {wanted}, got {status}:\n{text}")


# Format.
write("format/a.cpp", "int a;\n")
expect([], check("format", "format"))
write("format/below/b.h", "int  b;\n")
expect([r"^below/b\.h: ", "--fix"], check("format", "format"))
expect([], check("format", "format", "--fix"))
expect([], check("format", "format"))

# Folders.
for i in range(39):
    write(f"folders/room/{i}.cpp", "")
write("folders/room/39.td", "")
for i in range(50):
    write(f"folders/test/{i}.cpp", "")
expect([], check("folders", "folders"))
write("folders/room/40.h", "")
expect(["^room: 41 sources"], check("folders", "folders"))

# CMake.
write("cmake/configure.log", "-- Configuring done\n-- Generating done\n")
made = os.path.join(FOLDER, "cmake")
expect([], check("cmake", "cmake", build=made))
write("cmake/configure.log", """-- Configuring done
CMake Warning:
  Manually-specified variables were not used by the project:

    CMAKE_LINKER_TYPE


CMake Deprecation Warning at CMakeLists.txt:1 (cmake_minimum_required):
  Compatibility with CMake < 3.5 will be removed.
-- Build files have been written to: build
""")
expect(["not used by the project: CMAKE_LINKER_TYPE$", "Deprecation"],
       check("cmake", "cmake", build=made))

# Flags.
with open(os.path.join(ROOT, "docs", "Driver.md")) as file:
    driver = file.read()
write("flags/docs/Driver.md", driver)
expect([], check("flags", "flags"))


def replaced(old, new):
    assert driver.count(old) == 1, old
    write("flags/docs/Driver.md", driver.replace(old, new))
    return check("flags", "flags")


expect(["^pcc: --pp is in --help", "describes --ppp,"],
       replaced("- `--pp N`", "- `--ppp N`"))
expect(["^pcc: --sp is in --help"], replaced(" (or `--sp`)", ""))
expect(["^Compiled programs: --skip-empty is in --help"],
       replaced("- `--skip-empty`:", "- It"))
expect(["^pcc-run: .* describes --exactly,"],
       replaced("- `--exact`:", "- `--exact` (or `--exactly`):"))

# Comments. First no error: groups, overloads, functions of one type, fields, and
# declarations that are private, override or are in another folder.
write("comments/a.h", """#pragma once
#include "elsewhere.h"
struct Forward;
/// A shape.
struct Shape {
  /// Its extents.
  int rows = 1, columns = 1;
  int depth = 1;
  /// Where it is.
  enum Kind {
    Here, ///< in the file
    There
  } kind = Here;

  /// The number of elements.
  int size() const {
    return rows * columns;
  }
  int rank() const { return 2; }
  virtual ~Shape() = default;
  /// What it is called.
  virtual const char *name() const = 0;
  bool operator==(const Shape &other) const;

private:
  int unsaid() const;
  int hidden = 0;
};
/// Of one row.
struct Row : Shape {
  Row() = default;
  const char *name() const override { return "row"; }
};
namespace {
int unnamed;
}
/// Adds them.
int add(int a, int b);
double add(double a, double b);
int multiply(int a, int b);
""")
write("comments/elsewhere/elsewhere.h", "#pragma once\nstruct Elsewhere { int field; };\n")
elsewhere = os.path.join(FOLDER, "comments-elsewhere")
if not os.path.exists(elsewhere):
    os.rename(os.path.join(FOLDER, "comments", "elsewhere"), elsewhere)
write("comments/made/compile_commands.json", json.dumps(
    [{"command": f"clang++-22 -isystem {elsewhere} -c a.cpp"}]))
made = os.path.join(FOLDER, "comments", "made")
expect([], check("comments", "comments", build=made))
write("comments/bad.h", """struct Bare {
  int first;
  /// Said.
  int second;

  int apart;
};
/// One thing.
int one(int a);
double other(int a, int b);

enum { A, B };
enum class Color { Red };
using Number = int;
template <typename T>
T same(T x) {
  return x;
}
/* Not for readers of documents. */
extern int global;
""")
expect([fr"^bad\.h:{line}: {name} has no comment$" for line, name in [
    (1, "Bare"), (10, "other"),
    (12, "the enum of A"), (13, "Color"), (14, "Number"), (16, "same"),
    (20, "global")]], check("comments", "comments", build=made))
write("comments/bad.h", "/// No type.\nunknown x;\n")
expect(["unknown type name 'unknown'"],
       check("comments", "comments", build=made))
os.remove(os.path.join(FOLDER, "comments", "bad.h"))

# Tidy: checks nothing without a previous commit; then the changed header,
# through a source file that includes it.
with open(os.path.join(ROOT, ".clang-tidy")) as file:
    write("tidy/.clang-tidy", file.read())
write("tidy/a.h", "inline int *nothing() { return nullptr; }\n")
write("tidy/uses.cpp", '#include "a.h"\nint *b() { return nothing(); }\n')
write("tidy/other.cpp", "int *c() { return 0; }\n")
tree = os.path.join(FOLDER, "tidy")
write("tidy/made/compile_commands.json", json.dumps(
    [{"directory": tree, "file": os.path.join(tree, name),
      "command": f"clang++-22 -I{tree} -c {os.path.join(tree, name)}"}
     for name in ("uses.cpp", "other.cpp")], indent=0))
made = os.path.join(tree, "made")


def commit():
    for command in (["init", "-q"], ["add", "-A"],
                    ["-c", "user.name=a", "-c", "user.email=a@b", "commit",
                     "-qm", "a"]):
        subprocess.run(["git", *command], cwd=tree, check=True)


commit()
status, text = check("tidy", "tidy", build=made)
assert not status and "there is no HEAD~1" in text, text
write("tidy/a.h", "inline int *nothing() { return 0; }\n")
commit()
expect([r"^a\.h:1:.*modernize-use-nullptr"], check("tidy", "tidy", build=made))
expect([r"^a\.h:1:", r"^other\.cpp:1:"],
       check("tidy", "tidy", "--all", build=made))
write("tidy/a.h", "inline int *nothing() { return nullptr; }\n")
commit()
expect([], check("tidy", "tidy", build=made))

# A command that compiles both sources at once.
together = os.path.join(made, "Unity", "unity_0_cxx.cxx")
write("tidy/made/Unity/unity_0_cxx.cxx",
      "".join(f'#include "{os.path.join(tree, name)}"\n'
              for name in ("uses.cpp", "other.cpp")))
write("tidy/made/compile_commands.json", json.dumps(
    [{"directory": tree, "file": together,
      "command": f"clang++-22 -I{tree} -c {together}"}]))
expect([r"^other\.cpp:1:"], check("tidy", "tidy", "--all", build=made))
