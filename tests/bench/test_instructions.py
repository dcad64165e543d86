"""bench/instructions.py finds a count that grew, and only that."""
import contextlib
import importlib.util
import io
import pathlib
import tempfile
import unittest

PATH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "instructions.py"
SPEC = importlib.util.spec_from_file_location("instructions", PATH)
instructions = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(instructions)

SETTINGS = {"compiler": "cc 1", "vectors": "none"}
BASE = {name: limit / 2 for name, _, _, limit in instructions.WORKLOADS}
LIMIT = instructions.LIMIT_MASKED


class Instructions(unittest.TestCase):
    def outcome(self, changes, base=None, settings=None):
        """(failures, text) for the baseline's counts with changes."""
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            failures = instructions.compare({**BASE, **changes}, settings or SETTINGS, SETTINGS, {**BASE, **(base or {})})
        return failures, text.getvalue()

    def test_equal_counts_pass(self):
        failures, text = self.outcome({})
        self.assertEqual(failures, 0)
        self.assertNotIn("better", text)

    def test_within_two_percent(self):
        self.assertEqual(self.outcome({"ring": BASE["ring"] * 1.019})[0], 0)
        self.assertEqual(self.outcome({"ring": BASE["ring"] * 1.021})[0], 1)

    def test_better_asks_for_an_update(self):
        failures, text = self.outcome({"star": BASE["star"] * 0.9})
        self.assertEqual(failures, 0)
        self.assertIn("--update", text)

    def test_limit(self):
        failures, text = self.outcome({"ring": LIMIT + 1}, settings={"compiler": "cc 2", "vectors": "none"})
        self.assertEqual(failures, 1, text)
        self.assertIn("only the limits count", text)
        failures, text = self.outcome({"ring": LIMIT + 1}, base={"ring": LIMIT + 1})
        self.assertEqual(failures, 0, text)
        self.assertIn("over the limit", text)

    def test_missing_row(self):
        costs = dict(BASE)
        del costs["ring"]
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(instructions.compare(BASE, SETTINGS, SETTINGS, costs), 1)

    def test_baseline_is_read_as_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "baseline.csv"
            instructions.write_baseline(path, SETTINGS, BASE)
            self.assertEqual(instructions.read_baseline(path), (SETTINGS, BASE))

    def test_committed_baseline_is_complete(self):
        settings, costs = instructions.read_baseline(PATH.with_name("instructions.csv"))
        self.assertEqual(sorted(costs), sorted(w[0] for w in instructions.WORKLOADS))
        self.assertEqual(sorted(settings), ["compiler", "vectors"])


if __name__ == "__main__":
    unittest.main()
