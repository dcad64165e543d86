"""The command as a process: signals, broken pipes, full disks, closed descriptors, terminals, time limits."""
import json
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from support import ENVIRONMENT, HEDDLE, SECONDS_MAX, Case, Outcome

CURSOR = "\r\033[K"


class Process(Case):
    def setUp(self):
        super().setUp()
        self.write("slow.fake", "holds\nslow\n")
        self.write("good.fake", "holds\n")
        self.write("bad.fake", "violated\nfinding\n")
        self.write("wrong.fake", "holds\n\tnonsense\n")

    def start_slow(self, *arguments):
        """Starts and waits until the search is running, which its progress lines show."""
        process = self.start(*arguments, "--progress=always", "slow.fake")
        self.assertIn(b"states", process.stderr.readline())
        return process

    def finish(self, process):
        out, err = process.communicate(timeout=SECONDS_MAX)
        return Outcome(process.returncode, out.decode(), err.decode())

    def test_first_signal_ends_the_search_with_a_whole_result(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start_slow("check", "--format=json")
            process.send_signal(number)
            done = self.finish(process)
            self.assertEqual(done.code, 4)
            [result] = done.objects
            self.assertEqual(result["verdict"], "inconclusive")
            self.assertIn("interrupted", result["not_covered"])
            self.expect_valid(result, "heddle.result-1")

    def test_after_a_signal_every_file_still_has_its_result(self):
        process = self.start("check", "--format=json", "--progress=always", "slow.fake", "slow.fake", "good.fake")
        self.assertIn(b"states", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        done = self.finish(process)
        self.assertEqual(done.code, 4)
        self.assertEqual([result["verdict"] for result in done.objects], ["inconclusive", "inconclusive", "holds"])

    def test_second_signal_ends_at_once(self):
        self.write("slow.fake", "holds\nslow\ndeaf\n")
        process = self.start_slow("check")
        process.send_signal(signal.SIGINT)
        for _ in range(20):  # the first one alone does not end it
            self.assertIn(b"states", process.stderr.readline())
        process.send_signal(signal.SIGTERM)
        done = self.finish(process)
        self.assertEqual((done.code, done.out), (-signal.SIGTERM, ""))

    def test_two_signals_at_once_are_two(self):
        process = self.start_slow("check")
        process.send_signal(signal.SIGSTOP)  # both are pending when it goes on
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        done = self.finish(process)
        self.assertIn(done.code, (-signal.SIGINT, -signal.SIGTERM))
        self.assertEqual(done.out, "")

    def test_an_ignored_interrupt_stays_ignored(self):
        process = subprocess.Popen(
            ["sh", "-c", 'trap "" INT; exec "$0" "$@"', HEDDLE, "check", "--format=json", "--progress=always",
             "--timeout=600ms", "slow.fake"],
            cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        done = self.finish(process)
        self.assertIn("time limit", done.objects[0]["not_covered"])

    def test_timeout(self):
        begin = time.monotonic()
        done = self.heddle("check", "--format=json", "--timeout=300ms", "slow.fake", "slow.fake")
        seconds = time.monotonic() - begin
        self.assertEqual(done.code, 4)
        self.assertEqual(len(done.objects), 2)
        for result in done.objects:
            self.assertIn("time limit", result["not_covered"])
        self.assertGreaterEqual(seconds, 0.6)  # each file has its own
        self.assertLess(seconds, 30)

    def test_broken_pipe(self):
        for arguments in (["check", "good.fake"], ["--help"], ["doctor"], ["project", "good.fake"]):
            read_end, write_end = os.pipe()
            os.close(read_end)
            process = self.start(*arguments, stdout=write_end)
            os.close(write_end)
            err = process.communicate(timeout=SECONDS_MAX)[1]
            self.assertEqual((process.returncode, err), (3, b""), arguments)

    def test_full_disk(self):
        for arguments in (["check", "good.fake"], ["--version"], ["check", "--emit", "dot=-", "good.fake"],
                          ["doctor", "--format=json"], ["project", "good.fake"]):
            self.write("good.fake", "holds\nemit\n")
            with open("/dev/full", "wb") as full:
                process = self.start(*arguments, stdout=full)
                err = process.communicate(timeout=SECONDS_MAX)[1].decode()
            self.assertEqual(process.returncode, 3, arguments)
            self.assertIn("cannot write standard output: No space left on device [HD003]", err)

    def test_closed_descriptors(self):
        done = subprocess.run(["sh", "-c", f'"{HEDDLE}" check good.fake >&-'], cwd=self.folder, env=ENVIRONMENT,
                              capture_output=True, check=False, timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write standard output", done.stderr)
        # Without standard error the answer is the same, and nothing is written into a file that took its number.
        done = subprocess.run(["sh", "-c", f'"{HEDDLE}" check --emit json=r.json wrong.fake good.fake 2>&-; '
                                           f'"{HEDDLE}" check --emit json=r.json bad.fake 2>&-'],
                              cwd=self.folder, env=ENVIRONMENT, capture_output=True, check=False, timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["verdict"], "violated")
        done = subprocess.run(["sh", "-c", f'"{HEDDLE}" check - <&-'], cwd=self.folder, env=ENVIRONMENT,
                              capture_output=True, check=False, timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, 3)

    def terminal(self, *arguments, environment=None):
        """Runs with standard output and standard error on a terminal; both together, as a person sees them."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([HEDDLE, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=follower,
                                   stderr=follower, env={**ENVIRONMENT, "TERM": "xterm", **(environment or {})})
        os.close(follower)
        seen = b""
        deadline = time.monotonic() + SECONDS_MAX
        while time.monotonic() < deadline:
            if not select.select([leader], [], [], 1)[0]:
                continue
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            seen += piece
        os.close(leader)
        return process.wait(timeout=SECONDS_MAX), seen.decode().replace("\r\n", "\n")

    def test_terminal_gets_colours_excerpt_and_caret(self):
        code, seen = self.terminal("check", "wrong.fake", "bad.fake")
        self.assertEqual(code, 3)
        self.assertIn("\033[", seen)
        self.assertIn("\tnonsense", seen)
        self.assertIn("^", seen)
        self.assertIn("\033[1;31mviolated", seen)

    def test_no_colour_where_none_is_wanted(self):
        for environment, option in (({"NO_COLOR": "1"}, "auto"), ({"TERM": "dumb"}, "auto"), ({}, "never")):
            _, seen = self.terminal("check", f"--color={option}", "wrong.fake", "bad.fake", environment=environment)
            self.assertNotIn("\033[1", seen)
            self.assertIn("^", seen)
        _, seen = self.terminal("check", "bad.fake", environment={"NO_COLOR": ""})
        self.assertIn("\033[1;31m", seen)

    def test_pipe_gets_neither(self):
        done = self.heddle("check", "wrong.fake", "bad.fake")
        self.assertNotIn("\033", done.out + done.err)
        self.assertEqual(len(done.err.splitlines()), 1)
        self.assertIn("\033[1;31m", self.heddle("check", "--color=always", "bad.fake").out)

    def test_progress_on_a_terminal_is_erased(self):
        _, seen = self.terminal("check", "--color=never", "--timeout=300ms", "slow.fake")
        lines = seen.split(CURSOR)
        self.assertGreater(len(lines), 2)
        self.assertEqual(lines[0], "")
        for line in lines[1:-1]:
            self.assertRegex(line, r"^[\d.]+[kMGT]? states, [\d.]+[kMGT]?/s, frontier 10, level \d+, 1 MiB, \d\.\d s$")
            self.assertLess(len(line), 80)
        self.assertTrue(lines[-1].startswith("slow.fake: inconclusive\n"), lines[-1])

    def test_progress_only_where_it_is_wanted(self):
        self.assertEqual(self.heddle("check", "--timeout=100ms", "slow.fake").err, "")
        for option in ("--progress=never", "-q"):
            _, seen = self.terminal("check", "--timeout=100ms", option, "slow.fake")
            self.assertNotIn("frontier", seen)
        done = self.heddle("check", "--progress=always", "--timeout=100ms", "slow.fake")
        self.assertRegex(done.err, r"^([^\r\033]+ states, .*\n)+$")


if __name__ == "__main__":
    unittest.main()
