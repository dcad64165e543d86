#!/usr/bin/env python3
"""The README tells the truth: each `$ command` in it prints what is shown below it, apart from what the machine decides
(threads, seconds, rates, memory), and every link of the documents leads to a file.

usage: readme.py ROOT
"""
import pathlib
import re
import subprocess
import sys

MACHINE = re.compile(r"\d+ threads?, [0-9.]+ s, \d+ states/s, [0-9.]+ [KMG]iB")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def sessions(text):
    """Yields each command with the output shown below it: the indented lines up to the next command or text."""
    command, shown = None, []
    for line in text.splitlines() + ["end"]:
        if command is not None and (not line.startswith("    ") or line.startswith("    $ ")):
            yield command, shown
            command, shown = None, []
        if line.startswith("    $ "):
            command = line[len("    $ "):]
        elif command is not None:
            shown.append(line[len("    "):])


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    wrong = 0
    commands = 0
    for command, shown in sessions((root / "README.md").read_text(encoding="utf-8")):
        commands += 1
        done = subprocess.run(command, shell=True, cwd=root, capture_output=True, text=True, check=False)
        printed = [MACHINE.sub("MACHINE", line) for line in done.stdout.splitlines()]
        if printed != [MACHINE.sub("MACHINE", line) for line in shown]:
            wrong += 1
            print(f"README.md: `{command}` prints\n{done.stdout}{done.stderr}")
    if commands == 0:
        wrong += 1
        print("README.md: no session")
    links = 0
    for document in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]):
        for target in LINK.findall(document.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            links += 1
            if not (document.parent / target).exists():
                wrong += 1
                print(f"{document.relative_to(root)}: link to {target}, which is not there")
    print(f"{commands} commands, {links} links, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
