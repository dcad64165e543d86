"""SPIN and Rumur count the same states and transitions as heddle in what heddle prints for them.

Skipped, with a message, where they are not installed (scripts/setup.sh --bench installs them)."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import peers  # noqa: E402

peers.CFLAGS[0] = "-O0"  # compiling is what takes time here

BENCH, HEDDLE = os.environ["HEDDLE_BENCH"], os.environ["HEDDLE"]
SIZES = (("ring", "5"), ("pairs", "3"), ("star", "4"), ("pipeline", "4"), ("counter", "3,2"), ("filter", "3"),
         ("dining", "5"), ("rendezvous", "5"), ("chain", "30"), ("fan", "30"))
CASES = ROOT / "tests" / "cases" / "choreography"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


class Counted(unittest.TestCase):
    def test_six_digits(self):
        self.assertEqual(peers.counted("531440", 7), 531440)
        self.assertEqual(peers.counted("1.59432e+06", 1594322), 1594322)  # rounds to the same digits
        self.assertEqual(peers.counted("1.59432e+06", 1594330), 1594320)  # does not
        self.assertEqual(peers.counted("1.59432e+06", 1594314), 1594320)


@unittest.skipIf(peers.missing(), f"not installed: {', '.join(peers.missing())} (scripts/setup.sh --bench)")
class Peers(unittest.TestCase):
    def expect(self, promela, murphi, states, transitions):
        """Both peers' counts; breadth-first SPIN counts other transitions where there is rendezvous."""
        with tempfile.TemporaryDirectory() as folder:
            for kind, text in ((peers.Spin, promela), (peers.SpinBreadthFirst, promela), (peers.Rumur, murphi)):
                options = {"deadlock": True} if kind is peers.Rumur else {}
                run = kind(text, os.path.join(folder, kind.name), states, **options).run(120)
                self.assertEqual((kind.name, run.problem, run.states), (kind.name, "", states), run.output)
                if kind is not peers.SpinBreadthFirst or "[0] of" not in promela:
                    self.assertEqual((kind.name, run.transitions), (kind.name, transitions), run.output)

    def test_workloads(self):
        for workload, size in SIZES:
            with self.subTest(workload=workload, size=size):
                row = json.loads(output(BENCH, workload, size, "--format", "json"))
                self.assertEqual(row["verified"], "yes")
                texts = [output(BENCH, workload, size, "--print", language) for language in ("promela", "murphi")]
                self.expect(*texts, row["states"], row["transitions"])

    def test_choreographies(self):
        for name, options in (("file_transfer", ()), ("reservation_session", ("-k", "2", "--semantics", "p2p"))):
            with self.subTest(case=name):
                path = str(CASES / f"{name}.chor")
                counts = json.loads(subprocess.run([HEDDLE, "explore", "--no-reduction", "--format", "json", *options, path],
                                                   capture_output=True, text=True, check=True).stdout)["statistics"]
                texts = [output(HEDDLE, "convert", "-t", language, *options, path) for language in ("promela", "murphi")]
                self.expect(*texts, counts["states"], counts["transitions"])


if __name__ == "__main__":
    unittest.main()
