"""heddle repair as a user runs it: the diff applies, the result holds, files are replaced as a whole or not at all."""
import json
import os
import shutil
import signal
import stat
import subprocess
import unittest

from support import ROOT, Case, some

CASES = ROOT / "tests" / "cases" / "choreography"
BROKEN = ("branch_into_cycle", "file_transfer", "independent_loop", "independent_sequence", "meta_conversation",
          "relaxation_runs_for_ever", "reservation_session", "tpm")


class Repair(Case):
    def take(self, name):
        shutil.copy(CASES / f"{name}.chor", self.folder / f"{name}.chor")
        return f"{name}.chor"

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def repaired(self, *arguments):
        done = self.heddle("repair", "--format", "json", *arguments)
        self.assertEqual(done.err, "")
        self.expect_valid(done.objects[0], "heddle.result-1")
        return done.code, done.objects[0]

    def test_every_broken_case_both_ways(self):
        for name in some(BROKEN):
            file = self.take(name)
            for preference, kind in (("relax", "relaxation"), ("restrict", "restriction")):
                with self.subTest(case=name, kind=kind):
                    code, result = self.repaired("--prefer", preference, file)
                    self.assertEqual((code, result["verdict"]), (0, "violated"))
                    best = result["repairs"][0]
                    self.assertEqual((best["kind"], best["proved"]), (kind, True))
                    self.assertEqual(sum(edit["cost"] for edit in best["edits"]), best["cost"])
                    done = self.heddle("repair", "--prefer", preference, "-o", "out.chor", file)
                    self.assertEqual(done.code, 0)
                    self.assertEqual(self.heddle("check", "out.chor").code, 0)
                    again = self.heddle("repair", "out.chor")
                    self.assertEqual(again.code, 0)
                    self.assertIn("none needed", again.out)

    def test_tools_take_the_quiet_output(self):
        for name in some(BROKEN):
            file = self.take(name)
            wanted = self.folder / "wanted.chor"
            self.assertEqual(self.heddle("repair", "-o", "wanted.chor", file).code, 0)
            diff = self.heddle("repair", "-q", file).out.encode()
            for tool in (["patch", "-s", "-p1"], ["git", "apply", "-"]):
                with self.subTest(case=name, tool=tool[0]):
                    self.take(name)
                    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder.parent)}
                    subprocess.run(tool, cwd=self.folder, input=diff, check=True, env=environment)
                    self.assertEqual((self.folder / file).read_bytes(), wanted.read_bytes())

    def test_comments_and_layout_stay(self):
        text = ("# a transfer\n"
                "choreography   t   // here\n"
                "state s0:\n"
                "\tA -> B : ms => s1   # start\n"
                "state s1:   # either\n"
                "\tB -> A : mf => s3\n"
                "\tA -> B : mc => s2   # too late\n"
                "state s2:\n"
                "\tB -> A : mf => s4")
        self.write("t.chor", text)
        self.assertEqual(self.heddle("repair", "--prefer", "relax", "--in-place", "t.chor").code, 0)
        kept = [line for line in self.read("t.chor").splitlines() if line in text.splitlines()]
        self.assertEqual(kept, text.splitlines())
        self.assertEqual(self.heddle("check", "t.chor").code, 0)

    def test_in_place_keeps_the_mode_and_links(self):
        file = self.take("tpm")
        os.chmod(self.folder / file, 0o640)
        self.assertEqual(self.heddle("repair", "--in-place", file).code, 0)
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / file).st_mode), 0o640)
        self.assertEqual(self.heddle("check", file).code, 0)
        before = self.read(file)
        self.assertEqual(self.heddle("repair", "--in-place", file).code, 0)  # nothing left to do
        self.assertEqual(self.read(file), before)

    def test_a_target_that_cannot_be_written(self):
        file = self.take("tpm")
        done = self.heddle("repair", "-o", "no/such/folder/out.chor", file)
        self.assertEqual(done.code, 3)
        self.assertIn("HD003", done.err)
        self.assertEqual(sorted(os.listdir(self.folder)), [file])

    def test_the_text_on_standard_output(self):
        file = self.take("tpm")
        done = self.heddle("repair", "-o", "-", file)
        self.assertEqual(done.code, 0)
        self.assertIn("repair 1: relaxation", done.err)
        self.write("out.chor", done.out)
        self.assertEqual(self.heddle("check", "out.chor").code, 0)

    def test_standard_input(self):
        text = (CASES / "tpm.chor").read_text(encoding="utf-8")
        done = self.heddle("repair", "-q", "-", stdin=text)
        self.assertEqual(done.code, 0)
        self.assertIn("+  S -> C : SendComplete => R1", done.out)
        self.assertEqual(self.heddle("repair", "--in-place", "-", stdin=text).code, 2)

    def test_wrong_requests(self):
        file = self.take("tpm")
        for arguments, words in ((("--never", "Send"), "two messages are needed"),
                                 (("--never", "Send, Nothing"), "no message of this name"),
                                 (("--costs", "edge=1"), "not a cost"), (("--costs", "state=0"), "not a cost"),
                                 (("--costs", "state=1x"), "not a cost"), (("--prefer", "both"), "relax"),
                                 (("--in-place", "-o", "x"), "exclude each other")):
            with self.subTest(arguments=arguments):
                done = self.heddle("repair", *arguments, file)
                self.assertEqual((done.code, done.out), (2, ""))
                self.assertIn(words, done.err)
        self.write("bad.chor", "state s0\n")
        done = self.heddle("repair", "-o", "out.chor", "bad.chor")
        self.assertEqual(done.code, 3)
        self.assertIn("bad.chor:1:9", done.err)
        self.assertFalse((self.folder / "out.chor").exists())
        self.write("m.fsa", ".outputs A\n.state graph\n0 1 ! x 1\n.marking 0\n.end\n\n.outputs B\n.state graph\n"
                            "0 0 ? x 1\n.marking 0\n.end\n")
        self.assertEqual(self.heddle("repair", "m.fsa").code, 2)

    def test_rules_of_options(self):
        file = self.take("reservation_session")
        _, free = self.repaired("--prefer", "relax", file)
        self.assertIn("+  S -> C : succeed => End", free["repairs"][0]["diff"])
        code, bound = self.repaired("--all", "--never", "cancel, succeed", file)
        self.assertEqual(code, 0)
        for repair in bound["repairs"]:
            self.assertNotIn("+  S -> C : succeed => End", repair["diff"])
        self.assertIn("relaxation", bound["facts"]["without_repair"])
        code, alone = self.repaired("--prefer", "relax", "--never", "cancel .. succeed", file)
        self.assertEqual((code, alone["repairs"], alone["verdict"]), (4, [], "inconclusive"))

    def test_costs_change_the_choice(self):
        file = self.take("file_transfer")
        _, result = self.repaired("--costs", "transition=7,message=3", file)
        self.assertEqual([(repair["kind"], repair["cost"]) for repair in result["repairs"]],
                         [("restriction", 3), ("relaxation", 7)])  # what is cheaper comes first
        _, result = self.repaired("--costs", "transition=3,message=3", file)
        self.assertEqual(result["repairs"][0]["kind"], "relaxation")

    def test_published_algorithm(self):
        file = self.take("tpm")
        done = self.heddle("repair", "--strategy", "paper", "--prefer", "relax", "-v", file)
        self.assertEqual(done.code, 0)
        self.assertIn("relaxation, step 1: relaxation 1a", done.out)
        self.assertIn("+  S -> C : SendComplete => R1", done.out)
        file = self.take("relaxation_runs_for_ever")
        done = self.heddle("repair", "--strategy", "paper", "--prefer", "relax", file)
        self.assertEqual(done.code, 4)
        self.assertIn("the literal rules go round in circles", done.out)

    def test_emit(self):
        file = self.take("tpm")
        done = self.heddle("repair", "--emit", "diff=d", "--emit", "dot=g", "--emit", "json=j", file)
        self.assertEqual(done.code, 0)
        self.assertEqual(self.read("d"), self.heddle("repair", "-q", file).out)
        self.assertIn("blue", self.read("g"))
        self.expect_valid(json.loads(self.read("j")), "heddle.result-1")

    def test_one_answer_for_every_number_of_threads(self):
        for name in ("tpm", "reservation_session"):
            file = self.take(name)
            outputs = set()
            for threads in ("1", "2", "3", "8"):
                _, result = self.repaired("--all", "-j", threads, file)
                for name in ("threads", "seconds", "states_per_second", "memory_bytes"):
                    result["statistics"].pop(name)
                outputs.add(json.dumps(result))
            self.assertEqual(len(outputs), 1)

    def test_contracts_come_out_as_contracts(self):
        for name in ("tpm", "reservation_session"):
            file = f"{name}.contract"
            shutil.copy(ROOT / "examples" / "choreography" / file, self.folder / file)
            head = self.read(file).split("state Start")[0]
            for preference in ("relax", "restrict"):
                with self.subTest(case=name, preference=preference):
                    out = f"{preference}.contract"
                    done = self.heddle("repair", "--prefer", preference, "-o", out, file)
                    self.assertEqual((done.code, done.err), (0, ""))
                    self.assertTrue(self.read(out).startswith(head))
                    self.assertEqual(self.heddle("check", out).code, 0)
                    self.assertEqual("out message nm0();" in self.read(out) or "in message nm0();" in self.read(out),
                                     preference == "restrict")

    def test_choices_from_a_file(self):
        file = self.take("file_transfer")
        self.write("choices", "# the first edit\n1\n")
        code, result = self.repaired("--choices", "choices", file)
        self.assertEqual((code, len(result["repairs"])), (0, 1))
        self.assertEqual(result["repairs"][0]["edits"][0]["rule"], "relaxation 1a")
        self.write("choices", "more\n15\n")
        code, result = self.repaired("--choices", "choices", file)
        self.assertEqual((code, result["repairs"][0]["kind"]), (0, "restriction"))
        before = self.read(file)
        for answers in ("", "q\n"):
            self.write("choices", answers)
            done = self.heddle("repair", "--in-place", "--choices", "choices", file)
            self.assertEqual((done.code, self.read(file)), (4, before))
            self.assertIn("stopped by the user", done.out)
        for answers in ("99", "nonsense", "-1", "1 2", "back"):
            self.write("choices", f"# wrong\n{answers}\n1\n")
            done = self.heddle("repair", "--in-place", "--choices", "choices", file)
            self.assertEqual((done.code, self.read(file)), (3, before), answers)
            self.assertIn(f"choices:2:1: error: '{answers}' is none of the choices", done.err)
        self.assertEqual(self.heddle("repair", "--choices", ".", file).code, 3)
        self.assertEqual(self.heddle("repair", "--choices", "missing", file).code, 2)
        self.assertEqual(self.heddle("repair", "--choices", "choices", "--strategy", "paper", file).code, 2)

    def test_a_choice_can_be_taken_back(self):
        file = self.take("reservation_session")
        self.write("choices", "1\nback\n1\n1\n")
        code, result = self.repaired("--choices", "choices", file)
        self.assertEqual((code, len(result["repairs"][0]["edits"])), (0, 2))

    def test_dialogue_on_a_terminal(self):
        file = self.take("file_transfer")
        done = self.heddle("repair", "--interactive", file)
        self.assertEqual(done.code, 2)
        self.assertIn("needs a terminal", done.err)
        leader, follower = os.openpty()
        self.addCleanup(os.close, leader)
        process = self.start("repair", "--interactive", "--in-place", file, stdin=follower)
        os.close(follower)
        os.write(leader, b"1\n")
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn(b"mc is not allowed here", err)
        self.assertIn(b"|---ms--->|", err)
        self.assertIn(b"repair 1: relaxation", out)
        self.assertEqual(self.heddle("check", file).code, 0)

    def test_an_interrupt_ends_the_dialogue(self):
        file = self.take("file_transfer")
        before = self.read(file)
        leader, follower = os.openpty()
        self.addCleanup(os.close, leader)
        process = self.start("repair", "--interactive", "--in-place", file, stdin=follower)
        os.close(follower)
        question = b""
        while b"Your choice" not in question:
            question += os.read(process.stderr.fileno(), 4096)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual((process.returncode, self.read(file)), (4, before))

    def test_time_limit(self):
        file = self.take("branch_into_cycle")
        done = self.heddle("repair", "--timeout", "0.000001", "--all", file)
        self.assertEqual(done.code, 4)
        self.assertIn("time limit", done.out)
        self.assertNotIn("repair 1", done.out)

    def test_many_blocks(self):
        self.write("many.chor", "".join(
            f"choreography f{i}\nstate s0:\n  A{i} -> B{i} : ms => s1\nstate s1:\n  B{i} -> A{i} : mf => s3\n"
            f"  A{i} -> B{i} : mc => s2\nstate s2:\n  B{i} -> A{i} : mf => s4\n" for i in range(5)))
        code, result = self.repaired("many.chor")
        self.assertEqual(code, 0)
        for repair in result["repairs"]:
            self.assertEqual((repair["cost"], len(repair["edits"])), (5, 5))


if __name__ == "__main__":
    unittest.main()
