"""Help, versions, and command lines that are wrong: exit code 2, before any file is read, with nothing on stdout."""
import os
import re
import unittest

from support import Case

COMMANDS = ["check", "repair", "explore", "project", "convert", "replay", "doctor"]


class Usage(Case):
    def expect_usage(self, *arguments, words):
        done = self.heddle(*arguments)
        self.assertEqual((done.code, done.out), (2, ""), done.err)
        self.assertRegex(done.err, words)
        self.assertIn("[HD001]", done.err)

    def test_version(self):
        for arguments in (["--version"], ["check", "--version"]):
            done = self.heddle(*arguments)
            self.assertEqual((done.code, done.out, done.err), (0, f"heddle {os.environ['HEDDLE_VERSION']}\n", ""))

    def test_help_lists_commands_and_options(self):
        general = self.heddle("--help")
        self.assertEqual((general.code, general.err), (0, ""))
        self.assertEqual(self.heddle().out, general.out)
        self.assertEqual(self.heddle("help").out, general.out)
        for command in COMMANDS:
            self.assertIn(command, general.out)
            of_command = self.heddle(command, "--help")
            self.assertEqual((of_command.code, of_command.err), (0, ""))
            self.assertIn(f"heddle {command}", of_command.out)
            self.assertIn("--threads", of_command.out)
            self.assertEqual(self.heddle("help", command).out, of_command.out)

    def test_help_of_nothing(self):
        self.expect_usage("help", "nonsense", words="nonsense")
        self.expect_usage("help", "check", "explore", words="explore")

    def test_unknown_names_with_suggestion(self):
        self.expect_usage("chekc", "x", words="chekc.*check")
        self.expect_usage("check", "--thread=2", "x", words="--thread.*--threads")
        self.expect_usage("check", "-y", "x", words="-y")
        self.expect_usage("check", "--to=dot", "x", words="--to.*project")

    def test_number_of_files(self):
        for command in ("check", "explore", "project", "convert"):
            self.expect_usage(command, words="FILE")
        self.expect_usage("replay", "x", words="TRACE")
        self.expect_usage("project", "x", "y", words="y")
        self.expect_usage("doctor", "x", words="x")

    def test_standard_input_once(self):
        self.expect_usage("check", "-", "-", words="only once")
        self.expect_usage("replay", "-", "-", words="only once")

    def test_values_out_of_range(self):
        self.expect_usage("check", "--threads=5000", "x", words="at most 1024")
        self.expect_usage("check", "--threads=two", "x", words="two")
        self.expect_usage("check", "--bound=0", "x", words="at least 1")
        self.expect_usage("check", "--bound=3", "--up-to=2", "x", words="--up-to 2")
        self.expect_usage("check", "--format=xml", "x", words="xml")

    def test_emit(self):
        self.expect_usage("check", "--emit", "svgg=f", "x", words="unknown kind.*json=FILE, dot=FILE, trace=FILE")
        self.expect_usage("check", "--emit", "dot", "x", words="names no file")
        self.expect_usage("check", "--emit", "dot=", "x", words="names no file")
        self.expect_usage("check", "--emit", "dot=f", "--emit", "json=f", "x", words="two --emit options write to f")
        self.expect_usage("check", "--emit", "dot=f", "x", "y", words="one input file, not 2")
        self.expect_usage("check", "--emit", "dot=-", "--format", "json", "x", words="both write to standard output")
        self.expect_usage("project", "--emit", "dot=f", "x", words="--emit")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_usage_errors_come_before_reading(self):
        self.write("wrong.fake", "what is this\n")
        self.expect_usage("check", "wrong.fake", "/nonexistent", "--bound=0", words="at least 1")

    def test_messages_are_one_line_without_a_terminal(self):
        done = self.heddle("check", "--bound=0", "x")
        self.assertTrue(re.fullmatch(r"[^\n\033]+\n", done.err), done.err)

    def test_colour_on_request(self):
        self.assertIn("\033[", self.heddle("check", "--color=always", "--bound=0", "x").err)


if __name__ == "__main__":
    unittest.main()
