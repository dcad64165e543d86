#!/usr/bin/env python3
"""Speed with 1, 2, 4 ... N threads, each pinned to the first cores that the process may use; see scripts/scaling.sh.

strong   one system, more threads: speed-up and efficiency against one thread, both in the same round
weak     wider systems with more threads, about the same number of states per thread: states per second and thread
fit      the universal scalability law (N. J. Gunther, Guerrilla Capacity Planning, 2007), S(N) = N / (1 + s (N-1) +
         k N (N-1)), by least squares on N/S - 1, with s and k not negative; capped by what the calibration kernel does
         on the same threads, for a search looks up the table at least once per transition
Python's standard library is enough; plots are drawn when gnuplot is there.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys

import tables

STRONG = {False: (("ring", "13"), ("counter", "4,5")), True: (("ring", "8"), ("counter", "3,3"))}
# star n+1 has a little over twice the states of star n
WEAK = {False: ("star", 14), True: ("star", 6)}
PREDICTED = (16, 24, 32, 48, 64)


def cores():
    return sorted(os.sched_getaffinity(0))


def run(arguments, threads, *command, program=None):
    """Standard output of heddle-bench on the first cores."""
    chosen = set(cores()[:threads])
    environment = {**os.environ, "OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
    done = subprocess.run([program or arguments.program, *command, "--threads", str(threads)], capture_output=True, text=True,
                          check=False, env=environment, preexec_fn=lambda: os.sched_setaffinity(0, chosen))
    if done.returncode != 0:
        sys.exit(f"scaling: {' '.join(command)} with {threads} threads: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def explore(arguments, threads, workload, size, program=None):
    row = json.loads(run(arguments, threads, workload, size, "--format", "json", *arguments.options, program=program).splitlines()[-1])
    if row["verified"] != "yes":
        sys.exit(f"scaling: {workload} {size} with {threads} threads: the counts are not verified")
    print(f"{workload} {size}: {threads} threads: {row['seconds']:.3f} s", file=sys.stderr, flush=True)
    return row


def thread_counts(most):
    counts = []
    n = 1
    while n < most:
        counts.append(n)
        n *= 2
    return counts + [most]


def measure_strong(arguments, counts):
    """One row per workload, thread count and round."""
    rows = []
    for workload, size in STRONG[arguments.quick]:
        for turn in range(arguments.rounds):
            one = None
            for threads in counts:
                row = explore(arguments, threads, workload, size)
                one = one or row["seconds"]
                rows.append({"workload": workload, "size": size, "round": turn, "threads": threads,
                             "states": row["states"], "transitions": row["transitions"], "seconds": row["seconds"],
                             "speedup": one / row["seconds"]})
    return rows


def measure_weak(arguments, counts):
    workload, size = WEAK[arguments.quick]
    rows = []
    for step, threads in enumerate(n for n in counts if n & (n - 1) == 0):
        for turn in range(arguments.rounds):
            row = explore(arguments, threads, workload, str(size + step))
            rows.append({"workload": workload, "size": size + step, "round": turn, "threads": threads,
                         "states": row["states"], "seconds": row["seconds"],
                         "mstates_per_second_and_thread": row["states"] / 1e6 / row["seconds"] / threads})
    return rows


def measure_plain(arguments):
    """One thread with and without atomics, alternately: seconds, and the ratio."""
    out = []
    for workload, size in STRONG[arguments.quick] if arguments.plain else ():
        pairs = [(explore(arguments, 1, workload, size)["seconds"],
                  explore(arguments, 1, workload, size, arguments.plain)["seconds"]) for _ in range(arguments.rounds)]
        out.append({"workload": f"{workload} {size}", "atomics, s": f"{statistics.median(a for a, _ in pairs):.3f}",
                    "plain memory, s": f"{statistics.median(b for _, b in pairs):.3f}",
                    "atomics / plain": f"{statistics.median(a / b for a, b in pairs):.2f}"})
    return out


def measure_memory(arguments, counts):
    """Million insertions a second of the calibration kernel, by threads."""
    return {n: statistics.median(float(run(arguments, n, "calibrate", "--header", "off").split(",")[1])
                                 for _ in range(arguments.rounds)) for n in counts}


def fit(points):
    """(s, k) of the universal scalability law for [(threads, speed-up)]; None when one thread is all there is."""
    data = [(n - 1, n * (n - 1), n / speedup - 1) for n, speedup in points if n > 1]
    if not data:
        return None
    aa = sum(a * a for a, _, _ in data)
    ab = sum(a * b for a, b, _ in data)
    bb = sum(b * b for _, b, _ in data)
    ay = sum(a * y for a, _, y in data)
    by = sum(b * y for _, b, y in data)
    determinant = aa * bb - ab * ab
    s, k = max(0.0, ay / aa), 0.0  # k = 0 is all that one point can tell
    if len(data) > 1 and determinant > 1e-9 * aa * bb:
        s, k = (ay * bb - by * ab) / determinant, (aa * by - ab * ay) / determinant
        if k < 0:
            s, k = max(0.0, ay / aa), 0.0
        elif s < 0:
            s, k = 0.0, max(0.0, by / bb)
    return s, k


def law(n, s, k):
    return n / (1 + s * (n - 1) + k * n * (n - 1))


def medians(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault((row["workload"], row["size"], row["threads"]), []).append(row[key])
    return {group: statistics.median(values) for group, values in groups.items()}


def strong_table(rows):
    out = []
    seconds, speedups = medians(rows, "seconds"), medians(rows, "speedup")
    for (workload, size, threads), time in seconds.items():
        mine = [r for r in rows if (r["workload"], r["size"], r["threads"]) == (workload, size, threads)]
        speedup = speedups[workload, size, threads]
        out.append({"workload": f"{workload} {size}", "threads": threads, "seconds": f"{time:.3f}",
                    "M states/s": f"{mine[0]['states'] / 1e6 / time:.2f}",
                    "speed-up": f"{speedup:.2f} [{min(r['speedup'] for r in mine):.2f} - {max(r['speedup'] for r in mine):.2f}]",
                    "efficiency": f"{speedup / threads:.2f}"})
    return out


def weak_table(rows):
    rates = medians(rows, "mstates_per_second_and_thread")
    return [{"workload": f"{workload} {size}", "threads": threads, "M states/s and thread": f"{rate:.2f}"}
            for (workload, size, threads), rate in rates.items()]


def prediction_table(rows, memory):
    """Speed-ups predicted for more cores. The memory's cap is what the kernel reached per thread, at the most threads
    that were measured: where it no longer grows in proportion, neither can a search."""
    out = []
    most = max(memory)
    per_thread = {n: rate / n / memory[1] for n, rate in memory.items()}
    speedups = medians(rows, "speedup")
    for workload, size in dict.fromkeys((r["workload"], r["size"]) for r in rows):
        points = [(n, s) for (w, z, n), s in speedups.items() if (w, z) == (workload, size)]
        parameters = fit(points)
        if parameters is None:
            continue
        line = {"workload": f"{workload} {size}", "s": f"{parameters[0]:.4f}", "k": f"{parameters[1]:.6f}"}
        for n in PREDICTED:
            line[f"{n} cores"] = f"{min(law(n, *parameters), n * min(1.0, per_thread[most])):.1f}"
        out.append(line)
    return out


def write_csv(path, rows):
    if rows:
        with open(path, "w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--program", required=True, help="heddle-bench")
    parser.add_argument("--plain", help="heddle-bench built without atomics (preset bench-plain)")
    parser.add_argument("--out", help="folder for the results (default build/bench-results)")
    parser.add_argument("--threads", type=int, default=len(cores()), help="most threads (default: all cores)")
    parser.add_argument("--rounds", type=int, help="rounds (default 5; quick: 2)")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--options", nargs="*", default=[], help="further options of heddle-bench, e.g. --options --store word")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    arguments, rest = parser.parse_known_args()
    arguments.options += rest
    arguments.rounds = arguments.rounds or (2 if arguments.quick else 5)
    arguments.program = os.path.abspath(arguments.program)
    if not 1 <= arguments.threads <= len(cores()):
        sys.exit(f"scaling: there are {len(cores())} cores: --threads 1 .. {len(cores())}")
    out = arguments.out or os.path.join(arguments.root, "build", "bench-results")
    os.makedirs(out, exist_ok=True)
    counts = thread_counts(arguments.threads)
    strong, weak = measure_strong(arguments, counts), measure_weak(arguments, counts)
    memory, plain = measure_memory(arguments, counts), measure_plain(arguments)
    write_csv(os.path.join(out, "scaling-strong.csv"), strong)
    write_csv(os.path.join(out, "scaling-weak.csv"), weak)
    write_csv(os.path.join(out, "scaling-memory.csv"),
              [{"threads": n, "million_inserts_per_second": rate} for n, rate in memory.items()])
    series = {}
    for (workload, size, threads), speedup in medians(strong, "speedup").items():
        series.setdefault(f"{workload} {size}", []).append((threads, speedup))
    series["calibration kernel"] = [(n, rate / memory[1]) for n, rate in memory.items()]
    series["ideal"] = [(n, n) for n in counts]
    tables.plot_lines(os.path.join(out, "scaling"), "strong scaling", "speed-up", series)
    predicted = prediction_table(strong, memory)
    text = "\n".join([
        tables.machine(), "", "Strong scaling:", "", tables.markdown(strong_table(strong)), "Weak scaling:", "",
        tables.markdown(weak_table(weak)),
        *(["One thread with and without atomics:", "", tables.markdown(plain)] if plain else []), "The calibration kernel:", "",
        tables.markdown([{"threads": n, "M inserts/s": f"{rate:.1f}", "per thread": f"{rate / n:.1f}"}
                         for n, rate in memory.items()]),
        f"**Prediction**, not measured: speed-ups from the law fitted to 1 to {counts[-1]} threads.", "",
        tables.markdown(predicted) if predicted else "(one core: nothing to fit)\n"])
    print(text)
    if arguments.write:
        tables.write_section(os.path.join(arguments.root, "docs", "benchmarks.md"), "scaling", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
