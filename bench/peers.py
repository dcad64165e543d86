"""Running the explorers that heddle is compared with: SPIN on a Promela text, Rumur on a Murphi text.

Settings are chosen in the peers' favour as far as they still explore every state exactly:
  SPIN   -o1 -o2 -o3: no dead variables dropped, no statements merged, else it explores another system;
         -O3 -march=native -DSAFETY -DNOREDUCE, breadth-first with -DBFS; hash table sized for the known number of states,
         depth limit above it, -c0: goes on after a deadlock
  Rumur  one thread, no symmetry reduction, no traces; the seen set sized for the known number of states, auxiliary data
         unpacked (faster); deadlock detection off where the system has one, since it would end there
"""
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import time

CFLAGS = ["-O3", "-march=native", "-w"]
# Rumur's --set-capacity is in bytes of full states, of which it makes slots; 64 bytes and half empty never has to grow.
# Less than its default of 8 MB makes it crash when it grows.
RUMUR_BYTES_PER_STATE, RUMUR_CAPACITY_MIN = 128, 8 << 20


@dataclasses.dataclass
class Run:
    """One run of a program. `problem` is empty when it ended well."""
    seconds: float
    output: str
    problem: str
    states: int = 0
    transitions: int = 0


def missing():
    """The programs that are not installed."""
    return [name for name in ("spin", "rumur") if shutil.which(name) is None]


def timed(command, seconds_max, cwd=None):
    """Runs a command; wall time from start to exit, as for every tool."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = process.communicate(timeout=seconds_max)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        return Run(time.monotonic() - begin, output, f"not done after {seconds_max} s")
    seconds = time.monotonic() - begin
    problem = ""
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        problem = f"killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
    elif process.returncode != 0:
        problem = f"exit code {process.returncode}"
    return Run(seconds, output, problem)


def build(commands, folder):
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def counted(printed, known):
    """The number that pan printed. It prints some counts with six digits only (1.59432e+06): then it is `known` if that
    rounds to the same digits."""
    number = float(printed)
    return known if "e" in printed and f"{known:g}" == f"{number:g}" else int(number)


class Program:
    """A text in a peer's language, compiled in a folder of its own; compiled again only when something has changed."""
    name = ""

    def __init__(self, text, folder, states):
        self.folder, self.states = folder, states
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, "model")
        recipe = text + re.sub(r"-DMEMLIM=\d+", "", repr(self.commands()))
        known = os.path.join(folder, "recipe")
        if not os.path.exists(known) or open(known, encoding="utf-8").read() != recipe:
            with open(source, "w", encoding="utf-8") as out:
                out.write(text)
            build(self.commands(), folder)
            with open(known, "w", encoding="utf-8") as out:
                out.write(recipe)

    def commands(self):
        raise NotImplementedError

    def run(self, seconds_max=3600):
        raise NotImplementedError


class Spin(Program):
    name, bfs = "spin-dfs", False

    def commands(self):
        mode = ["-DBFS"] if self.bfs else []
        return [["spin", "-o1", "-o2", "-o3", "-a", "model"],
                ["cc", *CFLAGS, "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=2048", f"-DMEMLIM={memory_mb()}", *mode, "-o", "pan",
                 "pan.c"]]

    def run(self, seconds_max=3600):
        bits = min(max(self.states.bit_length() + 1, 16), 34)
        # A path can be as long as the states are many, and a handshake takes two of SPIN's steps.
        run = timed(["./pan", "-c0", f"-w{bits}", f"-m{2 * self.states + 1000}"], seconds_max, self.folder)
        kind = r"nominal states \(- rv" if "nominal states (- rv" in run.output else "states, stored"
        states = re.search(rf"([\d.e+]+) {kind}", run.output)
        transitions = re.search(r"([\d.e+]+) transitions \(=", run.output)
        for sign in ("max search depth too small", "out of memory", "memory limit", "Search not completed",
                     "VECTORSZ", "assertion violated"):
            if sign in run.output and not run.problem:
                run.problem = sign
        if states and transitions:
            run.states = counted(states.group(1), self.states)
            run.transitions = int(float(transitions.group(1))) - 1
        elif not run.problem:
            run.problem = "no counts in what pan printed"
        return run


class SpinBreadthFirst(Spin):
    """Stores half-finished handshakes too; `states` are those it calls nominal, its transitions are others then."""
    name, bfs = "spin-bfs", True


class Rumur(Program):
    name = "rumur"

    def __init__(self, text, folder, states, deadlock=False):
        self.deadlock = deadlock
        super().__init__(text, folder, states)

    def commands(self):
        capacity = max(RUMUR_CAPACITY_MIN, RUMUR_BYTES_PER_STATE * self.states)
        return [["rumur", "--quiet", "--threads", "1", "--deadlock-detection", "off" if self.deadlock else "stuck",
                 "--symmetry-reduction", "off", "--counterexample-trace", "off", "--pack-state", "off",
                 "--value-type", "int32_t", "--set-capacity", str(capacity), "--output-format", "machine-readable",
                 "--output", "model.c", "model"],
                ["cc", "-std=c11", *CFLAGS, "-o", "checker", "model.c", "-lpthread", "-latomic"]]

    def run(self, seconds_max=3600):
        run = timed(["./checker"], seconds_max, self.folder)
        summary = re.search(r'<summary states="(\d+)" rules_fired="(\d+)" errors="(\d+)"', run.output)
        if summary:
            run.states, run.transitions = int(summary.group(1)), int(summary.group(2))
            if int(summary.group(3)) != 0:
                run.problem = "an error was found"
        elif not run.problem:
            run.problem = "no counts in what Rumur printed"
        return run


def memory_mb():
    """What a peer may use: 80 % of what the machine has available."""
    with open("/proc/meminfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 8 // 10 // 1024 // 256 * 256
    return 4096
