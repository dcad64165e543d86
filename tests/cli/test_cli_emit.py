"""--emit: files appear whole or not at all, standard output receives one format."""
import json
import os
import stat
import unittest

from support import Case

INPUT = "violated\nfinding\nemit\n"


class Emit(Case):
    def setUp(self):
        super().setUp()
        self.write("a.fake", INPUT)

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def test_every_kind(self):
        done = self.heddle("check", "--emit", "json=r.json", "--emit=dot=r.dot", "--emit", "trace=r.trace", "a.fake")
        self.assertEqual((done.code, done.err), (1, ""))
        self.assertTrue(done.out.startswith("a.fake: violated\n"))
        self.assertEqual(self.read("r.json"), self.heddle("check", "--format=json", "a.fake").out)
        self.assertEqual(self.read("r.dot"), "digraph fake {\n}\n")
        self.expect_valid(json.loads(self.read("r.trace")), "heddle.trace-1")

    def test_a_file_name_may_hold_an_equals_sign(self):
        self.heddle("check", "--emit", "dot=a=b.dot", "a.fake")
        self.assertEqual(self.read("a=b.dot"), "digraph fake {\n}\n")

    def test_an_input_is_not_overwritten(self):
        for name in ("a.fake", "./a.fake"):
            done = self.heddle("check", "--emit", f"json={name}", "a.fake")
            self.assertEqual(done.code, 2)
            self.assertIn("would overwrite the input", done.err)
            done = self.heddle("convert", "-t", "dot", "-o", name, "a.fake")
            self.assertEqual(done.code, 2)
            self.assertEqual(self.read("a.fake"), INPUT)

    def test_standard_output_receives_one_format(self):
        done = self.heddle("check", "--emit", "dot=-", "a.fake")
        self.assertEqual((done.code, done.out), (1, "digraph fake {\n}\n"))
        self.assertTrue(done.err.startswith("a.fake: violated\n"))

    def test_what_there_is_not_is_told_and_its_file_left_alone(self):
        self.write("none.fake", "holds\n")
        self.write("old", "old\n")
        done = self.heddle("check", "--emit", "trace=old", "--emit", "dot=new", "none.fake")
        self.assertEqual(done.code, 0)
        self.assertIn("no counterexample to write to old", done.err)
        self.assertIn("no drawing to write to new", done.err)
        self.assertEqual(self.read("old"), "old\n")
        self.assertFalse((self.folder / "new").exists())
        self.assertEqual(self.heddle("check", "-q", "--emit", "trace=old", "none.fake").err, "")

    def test_a_file_that_cannot_be_written(self):
        done = self.heddle("check", "--emit", "dot=no/such", "--emit", "json=r.json", "a.fake")
        self.assertEqual(done.code, 3)
        self.assertRegex(done.err, r"no/such: error: cannot be written: No such file or directory \[HD003\]")
        self.assertTrue(json.loads(self.read("r.json")))

    def test_a_full_disk(self):
        done = self.heddle("check", "--emit", "dot=/dev/full", "a.fake")
        self.assertEqual(done.code, 3)
        self.assertIn("No space left on device", done.err)

    def test_wrong_inputs_write_nothing(self):
        self.write("wrong.fake", "nonsense\n")
        self.assertEqual(self.heddle("check", "--emit", "json=r.json", "wrong.fake").code, 3)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.fake", "wrong.fake"])

    def test_replacing_keeps_the_mode_and_leaves_no_temporary(self):
        self.write("r.dot", "old\n")
        (self.folder / "r.dot").chmod(0o640)
        self.heddle("check", "--emit", "dot=r.dot", "a.fake")
        self.assertEqual(self.read("r.dot"), "digraph fake {\n}\n")
        self.assertEqual(stat.S_IMODE((self.folder / "r.dot").stat().st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.fake", "r.dot"])


if __name__ == "__main__":
    unittest.main()
