"""Every rule of scripts/check_layers.py finds a break of it that was put in on purpose, and accepts the tree without."""
import subprocess
import unittest

from seeded import SeededTree

BUILD_NINJA = """rule cc
  command = gcc -I{root} -MD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
build x.o: cc {root}/core/base/x.c
build explore.o: cc {root}/core/explore/e.c
"""


class CheckLayers(SeededTree):
    script = "check_layers.py"
    good = {
        "core/base/x.h": "int hd_x(void);\n",
        "core/base/x.c": '#include "core/base/x.h"\nint hd_x(void) { return 1; }\n',
        "core/base/atomic.h": "#include <stdatomic.h>\n",
        "core/base/team.c": "#include <omp.h>\n",
        "core/model/m.h": '#include "core/base/x.h"\n',
        "core/explore/e.h": '#include "core/model/m.h"\n#include "hashing/h.h"\n',
        "core/explore/e.c": '#include "core/explore/e.h"\nint hd_e(void) { return hd_x(); }\n',
        "hashing/h.h": '#include "core/base/x.h"\n',
        "frontends/frontend.h": '#include "core/explore/e.h"\n',
        "frontends/one/one.h": '#include "frontends/frontend.h"\n',
        "frontends/two/two.h": '#include "frontends/frontend.h"\n',
        "frontends/registry.c": '#include "frontends/one/one.h"\n#include "frontends/two/two.h"\n',
        "cli/main.c": '#include "frontends/one/one.h"\n/* #include "cli/nothing.h" */\n',
        "tests/support/hd_test.h": "#include <criterion/criterion.h>\n",
        "tests/unit/test_x.c": '#include "tests/support/hd_test.h"\n#include "frontends/one/one.h"\n',
    }

    def test_accepts_a_right_tree(self):
        self.assert_clean()

    def test_back_edge_in_a_header(self):
        self.write("core/base/y.h", '#include "core/model/m.h"\n')
        self.assert_reports("core/base/y.h:1: includes core/model/m.h: core/base must not see core/model")

    def test_equal_ranks_do_not_see_each_other(self):
        self.write("hashing/bad.h", '#include "core/model/m.h"\n')
        self.assert_reports("hashing must not see core/model")

    def test_core_does_not_see_a_frontend(self):
        self.write("core/report/r.c", '#include "frontends/frontend.h"\n')
        self.assert_reports("core/report must not see frontends")

    def test_frontends_do_not_see_each_other(self):
        self.write("frontends/two/bad.c", '\n#include "frontends/one/one.h"\n')
        self.assert_reports("frontends/two/bad.c:2: includes frontends/one/one.h: frontends must not see each other")

    def test_only_the_registry_knows_the_list(self):
        self.write("frontends/shared.c", '#include "frontends/one/one.h"\n')
        self.assert_reports("only cli/ and frontends/registry.c know the frontends")

    def test_relative_include_is_resolved(self):
        self.write("core/base/z.h", '#include "../model/m.h"\n')
        self.assert_reports("core/base must not see core/model")

    def test_openmp_elsewhere(self):
        self.write("hashing/bad.c", "void f(void) {\n#pragma omp parallel\n  {}\n}\n")
        self.assert_reports("hashing/bad.c:2: OpenMP is for core/base/team.c alone")

    def test_omp_call_elsewhere(self):
        self.write("hashing/bad.c", "int f(void) { return omp_get_thread_num(); }\n")
        self.assert_reports("OpenMP is for core/base/team.c alone")

    def test_stdatomic_elsewhere(self):
        self.write("core/explore/bad.c", "#include <stdatomic.h>\n")
        self.assert_reports("core/explore/bad.c:1: stdatomic.h is for core/base/atomic.h alone")

    def test_criterion_elsewhere(self):
        self.write("tests/unit/bad.c", "#include <criterion/new/assert.h>\n")
        self.assert_reports("Criterion is for tests/support/hd_test.h alone")

    def test_dependency_lists(self):
        """A back edge that no #include line shows, for a macro names the file: only the compiler knows."""
        self.write("build/build.ninja", BUILD_NINJA.format(root=self.root))
        subprocess.run(["ninja", "-C", self.root / "build"], check=True, capture_output=True)
        self.assert_clean("--build", self.root / "build")
        self.write("core/base/x.c", '#define UP "core/model/m.h"\n#include UP\nint hd_x(void) { return 1; }\n')
        self.assert_clean()
        subprocess.run(["ninja", "-C", self.root / "build"], check=True, capture_output=True)
        self.assert_reports("core/base/x.c: depends on core/model/m.h", "--build", self.root / "build")

    def test_a_build_without_lists_is_not_accepted(self):
        (self.root / "build").mkdir()
        self.assert_reports("no dependency lists", "--build", self.root / "build")


if __name__ == "__main__":
    unittest.main()
