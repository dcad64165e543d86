"""heddle-bench: exact counts for every workload, and a command line that says what is wrong with it."""
import csv
import io
import json
import os
import subprocess
import unittest

BENCH, HEDDLE = os.environ["HEDDLE_BENCH"], os.environ["HEDDLE"]
SIZES = (("ring", "2"), ("ring", "7"), ("pairs", "1"), ("pairs", "5"), ("star", "1"), ("star", "2"), ("star", "7"),
         ("pipeline", "1"), ("pipeline", "6"), ("counter", "2,2"), ("counter", "3,3"), ("filter", "2"), ("filter", "4"),
         ("dining", "2"), ("dining", "7"), ("rendezvous", "2"), ("rendezvous", "7"), ("chain", "1"), ("chain", "500"),
         ("fan", "1"), ("fan", "500"))


def bench(*arguments):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=300, check=False)


class Driver(unittest.TestCase):
    def test_counts_are_the_exact_ones(self):
        for workload, size in SIZES:
            for threads in ("1", "3"):
                with self.subTest(workload=workload, size=size, threads=threads):
                    done = bench(workload, size, "--format", "json", "--threads", threads)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    row = json.loads(done.stdout)
                    self.assertEqual((row["verified"], row["complete"], row["threads"]), ("yes", "yes", int(threads)))

    def test_csv_has_the_same_fields(self):
        done = bench("ring", "3", "--repeat", "2")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 2)
        self.assertEqual(list(rows[0]), list(json.loads(bench("ring", "3", "--format", "json").stdout)))
        self.assertEqual((rows[1]["states"], rows[1]["transitions"]), ("20", "36"))

    def test_a_reduced_search_is_not_verified(self):
        whole = json.loads(bench("ring", "7", "--format", "json").stdout)
        row = json.loads(bench("ring", "7", "--reduction", "deadlocks", "--format", "json").stdout)
        self.assertEqual((row["reduced"], row["verified"], row["complete"]), ("yes", "no", "yes"))
        self.assertLess(row["states"], whole["states"] // 10)

    def test_native_counts_the_same(self):
        row = json.loads(bench("counter", "3,3", "--native", "wait", "--format", "json").stdout)
        self.assertEqual((row["native"], row["verified"]), ("yes", "yes"))
        self.assertGreater(row["compile_seconds"], 0)
        self.assertEqual(json.loads(bench("counter", "3,3", "--format", "json").stdout)["native"], "no")

    def test_any_order_counts_the_same(self):
        for workload, size in (("ring", "7"), ("filter", "4"), ("dining", "7")):
            row = json.loads(bench(workload, size, "--order", "any", "--threads", "3", "--format", "json").stdout)
            self.assertEqual((row["order"], row["verified"]), ("any", "yes"))

    def test_a_search_that_was_cut_short_is_not_verified(self):
        row = json.loads(bench("ring", "8", "--budget", "100", "--format", "json").stdout)
        self.assertEqual((row["complete"], row["verified"]), ("no", "no"))
        done = bench("ring", "8", "--memory", "100k", "--format", "json")
        self.assertEqual(done.returncode, 4)
        self.assertEqual(json.loads(done.stdout)["complete"], "no")

    def test_machines_as_text_have_the_same_counts(self):
        for workload, size in (("ring", "6"), ("pairs", "4"), ("star", "5"), ("pipeline", "5")):
            with self.subTest(workload=workload):
                text = bench(workload, size, "--print", "fsa").stdout
                done = subprocess.run([HEDDLE, "explore", "--no-reduction", "--format", "json", "-"], input=text, text=True,
                                      capture_output=True, timeout=300, check=False)
                got = json.loads(done.stdout)["statistics"]
                row = json.loads(bench(workload, size, "--format", "json").stdout)
                self.assertEqual((got["states"], got["transitions"]), (row["states"], row["transitions"]))

    def test_wrong_command_lines(self):
        for arguments in ((), ("rings", "3"), ("ring",), ("ring", "1"), ("ring", "3,3"), ("counter", "3"), ("ring", "x"),
                          ("ring", "3", "--threads"), ("ring", "3", "--threads", "-1"), ("ring", "3", "--store", "x"),
                          ("ring", "3", "--nothing", "1"), ("dining", "3", "--print", "fsa"), ("list", "x")):
            with self.subTest(arguments=arguments):
                done = bench(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertNotEqual(done.stderr, "")

    def test_calibration(self):
        for threads in ("1", "3"):
            done = bench("calibrate", "--threads", threads, "--header", "off")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertGreater(float(done.stdout.split(",")[1]), 0)


if __name__ == "__main__":
    unittest.main()
