"""A scratch source tree for the self-tests of the check scripts: right as it stands, then made wrong on purpose."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


class SeededTree(unittest.TestCase):
    """Each test writes files into self.root and runs one script on it."""

    script = ""
    good = {}

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = pathlib.Path(self.scratch.name)
        for name, text in self.good.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPTS / self.script, "--root", self.root, *arguments],
                              capture_output=True, text=True, check=False)

    def assert_clean(self, *arguments):
        done = self.run_script(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def assert_reports(self, expected, *arguments):
        done = self.run_script(*arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(expected, done.stdout)
