#!/usr/bin/env python3
"""Fails when the sources break the architecture's one-way arrows.

    cli -> frontends -> core/report -> core/repair -> core/explore -> {core/model, hashing} -> core/base

What is checked, and against what:
  arrows     the compiler's own dependency lists (`ninja -t deps`, or *.d files): every file of a layer that a
             translation unit pulls in, directly or not; and the #include lines of every source and header
  frontends  no frontend includes another; only cli/ and frontends/registry.c include a frontend's headers from outside
  openmp     `#pragma omp`, omp.h and omp_* only in core/base/team.c
  stdatomic  <stdatomic.h> and memory_order_* only in core/base/atomic.h
  criterion  <criterion/...> only in tests/support/hd_test.h

usage: check_layers.py [--root DIR] [--build DIR]      without --build, only the #include lines are read
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

# Layers from the top down; two layers of one rank must not see each other.
RANKS = {
    "cli": 6,
    "frontends": 5,
    "core/report": 4,
    "core/repair": 3,
    "core/explore": 2,
    "core/model": 1,
    "hashing": 1,
    "core/base": 0,
}
SOURCE_FOLDERS = ("core", "hashing", "frontends", "cli", "include", "tests", "bench")
SOURCE_SUFFIXES = {".c", ".h", ".def", ".inc", ".cc", ".cpp"}
REGISTRY = "frontends/registry.c"

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
# What only one file may say: pattern, the file, and the words for the report.
PRIVILEGES = (
    (re.compile(r"^\s*#\s*pragma\s+omp\b|^\s*#\s*include\s*[<\"]omp\.h[>\"]|\bomp_[a-z_]+\s*\(", re.MULTILINE),
     "core/base/team.c", "OpenMP"),
    (re.compile(r"^\s*#\s*include\s*<stdatomic\.h>|\bmemory_order_[a-z_]+", re.MULTILINE),
     "core/base/atomic.h", "stdatomic.h"),
    (re.compile(r"^\s*#\s*include\s*[<\"]criterion/", re.MULTILINE), "tests/support/hd_test.h", "Criterion"),
)


def layer_of(path):
    """The layer a repository path belongs to, or None (tests, generated files, the public header, the system)."""
    for layer in RANKS:
        if path.startswith(layer + "/"):
            return layer
    return None


def frontend_of(path):
    """The frontend whose folder holds the path, or None for the files that all frontends share."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "frontends" else None


def edge_error(user, used):
    """Why `user` must not see `used`, or None."""
    above, below = layer_of(user), layer_of(used)
    if above is None or below is None:
        return None
    if above != below and RANKS[above] <= RANKS[below]:
        return f"{above} must not see {below}"
    frontend = frontend_of(used)
    if frontend is None or frontend == frontend_of(user):
        return None
    if frontend_of(user) is not None:
        return "frontends must not see each other"
    if above != "cli" and user != REGISTRY:
        return f"only cli/ and {REGISTRY} know the frontends"
    return None


def sources(root):
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCE_SUFFIXES and path.is_file():
                yield path


def strip_comments(text):
    """The text without comments, newlines kept so that line numbers stay right. String literals are left alone."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)
    return pattern.sub(lambda m: m.group(1) or re.sub(r"[^\n]", " ", m.group(0)), text)


def check_text(root):
    problems = []
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        text = strip_comments(path.read_text(encoding="utf-8", errors="replace"))
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            if match.group(1) != '"':
                continue
            used = match.group(2)
            if not (root / used).is_file() and (path.parent / used).is_file():
                used = (path.parent / used).resolve().relative_to(root).as_posix()
            why = edge_error(name, used)
            if why:
                problems.append(f"{name}:{line}: includes {used}: {why}")
        for pattern, owner, words in PRIVILEGES:
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.end()) + 1
                if name != owner:
                    problems.append(f"{name}:{line}: {words} is for {owner} alone")
    return problems


def dependency_lists(build):
    """Yields the list of files each object depends on; the first is its source."""
    if (build / "build.ninja").is_file():
        text = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], check=True, capture_output=True,
                              text=True).stdout
        current = None
        for line in text.splitlines():
            if line.startswith("    ") and current is not None:
                current.append(line.strip())
            elif ": #deps" in line:
                if current:
                    yield current
                current = []
        if current:
            yield current
        return
    for path in sorted(build.rglob("*.d")):
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        yield text.split(":", 1)[1].split()


def check_dependencies(root, build):
    problems = set()
    units = 0
    for files in dependency_lists(build):
        names = []
        for file in files:
            absolute = pathlib.Path(os.path.normpath(build / file))
            if absolute.is_relative_to(root) and not absolute.is_relative_to(build):
                names.append(absolute.relative_to(root).as_posix())
        if not names or not names[0].endswith((".c", ".cc", ".cpp")):
            continue
        units += 1
        for used in names[1:]:
            why = edge_error(names[0], used)
            if why:
                problems.add(f"{names[0]}: depends on {used}: {why}")
    if units == 0:
        problems.add(f"{build}: no dependency lists; build it first")
    return sorted(problems), units


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--build", type=pathlib.Path)
    arguments = parser.parse_args()
    root = arguments.root.resolve()

    problems = check_text(root)
    units = 0
    if arguments.build:
        more, units = check_dependencies(root, arguments.build.resolve())
        problems += more
    for problem in problems:
        print(problem)
    if problems:
        print(f"check_layers: {len(problems)} wrong")
        return 1
    print(f"check_layers: {sum(1 for _ in sources(root))} files, {units} compiled units, no back edge")
    return 0


if __name__ == "__main__":
    sys.exit(main())
