#!/usr/bin/env python3
"""Mutation checks: put one known bug into the sources, and require a named test to fail.

tests/mutants/*.list hold one mutant a line, `#` starts a comment line:

    file|sed-expression|test        the test is a CTest test and the program (target) of that name
                                    the expression may contain `|`; it must change the file

Works on a copy of the tracked files in build/mutants, never on the tree itself. For each mutant: applies the
expression, builds the test's program, runs the test, and puts the file back. A mutant is
    killed     the test failed (or did not end), as it should
    survived   the test passed: it does not see the bug
    invalid    the expression changed nothing, or the result does not compile, or the file or the test does not exist
First every test is run on the unchanged copy and must pass there.

usage: mutate.py [--quick] [--jobs N] [--list NAME]... [--root DIR]
  --quick      only the first mutant of each source folder that a list names
  --jobs N     copies that work side by side (default: half the cores, at least one)
  --list NAME  only tests/mutants/NAME.list
Ends with `N killed, N survived, N invalid`; exit 0 when all are killed.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import time

TEST_SECONDS_MAX = 120


@dataclasses.dataclass
class Mutant:
    where: str  # list file and line
    file: str
    expression: str
    test: str
    verdict: str = ""
    words: str = ""
    seconds: float = 0.0


def read_lists(root, names):
    folder = root / "tests" / "mutants"
    paths = [folder / f"{name}.list" for name in names] if names else sorted(folder.glob("*.list"))
    mutants = []
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            where = f"{path.name}:{number}"
            head, bar, rest = line.partition("|")
            expression, last_bar, test = rest.rpartition("|")
            if not bar or not last_bar:
                sys.exit(f"mutate: {where}: expected file|sed-expression|test")
            mutants.append(Mutant(where, head.strip(), expression, test.strip()))
    return mutants


def first_of_each_folder(mutants):
    seen = set()
    kept = []
    for mutant in mutants:
        key = (mutant.where.split(":")[0], os.path.dirname(mutant.file))
        if key not in seen:
            seen.add(key)
            kept.append(mutant)
    return kept


def tracked_files(root):
    git = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                         capture_output=True, check=False)
    if git.returncode == 0:
        return [name for name in git.stdout.decode().split("\0") if name and (root / name).is_file()]
    return [path.relative_to(root).as_posix() for path in root.rglob("*")
            if path.is_file() and path.relative_to(root).parts[0] not in ("build", ".git")]


class Tree:
    """One copy of the sources with its build folder. Files that did not change keep their time, so nothing is rebuilt."""

    def __init__(self, original, number, build_jobs):
        self.original = original
        self.root = original / "build" / "mutants" / str(number)
        self.build_folder = self.root / "build" / "dev"
        self.build_jobs = str(build_jobs)

    def refresh(self):
        names = set(tracked_files(self.original))
        for name in names:
            source, target = self.original / name, self.root / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
        for path in list(self.root.rglob("*")):
            name = path.relative_to(self.root)
            if path.is_file() and name.parts[0] != "build" and name.as_posix() not in names:
                path.unlink()

    def run(self, *command):
        # The first failure decides: a mutant may make the tests after it run for very long.
        environment = {**os.environ, "CRITERION_FAIL_FAST": "1"}
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True,
                              errors="replace", check=False)

    def configure(self):
        # Warnings stay warnings: a mutant may well leave a variable unused.
        # The copy has no fetched files: they stay where they are.
        grammar = self.original / "frontends/minigo/grammar/node_modules/tree-sitter-go/src/parser.c"
        fetched = [f"-DHEDDLE_GO_GRAMMAR={grammar}"] if grammar.is_file() else []
        done = self.run("cmake", "--preset", "dev", "-DHEDDLE_WERROR=OFF", *fetched)
        if done.returncode != 0:
            sys.exit(f"mutate: cmake failed\n{done.stdout}{done.stderr}")

    def build(self, *targets):
        return self.run("ninja", "-C", str(self.build_folder), "-j", self.build_jobs, *targets)

    def test(self, name):
        return self.run("ctest", "--test-dir", str(self.build_folder), "-R", f"^{name}$", "--no-tests=error",
                        "--timeout", str(TEST_SECONDS_MAX), "--output-on-failure")

    def try_mutant(self, mutant):
        begin = time.monotonic()
        mutant.verdict, mutant.words = self.judge(mutant)
        mutant.seconds = time.monotonic() - begin

    def judge(self, mutant):
        path = self.root / mutant.file
        if not path.is_file():
            return "invalid", "no such file"
        original = path.read_bytes()
        changed = subprocess.run(["sed", "-e", mutant.expression], input=original, capture_output=True, check=False)
        if changed.returncode != 0:
            return "invalid", changed.stderr.decode().strip()
        if changed.stdout == original:
            return "invalid", "the expression changes nothing"
        try:
            path.write_bytes(changed.stdout)
            built = self.build(mutant.test)
            if built.returncode != 0:
                return "invalid", "does not compile: " + first_error(built.stdout)
            tested = self.test(mutant.test)
        finally:
            path.write_bytes(original)
        return ("survived", "") if tested.returncode == 0 else ("killed", "")


def first_error(text):
    for line in text.splitlines():
        if "error" in line:
            return line.strip()
    return text.strip().splitlines()[-1] if text.strip() else "no output"


def prepare(tree, tests):
    """The unchanged copy must build and pass. Returns the tests that cannot serve, with the reason."""
    tree.refresh()
    tree.configure()
    unfit = {}
    for test in tests:
        built = tree.build(test)
        if built.returncode != 0:
            unfit[test] = "the test does not build: " + first_error(built.stdout)
    for test in tests:
        if test in unfit:
            continue
        tested = tree.test(test)
        if tested.returncode != 0:
            unfit[test] = "the test fails without the mutant, or does not exist"
    return unfit


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=max(1, len(os.sched_getaffinity(0)) // 2))
    parser.add_argument("--list", action="append", default=[])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    root = arguments.root.resolve()

    mutants = read_lists(root, arguments.list)
    if arguments.quick:
        mutants = first_of_each_folder(mutants)
    if not mutants:
        sys.exit("mutate: no mutants")
    tests = sorted({mutant.test for mutant in mutants})

    jobs = max(1, min(arguments.jobs, len(mutants)))
    build_jobs = max(1, len(os.sched_getaffinity(0)) // jobs)
    trees = [Tree(root, number, build_jobs) for number in range(jobs)]
    free = queue.Queue()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        unfit = {}
        for found in pool.map(lambda tree: prepare(tree, tests), trees):
            unfit.update(found)
        for tree in trees:
            free.put(tree)

        def work(mutant):
            if mutant.test in unfit:
                mutant.verdict, mutant.words = "invalid", unfit[mutant.test]
                return mutant
            tree = free.get()
            try:
                tree.try_mutant(mutant)
            finally:
                free.put(tree)
            return mutant

        for mutant in pool.map(work, mutants):
            print(f"{mutant.verdict:9}{mutant.seconds:6.1f} s  {mutant.where:24} {mutant.file:40} {mutant.test:24} "
                  f"{mutant.expression}" + (f"\n          {mutant.words}" if mutant.words else ""), flush=True)

    counts = {verdict: sum(1 for mutant in mutants if mutant.verdict == verdict)
              for verdict in ("killed", "survived", "invalid")}
    print(f"{counts['killed']} killed, {counts['survived']} survived, {counts['invalid']} invalid")
    return 0 if counts["killed"] == len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
