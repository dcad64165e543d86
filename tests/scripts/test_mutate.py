"""scripts/mutate.py tells killed, surviving and invalid mutants of a small project apart, and leaves the tree alone."""
import subprocess
import unittest

from seeded import SeededTree

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C)
enable_testing()
add_executable(test_max test_max.c max.c)
add_test(NAME test_max COMMAND test_max)
add_executable(test_wrong test_wrong.c)
add_test(NAME test_wrong COMMAND test_wrong)
"""
PRESETS = """{"version": 6, "configurePresets": [
  {"name": "dev", "generator": "Ninja", "binaryDir": "${sourceDir}/build/dev"}]}
"""
MAX = """int max(int a, int b) {
  if (a > b) return a;
  return b; /* or a | b */
}
"""


class Mutate(SeededTree):
    script = "mutate.py"
    good = {
        "CMakeLists.txt": CMAKE,
        "CMakePresets.json": PRESETS,
        "max.c": MAX,
        "test_max.c": "int max(int, int);\nint main(void) { return max(1, 2) != 2 || max(3, 1) != 3; }\n",
        "test_wrong.c": "int main(void) { return 1; }\n",
    }

    def outcome(self, *lines, arguments=()):
        self.write("tests/mutants/small.list", "# a comment\n\n" + "".join(line + "\n" for line in lines))
        done = self.run_script(*arguments)
        self.assertEqual((self.root / "max.c").read_text(encoding="utf-8"), MAX)
        return done.returncode, done.stdout.splitlines()[-1] if done.stdout else done.stderr.strip(), done.stdout

    def test_verdicts(self):
        code, last, text = self.outcome(
            "max.c|s/a > b/a < b/|test_max",
            "max.c|s/a > b/a >= b/|test_max",  # the same function: no test can kill it
            "max.c|s/or a | b/or b | a/|test_max",  # the expression itself has a bar
            "max.c|s/nothing/like this/|test_max",
            "max.c|s/return b;/return b/|test_max",
            "max.c|s/a > b/a < b/|test_wrong",
            "none.c|s/a/b/|test_max",
            "max.c|s/a > b/a < b/|test_max",
        )
        self.assertEqual((code, last), (1, "2 killed, 2 survived, 4 invalid"), text)
        for words in ("the expression changes nothing", "does not compile", "fails without the mutant", "no such file"):
            self.assertIn(words, text)

    def test_all_killed(self):
        code, last, text = self.outcome("max.c|s/a > b/a < b/|test_max", "max.c|s/return a/return 0/|test_max")
        self.assertEqual((code, last), (0, "2 killed, 0 survived, 0 invalid"), text)

    def test_quick_takes_the_first_of_a_folder(self):
        code, last, text = self.outcome("max.c|s/a > b/a < b/|test_max", "max.c|s/a > b/a >= b/|test_max",
                                        arguments=["--quick"])
        self.assertEqual((code, last), (0, "1 killed, 0 survived, 0 invalid"), text)

    def build(self):
        for command in (["cmake", "--preset", "dev"], ["ninja", "-C", "build/dev"]):
            subprocess.run(command, cwd=self.root, capture_output=True, check=True)
        return ["--build", str(self.root / "build" / "dev")]

    def test_linked_beside_a_build(self):
        self.write("lib/max.c", '#include "step.h"\n' + MAX.replace("return a;", "return a + STEP;"))
        self.write("lib/step.h", "#define STEP 0\n")
        self.write("lib/other.c", "int other(void) { return 1; }\n")
        self.write("CMakeLists.txt", CMAKE + """add_library(parts STATIC lib/max.c lib/other.c)
add_executable(test_parts test_max.c)
target_link_libraries(test_parts parts)
add_test(NAME test_parts COMMAND test_parts)
add_custom_target(by_script DEPENDS test_parts)
add_test(NAME by_script COMMAND sh -c "exec $PROGRAM")
set_tests_properties(by_script PROPERTIES ENVIRONMENT "PROGRAM=$<TARGET_FILE:test_parts>")
add_custom_target(by_nobody DEPENDS test_parts)
add_test(NAME by_nobody COMMAND false)
add_custom_target(not_a_test)
""")
        arguments = self.build()
        before = sorted((path, path.stat().st_mtime_ns) for path in self.root.rglob("*.[co]"))
        code, last, text = self.outcome(
            "max.c|s/a > b/a < b/|test_max",
            "lib/max.c|s/a > b/a < b/|test_parts",  # a member of the archive
            "lib/max.c|s/a > b/a < b/|by_script",  # a program that the test's environment names
            "lib/max.c|s/a > b/a >= b/|test_parts",
            "lib/other.c|s/return 1/return 2/|test_parts",
            "max.c|s/a > b/a < b/|test_parts",
            "max.c|s/return b;/return b/|test_max",
            "max.c|s/int max/int least/|test_max",
            "lib/max.c|s/a > b/a < b/|by_nobody",
            "max.c|s/a > b/a < b/|not_a_test",
            "max.c|s/nothing/like this/|test_max",
            "max.c|s/(/|test_max",
            "none.c|s/a/b/|test_max",
            arguments=arguments,
        )
        self.assertEqual((code, last), (1, "3 killed, 2 survived, 8 invalid"), text)
        for words in ("not made of this file", "does not compile", "does not link", "runs no program that has this file",
                      "no such test", "the expression changes nothing", "no such file"):
            self.assertIn(words, text)
        self.assertEqual(before, sorted((path, path.stat().st_mtime_ns) for path in self.root.rglob("*.[co]")))

    def test_malformed_line(self):
        code, last, _ = self.outcome("max.c s/a/b/ test_max")
        self.assertEqual(code, 1)
        self.assertIn("small.list:3: expected file|sed-expression|test", last)


if __name__ == "__main__":
    unittest.main()
