"""Tables, plots and the machine's description for the scripts of bench/."""
import datetime
import os
import platform
import re
import shutil
import statistics
import subprocess


def markdown(rows):
    """A markdown table of dictionaries with the same keys; the first column to the left, the others to the right."""
    if not rows:
        return "(nothing was measured)\n"
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "|".join([":--"] + ["--:"] * (len(names) - 1)) + "|"]
    lines += ["| " + " | ".join(str(row[name]) for name in names) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def machine():
    """One line: processor, cores, memory, system, compiler, day."""
    model, memory = "unknown processor", 0
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo", encoding="utf-8") as lines:
        memory = int(lines.readline().split()[1]) / 2**20
    compiler = subprocess.run(["cc", "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()
    return (f"{model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, Linux {platform.release()}, gcc {compiler}, "
            f"{datetime.date.today().isoformat()}")


def write_section(path, name, text):
    """Replaces what stands between the markers of a section."""
    with open(path, encoding="utf-8") as source:
        old = source.read()
    pattern = re.compile(rf"(<!-- {name}: begin -->\n).*?(<!-- {name}: end -->)", re.DOTALL)
    if not pattern.search(old):
        raise RuntimeError(f"{path} has no section {name}")
    new = pattern.sub(lambda m: m.group(1) + "\n" + text.rstrip("\n") + "\n\n" + m.group(2), old)
    temporary = path + ".new"
    with open(temporary, "w", encoding="utf-8") as out:
        out.write(new)
    os.replace(temporary, path)


def gnuplot(script, path):
    """Draws; says so when gnuplot is not there."""
    if shutil.which("gnuplot") is None:
        print("no plots: gnuplot is not installed")
        return
    full = f"set terminal svg size 900,500 background 'white'\nset output '{path}.svg'\n{script}"
    done = subprocess.run(["gnuplot"], input=full, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"gnuplot failed: {done.stderr.strip()}")


def plot_bars(path, rows, heddle_rows):
    """Median M states/s of every tool and workload, on a logarithmic axis."""
    tools = sorted({r["tool"] for r in rows})
    lines = ["workload\t" + "\t".join(tools)]
    for workload in heddle_rows:
        cells = []
        for tool in tools:
            rates = [r["states"] / 1e6 / r["seconds"] for r in rows
                     if r["workload"] == workload and r["tool"] == tool and not r["problem"]]
            cells.append(f"{statistics.median(rates):.4g}" if rates else "?")
        lines.append(workload + "\t" + "\t".join(cells))
    with open(path + ".tsv", "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    columns = ", ".join(f"'{path}.tsv' using {i + 2}:xtic(1) title '{tool}'" for i, tool in enumerate(tools))
    gnuplot("set style data histograms\nset style fill solid 0.8\nset logscale y\nset datafile missing '?'\n"
            "set datafile separator '\\t'\nset ylabel 'M states/s'\nset key outside\nset xtics rotate by -30\n"
            f"plot {columns}\n", path)


def plot_lines(path, title, ylabel, series):
    """series: name -> [(x, y)]; x is a number of threads."""
    with open(path + ".tsv", "w", encoding="utf-8") as out:
        for name, points in series.items():
            out.write(f'"{name}"\n' + "".join(f"{x}\t{y:.6g}\n" for x, y in points) + "\n\n")
    count = len(series)
    gnuplot("set key outside\nset logscale xy 2\nset xlabel 'threads'\n"
            f"set title '{title}'\nset ylabel '{ylabel}'\nset grid\n"
            f"plot for [i=0:{count - 1}] '{path}.tsv' index i using 1:2 with linespoints title columnheader(1)\n", path)
