#!/usr/bin/env python3
"""Paired runs: heddle, SPIN (depth-first and breadth-first) and Rumur on the same systems, alternately; see scripts/bench.sh.

In every round each tool explores each workload once, in an order that rotates from round to round. Times are wall times
of the whole process, the same for every tool; compiling the peers' programs is not counted. A count that is not exact
makes the run worthless and is reported. Ratios are taken within a round, where the machine was in one mood; the table
shows medians and the range of the rounds. The better of SPIN's two modes is the one with the smaller median.
"""
import argparse
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys

import instructions
import peers
import tables

# workload -> size of a real run (at least 10^6 states), quick size
PEER_SIZES = {
    "ring": ("12", "7"), "pairs": ("10", "5"), "star": ("15", "7"), "pipeline": ("11", "6"), "counter": ("4,4", "3,3"),
    "filter": ("6", "4"), "dining": ("13", "7"), "rendezvous": ("13", "6"),
}
WITH_DEADLOCK = {"counter", "dining", "rendezvous"}
BYTECODE = {"counter", "filter"}
PARTS = ("peers", "stores", "shapes", "largest", "set", "solver")


class Bench:
    """heddle-bench, and what the arguments say."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.root = arguments.root
        self.results = os.path.join(self.root, "build", "bench-results")
        self.bin = os.path.join(self.root, "build", "bench", "bin")
        self.program = os.path.join(self.bin, "heddle-bench")
        os.makedirs(self.results, exist_ok=True)
        self.help = subprocess.run([self.program, "--help"], capture_output=True, text=True, check=True).stdout
        self.problems = []

    def problem(self, words):
        print(f"problem: {words}", file=sys.stderr, flush=True)
        self.problems.append(words)

    def has(self, option):
        return f"{option} " in self.help

    def heddle(self, workload, size, *options):
        """(peers.Run, row) of one run; the row is None when it failed."""
        run = peers.timed([self.program, workload, size, "--format", "json", *options], self.arguments.seconds_max)
        row = None
        if run.problem == "exit code 4" and "bitstate" in options:
            run.problem = ""  # it never says that it has seen everything
        if not run.problem:
            row = json.loads(run.output.splitlines()[-1])
            run.states, run.transitions = row["states"], row["transitions"]
            run.seconds -= row["compile_seconds"]  # no tool's compiling is counted
            if "wait" in options and row["native"] != "yes":
                run.problem = "the native code was not used"
        return run, row

    def write_csv(self, name, rows):
        if not rows:
            return
        with open(os.path.join(self.results, f"{name}.csv"), "w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


# ---- peers ----

def heddle_modes(bench, workload):
    """name -> options of heddle's own variants that are compared."""
    modes = {"heddle": ["--threads", str(bench.arguments.threads)]}
    if workload in BYTECODE and bench.has("--native"):
        modes["heddle --native"] = [*modes["heddle"], "--native", "wait"]
    return modes


def prepare(bench, workload, size):
    """The tools for one workload: name -> function that runs it once; and heddle's row."""
    run, row = bench.heddle(workload, size)
    if row is None or row["verified"] != "yes":
        bench.problem(f"{workload} {size}: heddle's counts are not verified: {run.problem or row}")
        return {}, None
    tools = {name: (lambda o=options: bench.heddle(workload, size, *o)[0])
             for name, options in heddle_modes(bench, workload).items()}
    folder = os.path.join(bench.root, "build", "peers", f"{workload}-{size.replace(',', '-')}")
    for kind, language in ((peers.Spin, "promela"), (peers.SpinBreadthFirst, "promela"), (peers.Rumur, "murphi")):
        if kind.name in bench.arguments.without:
            continue
        options = {"deadlock": workload in WITH_DEADLOCK} if kind is peers.Rumur else {}
        text = subprocess.run([bench.program, workload, size, "--print", language], capture_output=True, text=True,
                              check=True).stdout
        try:
            program = kind(text, os.path.join(folder, kind.name), row["states"], **options)
        except RuntimeError as error:
            bench.problem(f"{workload} {size}: {kind.name} could not be built: {error}")
            continue
        tools[kind.name] = lambda p=program: p.run(bench.arguments.seconds_max)
    return tools, row


def check_counts(bench, workload, size, tool, run, row):
    """Notes what is wrong with a run."""
    exact_transitions = not (tool == "spin-bfs" and workload == "rendezvous")  # it counts half handshakes
    if not run.problem and run.states != row["states"]:
        run.problem = f"counts {run.states} states, not {row['states']}"
    if not run.problem and exact_transitions and run.transitions != row["transitions"]:
        run.problem = f"counts {run.transitions} transitions, not {row['transitions']}"
    if run.problem:
        bench.problem(f"{workload} {size}: {tool}: {run.problem}")


def calibrate(bench):
    done = subprocess.run([bench.program, "calibrate", "--header", "off", "--threads", str(bench.arguments.threads)],
                          capture_output=True, text=True, check=True)
    return float(done.stdout.split(",")[1])


def run_rounds(bench, sizes):
    """CSV rows of all runs, and the workloads' rows of heddle."""
    prepared = {}
    for workload, size in sizes.items():
        print(f"preparing {workload} {size}", file=sys.stderr, flush=True)
        prepared[workload] = prepare(bench, workload, size)
    rows = []
    for turn in range(bench.arguments.rounds):
        rate = calibrate(bench)
        for workload, (tools, row) in prepared.items():
            names = list(tools)
            names = names[turn % len(names):] + names[:turn % len(names)] if names else []
            for tool in names:
                run = tools[tool]()
                check_counts(bench, workload, sizes[workload], tool, run, row)
                rows.append({"round": turn, "workload": workload, "size": sizes[workload], "tool": tool,
                             "states": run.states, "transitions": run.transitions, "seconds": round(run.seconds, 4),
                             "calibration_minserts_per_second": rate, "problem": run.problem})
                print(f"round {turn + 1}: {workload} {sizes[workload]}: {tool}: {run.seconds:.2f} s {run.problem}",
                      file=sys.stderr, flush=True)
        bench.write_csv("peers", rows)
    return rows, {workload: row for workload, (_, row) in prepared.items() if row is not None}


def spread(values, digits=1):
    """median [least - greatest]"""
    if not values:
        return "-"
    middle = statistics.median(values)
    return f"{middle:.{digits}f} [{min(values):.{digits}f} - {max(values):.{digits}f}]"


def seconds_by_round(rows, workload, tool):
    return {r["round"]: r["seconds"] for r in rows if r["workload"] == workload and r["tool"] == tool and not r["problem"]}


def ratios(times, base):
    """How many times longer `times` took than `base`, round by round."""
    return [times[turn] / base[turn] for turn in sorted(base) if turn in times and base[turn] > 0]


def peer_tables(bench, rows, heddle_rows):
    speed, more = [], []
    costs = {}
    if not bench.arguments.no_instructions and shutil.which("valgrind"):
        costs, _ = instructions.measure_all(os.path.join(bench.root, "build", "release", "bin", "heddle-bench"),
                                            bench.arguments.jobs)
    for workload, row in heddle_rows.items():
        spin = [seconds_by_round(rows, workload, name) for name in ("spin-dfs", "spin-bfs")]
        best_spin = min((t for t in spin if t), key=lambda t: statistics.median(t.values()), default={})
        rumur = seconds_by_round(rows, workload, "rumur")
        for mode in heddle_modes(bench, workload):
            own = seconds_by_round(rows, workload, mode)
            rate = [row["states"] / 1e6 / s for s in own.values()]
            speed.append({
                "workload": f"{workload} {row_size(row)}", "mode": mode, "states": f"{row['states']:,}",
                "b": f"{row['branching']:.2f}", "heddle, M states/s": spread(rate, 2),
                "SPIN dfs": spread([row["states"] / 1e6 / s for s in spin[0].values()], 2),
                "SPIN bfs": spread([row["states"] / 1e6 / s for s in spin[1].values()], 2),
                "Rumur": spread([row["states"] / 1e6 / s for s in rumur.values()], 2),
                "x SPIN": spread(ratios(best_spin, own)), "x Rumur": spread(ratios(rumur, own)),
            })
            calibration = {r["round"]: r["calibration_minserts_per_second"] for r in rows}
            more.append({
                "workload": f"{workload} {row_size(row)}", "mode": mode,
                "M transitions/s": spread([row["transitions"] / 1e6 / s for s in own.values()]),
                "of the kernel": spread([row["transitions"] / 1e6 / s / calibration[t] for t, s in own.items()], 2),
                "instructions/transition": f"{costs[workload]:.0f}" if workload in costs and mode == "heddle" else "-",
                "levels": f"{row['levels']:,}", "store": row["store"],
                "table bytes/state": f"{row['table_bytes_per_state']:.1f}", "load": f"{row['load']:.2f}",
                "frontier MiB": f"{row['frontier_bytes'] / 2**20:.1f}", "resident MiB": f"{row['resident_bytes'] / 2**20:.0f}",
            })
    bench.write_csv("speed", speed)
    return tables.markdown(speed) + "\n" + tables.markdown(more)


def row_size(row):
    return f"{row['n']},{row['k']}" if row["k"] else f"{row['n']}"


def part_peers(bench):
    wanted = {w: s[1 if bench.arguments.quick else 0] for w, s in PEER_SIZES.items()}
    if bench.arguments.workloads:
        wanted = parse_workloads(bench.arguments.workloads, wanted)
    for name in peers.missing():
        bench.problem(f"{name} is not installed (scripts/setup.sh --bench)")
        bench.arguments.without += {"spin": ["spin-dfs", "spin-bfs"], "rumur": ["rumur"]}[name]
    rows, heddle_rows = run_rounds(bench, wanted)
    text = peer_tables(bench, rows, heddle_rows)
    tables.plot_bars(os.path.join(bench.results, "peers"), rows, heddle_rows)
    return text


# ---- stores, shapes, the largest ----

def measure_rows(bench, cases):
    """Median row of each (words, workload, size, options) case."""
    rows = []
    for words, workload, size, options in cases:
        runs = []
        for _ in range(bench.arguments.rounds):
            run, row = bench.heddle(workload, size, *options)
            if row is None:
                bench.problem(f"{workload} {size} {' '.join(options)}: {run.problem}: {run.output.strip()[-200:]}")
                break
            runs.append(row)
        if runs:
            row = sorted(runs, key=lambda r: r["seconds"])[len(runs) // 2]
            rows.append({**row, "case": words, "workload": f"{workload} {size}"})
    return rows


def show(rows, *columns):
    formats = {"states": ",", "seconds": ".3f", "mstates_per_second": ".2f", "mtransitions_per_second": ".1f",
               "table_bytes_per_state": ".2f", "load": ".2f"}
    return tables.markdown([{c.replace("_", " "): format(r[c], formats.get(c, "")) for c in columns} for r in rows])


def part_stores(bench):
    known = next(line for line in bench.help.splitlines() if line.startswith("stores:")).split()[1:]
    stores = [s for s in bench.arguments.stores.split(",") if s] or [s for s in known if s != "auto"]
    narrow = "9" if bench.arguments.quick else "12"
    room = {store: ["--memory", "256M"] if store == "bitstate" else [] for store in stores}  # it takes all it may have
    cases = [(f"{store}", "ring", narrow, ["--store", store, *room[store]]) for store in stores]
    budget = "20000" if bench.arguments.quick else "4M"
    cases += [(f"{store}, 64 peers", "ring", "64", ["--store", store, *room[store], "--budget", budget])
              for store in stores]
    rows = []
    for case in cases:
        run, _ = bench.heddle(case[1], case[2], *case[3], "--budget", "1")
        if not run.problem:  # a store that cannot hold such states says so
            rows += measure_rows(bench, [case])
    bench.write_csv("stores", rows)
    return show(rows, "case", "workload", "store", "words", "states", "mstates_per_second", "table_bytes_per_state",
                "load")


def part_shapes(bench):
    n = "20000" if bench.arguments.quick else "1000000"
    cases = [(f"{threads} threads", shape, n, ["--threads", threads]) for shape in ("chain", "fan")
             for threads in ("1", "2", "8")]
    rows = measure_rows(bench, cases)
    bench.write_csv("shapes", rows)
    return show(rows, "workload", "case", "states", "levels", "seconds")


def part_largest(bench):
    """The largest ring whose table fits half of the memory, at most --largest."""
    n = 8 if bench.arguments.quick else bench.arguments.largest
    states = 1
    for i in range(1, n + 1):
        states = states * (n + i) // i
    while not bench.arguments.quick and states * 26 > peers.memory_mb() * 2**20:
        states = states * n // (2 * (2 * n - 1))
        n -= 1
    run, row = bench.heddle("ring", str(n), "--threads", "0")
    if row is None:
        bench.problem(f"ring {n}: {run.problem}")
        return ""
    rows = [{**row, "workload": f"ring {n}", "resident_GiB": round(row["peak_bytes"] / 2**30, 2)}]
    bench.write_csv("largest", rows)
    return show(rows, "workload", "threads", "states", "transitions", "seconds", "mstates_per_second", "store",
                "table_bytes_per_state", "load", "resident_GiB", "verified")


def part_set(bench):
    program = os.path.join(bench.bin, "heddle-set-bench")
    options = ["--slots", "65536"] if bench.arguments.quick else []
    done = subprocess.run([program, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        bench.problem(f"heddle-set-bench: {done.stderr.strip()}")
        return ""
    rows = list(csv.DictReader(done.stdout.splitlines()))
    bench.write_csv("set", rows)
    return tables.markdown(rows)


# ---- the solvers of core/repair ----

def solver_cell(rows, limit):
    """median [least - greatest] in milliseconds, and how many were not proved in time."""
    if not rows:
        return "-"
    times = sorted(1000 * float(r["seconds"]) for r in rows)
    open_ones = sum(r["proved"] != "yes" for r in rows)
    median = statistics.median(times)
    cell = f"{'> ' if median >= 1000 * limit else ''}{median:.2f} [{times[0]:.2f} - {times[-1]:.2f}]"
    return cell + (f", {open_ones} of {len(rows)} not proved" if open_ones else "")


def part_solver(bench):
    """Each solver on the same instances, in one process; ratios are taken instance by instance."""
    limit = min(20, bench.arguments.seconds_max)
    command = [os.path.join(bench.bin, "heddle-solver-bench"), "--rounds", str(bench.arguments.rounds), "--seconds-max",
               str(limit)]
    done = subprocess.run(command + (["--quick"] if bench.arguments.quick else []), capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        bench.problem(f"heddle-solver-bench: {done.stderr.strip()}")
        return ""
    rows = list(csv.DictReader(done.stdout.splitlines()))
    bench.write_csv("solver", rows)
    if not any(r["solver"] == "z3" for r in rows):
        bench.problem("libz3 was not there when heddle-solver-bench was built (scripts/setup.sh --bench)")
    lines = []
    for family, size in dict.fromkeys((r["family"], r["size"]) for r in rows):
        mine = [r for r in rows if (r["family"], r["size"]) == (family, size)]
        of = {name: [r for r in mine if r["solver"] == name] for name in ("hitting-set", "formula", "z3")}
        ratios = [float(z["seconds"]) / float(f["seconds"]) for z, f in zip(of["z3"], of["formula"])
                  if f["proved"] == "yes"]
        lines.append({"family": f"{family} {size}", "variables": mine[0]["variables"], "clauses": mine[0]["clauses"],
                      **{f"{name}, ms": solver_cell(of[name], limit) for name in of},
                      "z3 / formula": spread(ratios) if ratios else "-"})
    return tables.markdown(lines)


def parse_workloads(text, known):
    """ring=12;counter=4,4;star -> sizes. Items are separated by blanks or semicolons."""
    sizes = {}
    for item in text.replace(";", " ").split():
        name, _, size = item.partition("=")
        if name not in known:
            sys.exit(f"bench: unknown workload {name}; there are {', '.join(known)}")
        sizes[name] = size or known[name]
    return sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--quick", action="store_true", help="small sizes, two rounds")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part (repeatable)")
    parser.add_argument("--workloads", default="", help='e.g. "ring=12 star counter=4,4": blanks between')
    parser.add_argument("--rounds", type=int, help="rounds (default 5; quick: 2)")
    parser.add_argument("--threads", type=int, default=1, help="heddle's threads against the peers (default 1)")
    parser.add_argument("--without", action="append", default=[], help="leave out spin-dfs, spin-bfs or rumur")
    parser.add_argument("--stores", default="", help="stores to compare, with commas (default: all)")
    parser.add_argument("--largest", type=int, default=15, help="most peers of the largest ring (default 15)")
    parser.add_argument("--seconds-max", type=int, default=600, help="limit for one run")
    parser.add_argument("--no-instructions", action="store_true", help="count no instructions")
    parser.add_argument("--jobs", type=int, default=1, help="counts of instructions side by side")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (2 if arguments.quick else 5)
    bench = Bench(arguments)
    machine = tables.machine()
    print(machine)
    for part in arguments.part or PARTS:
        text = globals()[f"part_{part}"](bench)
        print(f"\n== {part}\n\n{text}", flush=True)
        if arguments.write:
            tables.write_section(os.path.join(bench.root, "docs", "benchmarks.md"), part, f"{machine}\n\n{text}")
    print(f"\nfigures and plots: {os.path.relpath(bench.results, bench.root)}/")
    for words in bench.problems:
        print(f"problem: {words}")
    return 1 if bench.problems else 0


if __name__ == "__main__":
    sys.exit(main())
