#!/usr/bin/env python3
"""Counts the instructions that one transition costs, with valgrind's callgrind, and compares them with a baseline.

Each workload is explored in two sizes; the difference of instructions over the difference of transitions is what a
further transition costs: start-up and building the model drop out, growth of the table does not. The store is the table
of words, whatever else would be chosen for so small a system. Instructions are what
can be compared between runs on a machine that others use too; they say nothing about memory. The vector instructions
are limited to AVX2, which is what valgrind 3.19 knows, so that the counts are the same on every processor that has it.

  worse than the baseline by more than 2 %                            fails
  over the workload's limit, and the baseline is not                  fails
  over the workload's limit, as the baseline is                       passes, and says so
  better by more than 2 %                                             passes, and says that the baseline is old
  another compiler or other vector instructions than the baseline's   only the limits count
Without valgrind nothing is compared: it says so and passes.

usage: instructions.py --program HEDDLE-BENCH --baseline FILE [--update | --show] [--jobs N]
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

TOLERANCE = 0.02
LIMIT_MASKED, LIMIT_BYTECODE = 150, 200
SECONDS_MAX = 240

# workload, smaller size, larger size, limit in instructions per transition
WORKLOADS = (
    ("ring", "7", "10", LIMIT_MASKED),
    ("pairs", "6", "8", LIMIT_MASKED),
    ("star", "8", "11", LIMIT_MASKED),
    ("pipeline", "7", "9", LIMIT_MASKED),
    ("dining", "8", "10", LIMIT_MASKED),
    ("rendezvous", "8", "10", LIMIT_MASKED),
    ("counter", "3,3", "4,3", LIMIT_BYTECODE),
    ("filter", "4", "5", LIMIT_BYTECODE),
)
OPTIONS = ("--threads", "1", "--store", "word", "--memory", "1G", "--format", "json")


def run(command):
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=SECONDS_MAX)


def measure(program, workload, size):
    """(instructions, transitions, vector instructions) of one run under callgrind."""
    done = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, workload, size, *OPTIONS])
    count = re.search(r"^==\d+== Collected : (\d+)", done.stderr, re.MULTILINE)
    if done.returncode != 0 or count is None:
        raise RuntimeError(f"{workload} {size} failed under callgrind (exit {done.returncode}):\n{done.stderr}")
    row = json.loads(done.stdout)
    return int(count.group(1)), row["transitions"], row["simd"]


def measure_all(program, jobs):
    """{workload: instructions per transition}, and the vector instructions that were used."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [(w[0], pool.submit(measure, program, w[0], w[1]), pool.submit(measure, program, w[0], w[2]))
                   for w in WORKLOADS]
        costs, simd = {}, ""
        for name, small, large in futures:
            (i0, t0, _), (i1, t1, simd) = small.result(), large.result()
            costs[name] = (i1 - i0) / (t1 - t0)
    return costs, simd


def compiler_of(program):
    """What the release build was compiled with, from its cache; the version in one line."""
    cache = os.path.join(os.path.dirname(os.path.dirname(program)), "CMakeCache.txt")
    compiler = "cc"
    with open(cache, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("CMAKE_C_COMPILER:"):
                compiler = line.split("=", 1)[1].strip()
    return run([compiler, "--version"]).stdout.splitlines()[0]


def read_baseline(path):
    """(settings, {workload: cost}); comment lines hold the settings."""
    settings, costs = {}, {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            comment = re.match(r"# (compiler|vectors): (.*)", line)
            if comment:
                settings[comment.group(1)] = comment.group(2).strip()
            elif not line.startswith("#") and not line.startswith("workload,"):
                name, _, _, cost = line.strip().split(",")
                costs[name] = float(cost)
    return settings, costs


def write_baseline(path, settings, costs):
    with open(path, "w", encoding="utf-8") as out:
        out.write("# Instructions per transition, made by scripts/instructions.sh --update; sizes are separated by a colon.\n")
        for name, value in settings.items():
            out.write(f"# {name}: {value}\n")
        out.write("workload,small,large,instructions_per_transition\n")
        for name, small, large, _ in WORKLOADS:
            out.write(f"{name},{small.replace(',', ':')},{large.replace(',', ':')},{costs[name]:.2f}\n")


def compare(costs, settings, baseline_settings, baseline):
    """Prints a line for each workload; the number of failures."""
    comparable = settings == baseline_settings
    if not comparable:
        print(f"the baseline was made with {baseline_settings}, this is {settings}: only the limits count")
    failures, improved = 0, False
    for name, _, _, limit in WORKLOADS:
        cost, was = costs[name], baseline.get(name)
        words = [f"{name:<11} {cost:7.1f}"]
        if was is None:
            words.append("not in the baseline: run scripts/instructions.sh --update")
            failures += 1
        elif comparable:
            words.append(f"baseline {was:7.1f}  {100 * (cost / was - 1):+6.2f} %")
            if cost > was * (1 + TOLERANCE):
                words.append("WORSE")
                failures += 1
            improved = improved or cost < was * (1 - TOLERANCE)
        if cost > limit:
            known = was is not None and was > limit
            words.append(f"over the limit of {limit}{', as the baseline is' if known else ''}")
            failures += 0 if known else 1
        print("  ".join(words))
    if improved:
        print("better than the baseline: run scripts/instructions.sh --update and commit bench/instructions.csv")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--baseline", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed, so no instructions were counted")
        return 0
    costs, simd = measure_all(arguments.program, arguments.jobs)
    settings = {"compiler": compiler_of(arguments.program), "vectors": simd}
    if arguments.update:
        write_baseline(arguments.baseline, settings, costs)
    if arguments.update or arguments.show:
        for name, cost in costs.items():
            print(f"{name:<11} {cost:7.1f}")
        return 0
    failures = compare(costs, settings, *read_baseline(arguments.baseline))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
