"""The real command on choreographies: what a user types, with figures that are known (the paper's examples, closed forms)."""
import json
import os
import signal
import time
import unittest

from support import Case

TRANSFER = """\
choreography FileTransfer
state s0:
  P1 -> P2 : ms => s1
state s1:
  P2 -> P1 : mf => s3
  P1 -> P2 : mc => s2
state s2:
  P2 -> P1 : mf => s4
"""
RELAXED = TRANSFER + "state s3:\n  P1 -> P2 : mc => s4\n"
MACHINES = """\
.outputs A
.state graph
0 1 ! ping 1
1 1 ? pong 0
.marking 0
.end
.outputs B
.state graph
0 0 ? ping 1
1 0 ! pong 0
.marking 0
.end
"""
# Fields that may differ between runs of a complete search.
MACHINE_FIELDS = ("threads", "seconds", "states_per_second", "bytes_per_state", "visited_bytes", "memory_bytes")


def chain(pairs):
    """Pairs that do not know each other, in sequence: I_k has 3^pairs states and 2 pairs 3^(pairs-1) transitions."""
    return "".join(f"state s{i}:\n  A{i} -> B{i} : m{i} => s{i + 1}\n" for i in range(pairs))


def without_machine_fields(result):
    copy = json.loads(json.dumps(result))
    for field in MACHINE_FIELDS:
        copy["statistics"].pop(field, None)
    return copy


class Choreography(Case):
    def setUp(self):
        super().setUp()
        self.write("transfer.chor", TRANSFER)
        self.write("relaxed.chor", RELAXED)
        self.write("machines.fsa", MACHINES)

    def result(self, *arguments, code):
        done = self.heddle(*arguments, "--format=json")
        self.assertEqual(done.code, code, done.err + done.out)
        self.assertEqual(done.err, "")
        [result] = done.objects
        self.expect_valid(result, "heddle.result-1")
        return result

    def test_unrealizable(self):
        result = self.result("check", "transfer.chor", code=1)
        self.assertEqual((result["verdict"], result["frontend"]), ("violated", "choreography"))
        self.assertIs(result["facts"]["realizable"], False)
        finding = result["findings"][0]
        self.assertEqual((finding["kind"], finding["code"], finding["length"]), ("unrealizable", "HD201", 3))
        for finding in result["findings"]:
            self.assertIs(finding["shortest"], True)
        self.assertEqual(sum(step["visible"] for step in finding["trace"]), 3)
        sends = [step["label"] for step in finding["trace"] if step["action"] == "send"]
        self.assertEqual(sorted(sends), ["mc", "mf", "ms"])
        text = self.heddle("check", "transfer.chor")
        self.assertEqual(text.code, 1)
        self.assertTrue(text.out.startswith("transfer.chor: violated with queues of length 1\n"), text.out)
        self.assertRegex(text.out, r"\n +1 +P1 +send +ms +to P2 +line 3\n")

    def test_stuck_peer(self):
        self.write("gossip.chor", "state s0:\n  A -> B : start => s1\n  A -> C : stop => s3\n"
                   "state s1:\n  B -> A : more => s2\nstate s2:\n  A -> B : again => s1\nfinal state s3:\n")
        self.result("check", "gossip.chor", code=0)
        result = self.result("check", "--stuck-peers", "gossip.chor", code=1)
        self.assertEqual(result["facts"]["stuck_peers"], "C")
        [finding] = result["findings"]
        self.assertEqual((finding["kind"], finding["code"], finding["length"]), ("stuck-peer", "HD206", 1))
        self.assertIs(finding["shortest"], True)
        self.assertEqual(len(finding["trace"]) - finding["cycle"] + 1, 4)
        self.assertEqual(self.heddle("check", "--stuck-peers", "--as-published", "gossip.chor").code, 2)
        self.assertEqual(self.heddle("check", "--stuck-peers", "--emit=trace=g.json", "gossip.chor").code, 1)
        self.result("replay", "gossip.chor", "g.json", code=0)

    def test_realizable(self):
        result = self.result("check", "relaxed.chor", code=0)
        self.assertEqual((result["verdict"], result["findings"]), ("holds", []))
        self.assertIn("basis", result)

    def test_cross_check_agrees(self):
        for name, code in (("transfer.chor", 1), ("relaxed.chor", 0)):
            self.assertEqual(self.result("check", "--cross-check", name, code=code)["facts"]["cross_check"], "agrees")

    def test_machines(self):
        self.assertEqual(self.result("check", "machines.fsa", code=0)["verdict"], "holds")

    def test_several_files_in_order(self):
        self.write("wrong.chor", "state s0:\n  P1 -> P2 ms => s1\n")
        done = self.heddle("check", "--format=json", "relaxed.chor", "wrong.chor", "transfer.chor", "machines.fsa")
        self.assertEqual(done.code, 3)
        self.assertEqual([(result["file"], result["verdict"]) for result in done.objects],
                         [("relaxed.chor", "holds"), ("transfer.chor", "violated"), ("machines.fsa", "holds")])
        self.assertRegex(done.err, r"^wrong\.chor:2:12: error: [^\n]*\[HD102\]\n$")

    def test_standard_input(self):
        for text, code in ((TRANSFER, 1), (RELAXED, 0), (MACHINES, 0)):
            done = self.heddle("check", "--format=json", "-", stdin=text)
            self.assertEqual(done.code, code, done.err)
            self.assertEqual(done.objects[0]["file"], "<stdin>")

    def test_explore_counts(self):
        figures = {"transfer.chor": (11, 11, 1), "relaxed.chor": (11, 14, 0)}
        for name, expected in figures.items():
            statistics = self.result("explore", "--no-reduction", name, code=0)["statistics"]
            self.assertEqual(tuple(statistics[field] for field in ("states", "transitions", "deadlocks")), expected)
            self.assertTrue(statistics["complete"])
        for pairs in (1, 4, 8):
            self.write("chain.chor", chain(pairs))
            statistics = self.result("explore", "--no-reduction", "chain.chor", code=0)["statistics"]
            self.assertEqual((statistics["states"], statistics["transitions"]),
                             (3**pairs, 2 * pairs * 3 ** (pairs - 1)))

    def test_stores(self):
        self.write("small.chor", TRANSFER)
        self.write("wide.chor", chain(60))
        for store in ("auto", "word", "wide", "tree", "bitmap", "quotient"):
            done = self.heddle("explore", "--format=json", f"--store={store}", "small.chor")
            self.assertEqual(done.code, 0, done.err)
            statistics = done.objects[0]["statistics"]
            self.assertEqual(statistics["store"], "word" if store == "auto" else store)
        done = self.heddle("explore", "--store=word", "wide.chor")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertRegex(done.err, "--store word cannot hold this model: its states do not fit into one word")
        self.assertIn("[HD001]", done.err)
        done = self.heddle("check", "--store=narrow", "small.chor")
        self.assertEqual((done.code, done.out), (2, ""))

    def test_native_code_changes_nothing(self):
        self.write("chain.chor", chain(7))
        results = []
        for extra in ([], ["--native"]):
            result = self.result("explore", "--no-reduction", *extra, "chain.chor", code=0)["statistics"]
            self.assertEqual("native" in result, bool(extra))
            results.append([result[key] for key in ("states", "transitions", "levels", "deadlocks")])
        self.assertEqual(results[0], results[1])

    def test_options_without_effect_are_named(self):
        warned = self.heddle("check", "--granularity=access", "--native", "relaxed.chor")
        self.assertEqual(warned.code, 0)
        self.assertIn("--granularity has no effect on relaxed.chor: it is for programs of threads [HD005]", warned.err)
        self.assertIn("--native has no effect on relaxed.chor: the peers' products gave the answer", warned.err)
        self.assertIn("--bound has no effect beside --up-to",
                      self.heddle("check", "--up-to=3", "--bound=2", "relaxed.chor").err)
        self.assertIn("--as-published", self.heddle("check", "--as-published", "--bound=2", "relaxed.chor").err)
        reduced = self.result("explore", "--native", "relaxed.chor", code=0)
        self.assertRegex(reduced["statistics"]["native"], "^not used: the search is reduced")
        self.assertIn("\n  native code: not used: the search is reduced",
                      self.heddle("explore", "--native", "relaxed.chor").out)

    def test_thread_count_changes_nothing(self):
        self.write("chain.chor", chain(6))
        for command in ("check", "explore"):
            for name in ("transfer.chor", "relaxed.chor", "chain.chor"):
                seen = [without_machine_fields(self.heddle(command, "--format=json", f"-j{threads}", name).objects[0])
                        for threads in (1, 2, 3, 8)]
                self.assertEqual(seen[1:], seen[:1] * 3)

    def test_project_reads_back(self):
        self.assertEqual(self.heddle("project", "-o", "t.fsa", "transfer.chor").code, 0)
        statistics = self.result("explore", "--no-reduction", "t.fsa", code=0)["statistics"]
        self.assertEqual((statistics["states"], statistics["transitions"], statistics["deadlocks"]), (11, 11, 1))
        self.assertRegex(self.heddle("project", "--to=dot", "transfer.chor").out, r"(?s)^digraph .*\}\n$")
        self.assertRegex(self.heddle("project", "--to=aut", "--peer=P2", "transfer.chor").out, r"^des \(0, ?\d+, ?\d+\)")
        done = self.heddle("project", "--peer=Nobody", "transfer.chor")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertRegex(done.err, "Nobody.*P1, P2")

    def test_convert(self):
        texts = {to: self.heddle("convert", "-t", to, "transfer.chor") for to in ("fsa", "chor", "dot", "promela", "murphi")}
        self.assertEqual({to: (done.code, done.err) for to, done in texts.items()}, {to: (0, "") for to in texts})
        self.write("t.fsa", texts["fsa"].out)
        self.assertEqual(self.heddle("convert", "t.fsa").out, texts["fsa"].out)
        self.write("t.chor", texts["chor"].out)
        self.assertEqual(self.heddle("convert", "-t", "chor", "t.chor").out, texts["chor"].out)
        for name in ("t.fsa", "t.chor"):
            statistics = self.result("explore", "--no-reduction", name, code=0)["statistics"]
            self.assertEqual((statistics["states"], statistics["transitions"]), (11, 11))
        self.assertRegex(texts["dot"].out, r"(?s)^digraph .*\}\n$")
        self.assertIn("active proctype p0_P1()", texts["promela"].out)
        self.assertEqual(texts["murphi"].out.count("\nrule "), 8)
        wide = self.heddle("convert", "-t", "promela", "-k", "3", "--semantics=p2p", "transfer.chor")
        self.assertIn("[3] of { byte }", wide.out)
        [result] = self.heddle("convert", "--format=json", "-t", "murphi", "transfer.chor").objects
        self.assertEqual(result["facts"]["conversion"], texts["murphi"].out)
        for arguments in (["-t", "aut", "t.chor"], ["-t", "chor", "t.fsa"], ["-t", "smv", "t.chor"]):
            done = self.heddle("convert", *arguments)
            self.assertEqual((done.code, done.out), (2, ""))
        self.assertEqual(self.heddle("project", "-t", "promela", "t.chor").code, 2)

    def test_trace_replays_here_and_not_elsewhere(self):
        self.heddle("check", "--emit=trace=t.json", "--emit=dot=t.dot", "transfer.chor")
        saved = json.loads((self.folder / "t.json").read_text())
        self.expect_valid(saved, "heddle.trace-1")
        self.assertRegex((self.folder / "t.dot").read_text(), r"(?s)^digraph .*\}\n$")
        result = self.result("replay", "transfer.chor", "t.json", code=0)
        self.assertEqual(result["findings"][0]["kind"], "replay")
        steps = [{name: step[name] for name in ("actor", "action", "label", "peer")}
                 for step in result["findings"][0]["trace"]]
        self.assertEqual(steps, saved["steps"])
        saved["steps"][0]["label"] = "nothing"
        self.write("spoiled.json", json.dumps(saved))
        self.write("broken.json", "{\"schema\":")
        for name in ("spoiled.json", "broken.json"):
            done = self.heddle("replay", "transfer.chor", name)
            self.assertEqual((done.code, done.out), (3, ""))
            self.assertRegex(done.err, name + r":1:\d+: error: .*\[HD110\]\n")

    def test_interrupt_gives_a_whole_result(self):
        self.write("chain.chor", chain(26))
        process = self.start("explore", "--no-reduction", "--format=json", "--progress=always", "--memory=1G",
                             "chain.chor")
        self.assertIn(b"states", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 4)
        result = json.loads(out)
        self.expect_valid(result, "heddle.result-1")
        self.assertFalse(result["statistics"]["complete"])
        self.assertGreater(result["statistics"]["states"], 0)
        self.assertIn("interrupted", result["not_covered"])

    def test_limits(self):
        self.write("chain.chor", chain(26))
        begin = time.monotonic()
        result = self.result("explore", "--no-reduction", "--timeout=500ms", "chain.chor", code=4)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("time limit", result["not_covered"])
        result = self.result("explore", "--no-reduction", "--memory=16M", "--timeout=100s", "chain.chor", code=4)
        self.assertIn("memory limit", result["not_covered"])
        result = self.result("explore", "--no-reduction", "--depth=3", "chain.chor", code=4)
        self.assertIn("depth limit", result["not_covered"])
        self.assertFalse(result["statistics"]["complete"])

    def test_any_order_counts_the_same_without_levels(self):
        self.write("chain.chor", chain(9))
        by_levels = self.result("explore", "--no-reduction", "chain.chor", code=0)
        for threads in ("1", "2", "8"):
            result = self.result("explore", "--no-reduction", "--order=any", "--bind=never", "-j", threads, "chain.chor",
                                 code=0)
            self.expect_valid(result, "heddle.result-1")
            self.assertNotIn("levels", result["statistics"])
            for name in ("states", "transitions", "deadlocks", "expanded", "complete"):
                self.assertEqual(result["statistics"][name], by_levels["statistics"][name])
            self.assertEqual(result.get("findings"), by_levels.get("findings"))
        done = self.heddle("explore", "--order=any", "chain.chor")
        self.assertNotIn("level", done.out)
        done = self.heddle("explore", "--order=any", "--depth=3", "chain.chor")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertIn("--depth counts levels, and --order any has none", done.err)
        self.assertEqual(self.heddle("check", "--order=any", "chain.chor").code, 2)

    def test_a_projection_keeps_to_the_time_limit(self):
        count = 30000  # twice as many peers, each of which needs all arcs: minutes
        self.write("pairs.chor", "".join(f"state s{i}:\n  A{i} -> B{i} : m => s{i + 1}\n" for i in range(count)))
        begin = time.monotonic()
        result = self.result("check", "--timeout=500ms", "pairs.chor", code=4)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("time limit", result["not_covered"])

    def test_a_system_too_large_to_build(self):
        result = self.result("check", "--bound=1000000000", "transfer.chor", code=4)
        self.assertEqual(result["verdict"], "inconclusive")
        self.assertIn("too large", result["not_covered"])
        self.assertNotIn("basis", result)  # which would say that the run was replayed
        self.assertNotIn("facts", result)
        self.assertFalse(result["statistics"]["complete"])
        result = self.result("explore", "--bound=1000000000", "transfer.chor", code=4)
        self.assertEqual(result["verdict"], "inconclusive")

    def test_wrong_inputs(self):
        for name, text in (("empty.chor", ""), ("binary.chor", b"\x00\x01\xff" * 100), ("cut.chor", TRANSFER[:60]),
                           ("self.chor", "state a:\n  P -> P : m => b\n"), ("binary.fsa", os.urandom(4096))):
            self.write(name, text)
            done = self.heddle("check", name)
            self.assertEqual((done.code, done.out), (3, ""), name)
            self.assertRegex(done.err, name + r":\d+:\d+: error: ")


if __name__ == "__main__":
    unittest.main()
