"""Every rule of scripts/check_sync.py finds a break of it that was put in on purpose, and accepts the tree without."""
import unittest

from seeded import SeededTree

GOOD = """/* The flag. */
static void raise(hd_atomic_u32 *flag) {
  /* HD-SYNC S1: release; pairs with S2 (the reader; see S9 of nothing).
   * Publishes: the data. Why not weaker: lost. Why not stronger: one partner. */
  hd_store_rel(flag, 1);
}

/* HD-SYNC S2: acquire; pairs with S1. Publishes: nothing. */
static unsigned look(hd_atomic_u32 *flag) {
  return hd_load_acq(flag);
}
"""


class CheckSync(SeededTree):
    script = "check_sync.py"
    good = {
        "hashing/a.c": GOOD,
        "core/explore/b.c": "/* HD-SYNC S1: relaxed; pairs with none. A counter. */\nvoid f(void) { hd_add_rlx(&n, 1); }\n",
        "core/base/atomic.h": "#define hd_load_acq(p) atomic(p)\n",
    }

    def test_accepts_a_right_tree(self):
        self.assert_clean()

    def test_missing_partner(self):
        self.write("hashing/a.c", GOOD.replace("pairs with S1", "pairs with S7"))
        self.assert_reports("S2: pairs with S7, which hashing does not define")

    def test_partner_that_does_not_answer(self):
        self.write("hashing/a.c", GOOD.replace("pairs with S1", "pairs with none"))
        self.assert_reports("S1: pairs with S2, which does not name it back")

    def test_partner_in_another_folder(self):
        self.write("hashing/c.c", "/* HD-SYNC S5: acquire; pairs with S6 in core/explore. */\n")
        self.assert_reports("S5: pairs with S6, which core/explore does not define")
        self.write("core/explore/c.c", "/* HD-SYNC S6: release; pairs with S5 in hashing. */\n")
        self.assert_clean()

    def test_number_defined_twice(self):
        self.write("hashing/c.c", "/* HD-SYNC S1: release; pairs with S2. */\n")
        self.assert_reports("S1: defined before, at hashing/")

    def test_no_order(self):
        self.write("hashing/c.c", "/* HD-SYNC S3: pairs with none. */\n")
        self.assert_reports("S3: does not begin with its order")

    def test_no_partners(self):
        self.write("hashing/c.c", "/* HD-SYNC S3: relaxed. Just a counter. */\n")
        self.assert_reports("S3: does not say what it pairs with")

    def test_use_without_a_block(self):
        self.write("hashing/c.c", GOOD.replace("S1", "S3").replace("S2", "S4") +
                   "\nstatic void third(hd_atomic_u32 *flag) {\n" + "  ;\n" * 15 + "  hd_xchg_acqrel(flag, 0);\n}\n")
        self.assert_reports("hashing/c.c:29: no HD-SYNC block for hd_xchg_acqrel(flag, 0);")

    def test_use_in_a_comment_is_none(self):
        self.write("hashing/c.c", "/* hd_load_acq(p) would do. */\n")
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()
