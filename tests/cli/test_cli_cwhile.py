"""Programs of threads as a user checks, explores, replays and repairs them."""
import os
import shutil
import subprocess
import unittest

from support import ROOT, Case, some

CASES = ROOT / "tests" / "cases" / "cwhile"
CHOREOGRAPHY = ROOT / "examples" / "choreography" / "fig1a_file_transfer.chor"
MACHINE = {"threads", "seconds", "states_per_second", "memory_bytes", "visited_bytes", "bytes_per_state"}
# what `heddle repair` finds by each family: swaps, yields of a weak and of a strong region; None: nothing
REPAIRS = {"paper1": (2, 2, 1), "twostage": (1, 2, 1), "usb_abba": (1, None, None), "wronglock_1_1": (None, 3, 2),
           "bank_3_threads": (None, 2, 1), "arizona": (2, None, 2), "lc_rc_i7core_edac": (8, None, None)}


def stable(value):
    """A result without what may differ between runs."""
    if isinstance(value, dict):
        return {key: stable(entry) for key, entry in value.items() if key not in MACHINE}
    if isinstance(value, list):
        return [stable(entry) for entry in value]
    return value


class Threads(Case):
    def take(self, name):
        shutil.copy(CASES / f"{name}.cw", self.folder / f"{name}.cw")
        return f"{name}.cw"

    def json(self, *arguments):
        done = self.heddle(*arguments, "--format", "json")
        self.assertEqual(done.err, "")
        for result in done.objects:
            self.expect_valid(result, "heddle.result-1")
        return done.code, done.objects

    def test_check_tells_thread_line_and_value(self):
        file = self.take("reorder_2")
        code, (result,) = self.json("check", file)
        self.assertEqual((code, result["verdict"], result["frontend"]), (1, "violated", "cwhile"))
        finding = result["findings"][0]
        self.assertEqual((finding["kind"], finding["code"], finding["span"]["line"]), ("assertion", "HD207", 9))
        self.assertEqual([step["actor"] for step in finding["trace"]], ["t1", "t2"])
        self.assertIn("a: 0 -> 1", finding["trace"][0]["note"])

    def test_explore_counts(self):
        code, (result,) = self.json("explore", "--no-reduction", self.take("bluetooth"))
        figures = result["statistics"]
        self.assertEqual((code, figures["states"], figures["transitions"], figures["error_states"]), (0, 130, 203, 4))
        code, (fine,) = self.json("explore", "--no-reduction", "--granularity", "access", "bluetooth.cw")
        self.assertGreater(fine["statistics"]["states"], 130)

    def test_fewest_switches(self):
        file = self.take("twostage")
        _, (result,) = self.json("check", "--fewest-switches", file)
        self.assertEqual(result["facts"]["context_switches"], 1)

    def test_options_without_effect_are_named(self):
        self.write("a.cw", "int x;\nthread a { x = 1; }\n")
        for option in ("--bound=2", "--semantics=p2p", "--up-to=3", "--cross-check", "--stuck-peers"):
            done = self.heddle("check", option, "a.cw")
            self.assertEqual(done.code, 0)
            self.assertRegex(done.err, option.split("=")[0] + r" has no effect on a\.cw: .* \[HD005\]")
        self.assertEqual(self.heddle("check", "a.cw").err, "")
        self.assertIn("native code: not used: the search is reduced", self.heddle("check", "--native", "a.cw").out)

    def test_a_saved_trace_is_replayed(self):
        file = self.take("paper1")
        self.assertEqual(self.heddle("check", "--emit", "trace=t.json", "--emit", "dot=t.dot", file).code, 1)
        self.assertIn("digraph", (self.folder / "t.dot").read_text(encoding="utf-8"))
        self.assertEqual(self.heddle("replay", file, "t.json").code, 0)
        self.assertEqual(self.heddle("replay", self.take("twostage"), "t.json").code, 3)

    def test_errors_say_where_and_what_was_expected(self):
        self.write("bad.cw", "int x = 0;\nthread t {\n  x = ;\n}\n")
        for command in ("check", "explore", "repair"):
            done = self.heddle(command, "bad.cw")
            self.assertEqual(done.code, 3)
            self.assertRegex(done.err, r"bad\.cw:3:7: error: .*expected")

    def test_standard_input_and_several_files(self):
        text = "int x = 0; thread t { x = 1; } thread u { assert(x == 0); }"
        self.assertEqual(self.heddle("check", "-", stdin=text).code, 1)
        self.write("good.cw", "int x = 0; thread t { x = 1; }")
        code, results = self.json("check", "good.cw", self.take("reorder_2"))
        self.assertEqual((code, [result["verdict"] for result in results]), (1, ["holds", "violated"]))

    def test_threads_change_nothing(self):
        files = [self.take(name) for name in some(REPAIRS)]
        for command in (["check"], ["explore", "--no-reduction"]):
            _, one = self.json(*command, "-j", "1", *files)
            for threads in ("2", "3", "8"):
                with self.subTest(command=command, threads=threads):
                    self.assertEqual(stable(self.json(*command, "-j", threads, *files)[1]), stable(one))
        for file in files:
            _, one = self.json("repair", "--all", "-j", "1", file)
            for threads in ("2", "3"):
                with self.subTest(file=file, threads=threads):
                    self.assertEqual(stable(self.json("repair", "--all", "-j", threads, file)[1]), stable(one))

    def test_each_family_repairs_what_it_can(self):
        for name, sizes in some(REPAIRS.items()):
            file = self.take(name)
            for family, size in zip(("reordering", "weak", "strong"), sizes):
                with self.subTest(case=name, family=family):
                    code, (result,) = self.json("repair", "--by", family, file)
                    if size is None:
                        self.assertIn(code, (1, 4))
                        self.assertEqual(result["repairs"], [])
                        self.assertIn("without_repair", result["facts"])
                        continue
                    best = result["repairs"][0]
                    self.assertEqual((code, best["proved"], best["cheapest"]), (0, True, True))
                    self.assertEqual(best["evidence"]["swaps" if family == "reordering" else "yields"], size)

    def test_a_repaired_file_holds(self):
        for name, sizes in some(REPAIRS.items()):
            for family, size in zip(("reordering", "weak", "strong"), sizes):
                with self.subTest(case=name, family=family):
                    file = self.take(name)
                    done = self.heddle("repair", "--by", family, "-o", "out.cw", file)
                    if size is not None:
                        self.assertEqual(done.code, 0)
                        self.assertEqual(self.heddle("check", "out.cw").code, 0)
                        self.assertIn("none needed", self.heddle("repair", "out.cw").out)

    def test_tools_take_the_quiet_output(self):
        for name in some(("paper1", "bank_3_threads", "srp_attach")):
            file = self.take(name)
            self.assertEqual(self.heddle("repair", "-o", "wanted.cw", file).code, 0)
            diff = self.heddle("repair", "-q", file).out.encode()
            first = diff.split(b"\n--- ")[0] + b"\n"
            for tool in (["patch", "-s", "-p1"], ["git", "apply", "-"]):
                with self.subTest(case=name, tool=tool[0]):
                    self.take(name)
                    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder.parent)}
                    subprocess.run(tool, cwd=self.folder, input=first, check=True, env=environment)
                    self.assertEqual((self.folder / file).read_bytes(), (self.folder / "wanted.cw").read_bytes())

    def test_weak_regions_as_locks(self):
        file = self.take("wronglock_1_1")
        self.assertEqual(self.heddle("repair", "--by", "weak", "--weak-as", "lock", "--in-place", file).code, 0)
        text = (self.folder / file).read_text(encoding="utf-8")
        self.assertIn("lock region_lock;", text)
        self.assertNotIn("watomic", text)
        self.assertEqual(self.heddle("check", file).code, 0)

    def test_an_order_with_a_section(self):
        both = ("int f = 0, x = 0, y = 0;\nthread t1 {\n  f = 1;\n  x = 1;\n  y = 1;\n}\n"
                "thread t2 {\n  await(f == 1);\n  assert(x == 1);\n}\nthread t3 {\n  atomic { assert(x == y); }\n}\n")
        (self.folder / "both.cw").write_text(both, encoding="utf-8")
        code, (result,) = self.json("repair", "both.cw")
        best = result["repairs"][0]
        self.assertEqual((code, best["kind"], best["cost"], best["cheapest"]), (0, "reordering-with-sections", 6, True))
        self.assertEqual(sum(edit["cost"] for edit in best["edits"]), 6)
        self.assertEqual(self.heddle("repair", "--by", "sections", "--in-place", "both.cw").code, 0)
        self.assertIn("atomic {\n    x = 1;\n    y = 1;\n  }\n  f = 1;",
                      (self.folder / "both.cw").read_text(encoding="utf-8"))
        self.assertEqual(self.heddle("check", "both.cw").code, 0)
        # Nothing is looked for that cannot be cheaper than a swap.
        kinds = [repair["kind"] for repair in self.json("repair", self.take("paper1"))[1][0]["repairs"]]
        self.assertNotIn("reordering-with-sections", kinds)

    def test_the_naive_loop_needs_more_runs(self):
        file = self.take("f_acm")
        runs = {}
        for strategy in ("complete", "naive"):
            code, (result,) = self.json("repair", "--by", "strong", "--strategy", strategy, file)
            self.assertEqual((code, result["repairs"][0]["evidence"]["yields"]), (0, 4))
            runs[strategy] = result["facts"]["bad_runs_for_regions"]
        self.assertGreater(runs["naive"], runs["complete"])
        self.assertEqual(self.heddle("repair", "--strategy", "naive", "--quiet", str(CHOREOGRAPHY)).code, 2)

    def test_what_cannot_be_repaired_says_why(self):
        code, (result,) = self.json("repair", self.take("lazy01"))
        self.assertEqual((code, result["facts"]["sequential_bug"]), (1, True))
        self.assertIn("sequential", result["facts"]["without_repair"])
        done = self.heddle("repair", "--choices", "nothing", self.take("paper1"))
        self.assertIn(done.code, (2, 3))

    def test_verbose_shows_what_was_learned(self):
        done = self.heddle("repair", "-v", self.take("paper1"))
        self.assertIn("a bad run of", done.out)
        self.assertIn("is needed", done.out)
        self.assertIn("proved", done.out)


if __name__ == "__main__":
    unittest.main()
