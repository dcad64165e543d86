"""Running over files: exit codes, several files, standard input, quiet and verbose, JSON against the schema."""
import json
import unittest

from support import Case, problems_of

VERDICTS = {"holds": 0, "violated": 1, "inconclusive": 4}
FAILURES = {"error": 3, "usage": 2, "io": 3, "nomem": 4, "limit": 4, "internal": 5}


class Run(Case):
    def test_verdicts_are_exit_codes(self):
        for verdict, code in VERDICTS.items():
            self.write("a.fake", f"{verdict}\n{'finding' if verdict == 'violated' else ''}\n")
            done = self.heddle("check", "a.fake")
            self.assertEqual(done.code, code)
            self.assertTrue(done.out.startswith(f"a.fake: {verdict}\n"), done.out)
            self.assertEqual(done.err, "")

    def test_failures_are_exit_codes_and_diagnostics(self):
        for failure, code in FAILURES.items():
            self.write("a.fake", f"{failure}\n")
            for command in ("check", "explore"):
                done = self.heddle(command, "--format=json", "a.fake")
                self.assertEqual(done.code, code, failure)
                self.assertRegex(done.err, r"^a\.fake:1:1: (error|warning): failed as told \[HD\d{3}\]\n$")
                self.assertEqual(len(done.objects), 1 if code == 4 else 0, failure)

    def test_a_failure_without_diagnostic_gets_one(self):
        for failure in ("error", "usage", "io", "internal"):
            self.write("a.fake", f"mute\n{failure}\n")
            done = self.heddle("check", "a.fake")
            self.assertEqual(done.code, FAILURES[failure])
            self.assertRegex(done.err, r"a\.fake.*error: check failed: .*\[HD\d{3}\]\n")

    def test_memory_and_limits_are_inconclusive_results(self):
        for failure in ("nomem", "limit"):
            self.write("a.fake", f"{failure}\n")
            [result] = self.heddle("check", "--format=json", "a.fake").objects
            self.assertEqual(result["verdict"], "inconclusive")
            self.assertIn("not_covered", result)
            self.expect_valid(result, "heddle.result-1")
            [result] = self.heddle("explore", "--format=json", "a.fake").objects
            self.assertEqual(result["verdict"], "inconclusive")
            self.assertIn("not_covered", result)
            self.expect_valid(result, "heddle.result-1")

    def test_failed_requirement_is_an_internal_error(self):
        self.write("a.fake", "require\n")
        done = self.heddle("check", "a.fake")
        self.assertEqual((done.code, done.out), (5, ""))
        self.assertIn("internal error", done.err)
        self.assertIn("[HD901]", done.err)

    def test_exit_codes_of_several_files_join(self):
        for name in [*VERDICTS, *FAILURES]:
            self.write(f"{name}.fake", f"{name}\nfinding\n")
        order = ["internal", "error", "usage", "violated", "inconclusive", "holds"]
        codes = {**VERDICTS, **FAILURES}
        for index, first in enumerate(order):
            for second in order[index:]:
                done = self.heddle("check", f"{second}.fake", f"{first}.fake")
                self.assertEqual(done.code, codes[first], (first, second))

    def test_results_come_in_argument_order_and_wrong_files_do_not_stop_the_others(self):
        self.write("b.fake", "violated\nfinding\n")
        self.write("a.fake", "holds\n")
        self.write("wrong.fake", "holds\n\n  nonsense here\n")
        done = self.heddle("check", "--format=json", "b.fake", "wrong.fake", "missing.fake", "a.fake")
        self.assertEqual(done.code, 3)
        self.assertEqual([result["file"] for result in done.objects], ["b.fake", "a.fake"])
        lines = done.err.splitlines()
        self.assertEqual(len(lines), 2, done.err)
        self.assertRegex(lines[0], r"^wrong\.fake:3:1: error: unexpected '  nonsense here'.*instruction.*\[HD102\]$")
        self.assertRegex(lines[1], r"missing\.fake cannot be read: No such file or directory \[HD002\]$")

    def test_directory_and_unreadable_input(self):
        (self.folder / "d.fake").mkdir()
        done = self.heddle("check", "d.fake")
        self.assertEqual((done.code, done.out), (3, ""))
        self.assertRegex(done.err, r"d\.fake cannot be read: Is a directory")
        done = self.heddle("check", "a.fake/b")
        self.assertEqual(done.code, 3)
        self.write("f", "fake\n")
        done = self.heddle("check", "f/g.fake")
        self.assertEqual(done.code, 3)
        self.assertIn("Not a directory", done.err)

    def test_standard_input_is_sniffed(self):
        done = self.heddle("check", "--format=json", "-", stdin="fake\nholds\n")
        self.assertEqual(done.code, 0)
        [result] = done.objects
        self.assertEqual((result["file"], result["frontend"]), ("<stdin>", "fake"))

    def test_unknown_format(self):
        for stdin in ("", "something else\n"):
            done = self.heddle("check", "-", stdin=stdin)
            self.assertEqual((done.code, done.out), (3, ""))
            self.assertRegex(done.err, r"<stdin>:1:1: error: no language.*\.bare, \.fake, \.fk.*\[HD004\]")

    def test_ending_decides_before_sniffing(self):
        self.write("a.bare", "fake\nholds\n")
        self.write("a.fk", "holds\n")
        self.write("a.other", "fake\nholds\n")
        self.write(".fake", "holds\n")
        frontends = {}
        for name in ("a.bare", "a.fk", "a.other"):
            [result] = self.heddle("check", "--format=json", name).objects
            frontends[name] = result["frontend"]
        self.assertEqual(frontends, {"a.bare": "bare", "a.fk": "fake", "a.other": "fake"})
        self.assertEqual(self.heddle("check", ".fake").code, 3)  # a name that is nothing but an ending has none

    def test_command_that_the_language_does_not_have(self):
        self.write("a.bare", "holds\n")
        done = self.heddle("explore", "a.bare")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("the bare frontend has no command 'explore'", done.err)

    def test_quiet(self):
        self.write("good.fake", "holds\nwarn\n")
        self.write("bad.fake", "violated\nfinding\n")
        done = self.heddle("check", "-q", "good.fake")
        self.assertEqual((done.code, done.out, done.err), (0, "", ""))
        done = self.heddle("check", "-q", "bad.fake")
        self.assertEqual((done.code, done.err), (1, ""))
        self.assertEqual(done.out, "bad.fake:2:5: deadlock: P1 and P2 wait for each other [HD202]\n")
        self.write("wrong.fake", "nonsense\n")
        self.assertIn("HD102", self.heddle("check", "-q", "wrong.fake").err)
        self.assertEqual(len(self.heddle("check", "-q", "--format=json", "good.fake").objects), 1)

    def test_warnings_go_to_standard_error(self):
        self.write("a.fake", "holds\nwarn\n")
        done = self.heddle("check", "a.fake")
        self.assertEqual(done.code, 0)
        self.assertEqual(done.err, "a.fake:1:1: warning: warned as told [HD109]\n")

    def test_verbose_says_more(self):
        self.write("a.fake", "holds\n")
        normal, verbose = self.heddle("check", "a.fake").out, self.heddle("check", "-v", "a.fake").out
        self.assertTrue(verbose.startswith(normal))
        self.assertIn("visited set", verbose[len(normal):])

    def test_text_block(self):
        self.write("a.fake", "violated\nfinding\nwide\n")
        self.assertEqual(self.heddle("check", "-k", "2", "-j", "3", "--semantics=p2p", "a.fake").out, (
            "a.fake: violated\n"
            "  basis: what the test said\n"
            "  queues: p2p, length 2\n"
            "  peers: 2\n"
            "  a.fake:2:5: deadlock: P1 and P2 wait for each other [HD202]\n"
            "    the first detail\n"
            "    the second detail\n"
            "    3 of this kind were found\n"
            "    run of 1 step, a shortest one:\n"
            "       1  Péé  send     ms  to P2    line 4\n"
            "       2  P2   receive  ms  from P1          late\n"
            "  11 states, 11 transitions, 6 levels, 1 stuck state; complete; 3 threads, 0.500 s, 22 states/s, 1.0 MiB\n"))

    def test_json_is_valid(self):
        self.write("a.fake", "violated\nfinding\nnasty\nwide\nemit\n")
        for command in ("check", "explore"):
            [result] = self.heddle(command, "--format=json", "a.fake").objects
            self.expect_valid(result, "heddle.result-1")
            self.assertEqual(result["command"], command)
            self.assertEqual("verdict" in result, command == "check")
            self.assertEqual(list(result)[:3], ["schema", "command", "file"])

    def test_file_names_are_any_bytes(self):
        name = b"a\xff\n.fake"
        (self.folder.__fspath__().encode() + b"/" + name)
        with open(self.folder.__fspath__().encode() + b"/" + name, "wb") as file:
            file.write(b"holds\n")
        done = self.heddle("check", "--format=json", name)
        self.assertEqual([result["file"] for result in done.objects], ["a\\xff\n.fake"])
        self.assertTrue(self.heddle("check", name).out.startswith("a\\xff\\x0a.fake: holds\n"))

    def test_project(self):
        self.write("a.fake", "holds\n")
        self.assertEqual(self.heddle("project", "a.fake").out, "the projection\n")
        self.assertEqual(self.heddle("project", "-o", "-", "a.fake").out, "the projection\n")
        done = self.heddle("project", "-o", "out.fsa", "a.fake")
        self.assertEqual((done.code, done.out, done.err), (0, "", ""))
        self.assertEqual((self.folder / "out.fsa").read_text(), "the projection\n")
        [result] = self.heddle("project", "--format=json", "a.fake").objects
        self.expect_valid(result, "heddle.result-1")
        self.assertEqual(result["facts"], {"projection": "the projection\n"})
        [result] = self.heddle("project", "--format=json", "-o", "out.fsa", "a.fake").objects
        self.assertEqual(result["facts"], {"output": "out.fsa"})

    def test_project_fails_without_touching_the_output(self):
        self.write("a.fake", "error\n")
        self.write("out", "old\n")
        self.assertEqual(self.heddle("project", "-o", "out", "a.fake").code, 3)
        self.assertEqual((self.folder / "out").read_text(), "old\n")
        self.write("a.fake", "holds\n")
        done = self.heddle("project", "-o", "no/such/folder", "a.fake")
        self.assertEqual((done.code, done.out), (3, ""))
        self.assertRegex(done.err, r"no/such/folder: error: cannot be written: No such file or directory \[HD003\]")

    def test_replay(self):
        self.write("a.fake", "finding\n")
        self.write("empty", "")
        self.write("t", "x\n")
        done = self.heddle("replay", "a.fake", "t")
        self.assertEqual(done.code, 0)
        self.assertTrue(done.out.startswith("a.fake: done\n"), done.out)
        done = self.heddle("replay", "a.fake", "empty")
        self.assertEqual((done.code, done.out), (3, ""))
        self.assertEqual(done.err, "empty:1:1: error: the trace is empty [HD110]\n")
        self.assertEqual(self.heddle("replay", "a.fake", "-", stdin="x").code, 0)
        for arguments in (["a.fake", "missing"], ["missing", "t"]):
            done = self.heddle("replay", *arguments)
            self.assertEqual((done.code, done.out), (3, ""))
            self.assertIn("missing cannot be read", done.err)

    def test_doctor(self):
        done = self.heddle("doctor", "--format=json")
        self.assertEqual((done.code, done.err), (0, ""))
        [report] = done.objects
        self.expect_valid(report, "heddle.doctor-1")
        self.assertEqual(report["frontends"], "bare fake")
        stores = report["stores"].split()
        self.assertEqual(sorted(stores), ["bitmap", "bitstate", "quotient", "tree", "wide", "word"])
        text = self.heddle("doctor").out
        self.assertEqual([line.split()[0] for line in text.splitlines()], list(report)[1:])

    def test_the_schemas_refuse_what_is_wrong(self):
        self.write("a.fake", "violated\nfinding\n")
        [good] = self.heddle("check", "--format=json", "a.fake").objects
        self.assertEqual(list(problems_of(good, "heddle.result-1")), [])

        def spoiled(change):
            value = json.loads(json.dumps(good))
            change(value)
            return value

        changes = [
            lambda v: v.pop("findings"),
            lambda v: v.update(schema="heddle.result/2"),
            lambda v: v.update(extra=1),
            lambda v: v.update(findings=[]),
            lambda v: v.update(verdict="inconclusive"),
            lambda v: v.update(bound=0),
            lambda v: v["findings"][0].pop("kind"),
            lambda v: v["findings"][0].update(code="X1"),
            lambda v: v["findings"][0]["trace"][0].update(line=None),
            lambda v: v["statistics"].update(states=1.5),
            lambda v: v["facts"].update(list=[]),
        ]
        for index, change in enumerate(changes):
            self.assertNotEqual(list(problems_of(spoiled(change), "heddle.result-1")), [], index)


if __name__ == "__main__":
    unittest.main()
