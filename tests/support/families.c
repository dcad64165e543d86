/* Printers for the example families.
 *
 * Readings. The sizes known for these families fix the protocols only up to details, so each printer states the
 * protocol in full; the reading was accepted when an independent explorer gave the known states and transitions for it
 * (and other readings did not). Counting: mailbox semantics, a state is local states + queues, every enabled move
 * counts, no reduction.
 *
 *   chain          3^n states, 2n 3^(n-1) transitions for k >= 1: every pair is unsent, in the queue, or read.
 *   pipeline       2^(n-2) (k+1)^(n-1) states, times n k/(k+1) transitions: each inner peer waits or holds (2), each of
 *                  the n-1 queues holds 0..k equal messages.
 *   ring           4n-4 states and transitions. The subset construction keeps the round in which a peer has not moved
 *                  yet apart from later ones, except for the first and the last peer: 2n states of the steady rounds,
 *                  2(n-2) of the first.
 *   star           the reading in which answers may overtake later requests. "All requests first" gives 19 states for
 *                  n = 2, this one 20.
 *   tree           inner nodes ask left, then right; the left answer may be read before the right request is sent (505
 *                  states for 7 nodes otherwise, 552 so). A node answers its parent after both answers.
 *   philosophers   req, grant (read), req, grant (read), rel, rel in taking order, for ever. A fork that is taken
 *                  accepts the neighbour's req and grants on rel; between reading a req and sending its grant it reads
 *                  nothing (119 states for n = 2, odd ones right first, if it did; 113 so).
 *   gencfsm        per pair, side a: `length` times any letter of a's n to b, then `length` receives of any of b's;
 * side b likewise. Bound = length never blocks. pairs = m: the m-th power of one pair's states.
 *
 * One thread at a time per text; cost: linear in the text. */
#include "tests/support/families.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  bool fsa;
} families[HD_FAMILY_COUNT] = {
#define FAMILY_ROW(identifier, name, fsa, what) {name, fsa},
    HD_FAMILY_TABLE(FAMILY_ROW)
#undef FAMILY_ROW
};

hd_family hd_family_find(const char *name) {
  unsigned i = 0;
  while (i < HD_FAMILY_COUNT && strcmp(families[i].name, name) != 0) {
    i++;
  }
  return (hd_family)i;
}

const char *hd_family_name(hd_family family) {
  return families[family].name;
}

bool hd_family_is_fsa(hd_family family) {
  return families[family].fsa;
}

static void print_chain(FILE *out, uint32_t n) {
  fprintf(out, "choreography independent_chain\n");
  for (uint32_t i = 0; i < n; i++) {
    fprintf(out, "state s%u:\n  A%u -> B%u : m%u => s%u\n", i, i, i, i, i + 1);
  }
}

/* Partners by block number, as the published .fsa tools write them. */
static void print_pipeline(FILE *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    fprintf(out, ".outputs P%u\n.state graph\n", i);
    if (i == 0) {
      fprintf(out, "w 1 ! x0 w\n");
    } else if (i + 1 == n) {
      fprintf(out, "w %u ? x%u w\n", i - 1, i - 1);
    } else {
      fprintf(out, "w %u ? x%u h\nh %u ! x%u w\n", i - 1, i - 1, i + 1, i);
    }
    fprintf(out, ".marking w\n.end\n\n");
  }
}

static void print_ring(FILE *out, uint32_t n) {
  fprintf(out, "choreography token_ring\n");
  for (uint32_t i = 0; i < n; i++) {
    fprintf(out, "state s%u:\n  P%u -> P%u : t%u => s%u\n", i, i, (i + 1) % n, i, (i + 1) % n);
  }
}

/* States: number of requests sent, and the set of workers that have answered (bits). */
static void print_star(FILE *out, uint32_t n) {
  fprintf(out, "choreography star_gather\ninitial state r0_0:\n  C -> W0 : r0 => r1_0\n");
  for (uint32_t sent = 1; sent <= n; sent++) {
    for (uint32_t answered = 0; answered < ((uint32_t)1 << sent); answered++) {
      fprintf(out, "state r%u_%u:\n", sent, answered);
      if (sent < n) {
        fprintf(out, "  C -> W%u : r%u => r%u_%u\n", sent, sent, sent + 1, answered);
      }
      for (uint32_t i = 0; i < sent; i++) {
        uint32_t bit = (uint32_t)1 << i;
        if (!(answered & bit)) {
          fprintf(out, "  W%u -> C : a%u => r%u_%u\n", i, i, sent, answered | bit);
        }
      }
    }
  }
}

/* One inner node. State names: s<asked><left answered><right answered>; `w` before the request and `e` after the answer
 * (the root has neither and runs from s0.. to its state without arcs). */
static void print_inner_node(FILE *out, uint32_t i, bool has_right) {
  uint32_t left = 2 * i + 1, right = 2 * i + 2;
  fprintf(out, "s000 N%u ! q%u s100\ns100 N%u ? r%u %s\n", left, left, left, left, has_right ? "s110" : "done");
  if (has_right) {
    fprintf(out, "s100 N%u ! q%u s200\ns110 N%u ! q%u s210\n", right, right, right, right);
    fprintf(out, "s200 N%u ? r%u s210\ns200 N%u ? r%u s201\n", left, left, right, right);
    fprintf(out, "s210 N%u ? r%u done\ns201 N%u ? r%u done\n", right, right, left, left);
  }
}

static void print_tree(FILE *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    bool inner = 2 * i + 1 < n;
    fprintf(out, ".outputs N%u\n.state graph\n", i);
    if (i > 0) {
      fprintf(out, "w N%u ? q%u %s\ndone N%u ! r%u e\n", (i - 1) / 2, i, inner ? "s000" : "done", (i - 1) / 2, i);
    }
    if (inner) {
      print_inner_node(out, i, 2 * i + 2 < n);
    }
    fprintf(out, ".marking %s\n.end\n\n", i > 0 ? "w" : inner ? "s000" : "done");
  }
}

/* Philosopher i sits between fork i (left) and fork i+1 (right). */
static void print_philosophers(FILE *out, uint32_t n, bool odd_right_first) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t first = i, second = (i + 1) % n;
    if (odd_right_first && i % 2 == 1) {
      first = (i + 1) % n;
      second = i;
    }
    fprintf(out, ".outputs P%u\n.state graph\nthink F%u ! req ask\nask F%u ? grant one\n", i, first, first);
    fprintf(out, "one F%u ! req ask2\nask2 F%u ? grant eat\n", second, second);
    fprintf(out, "eat F%u ! rel back\nback F%u ! rel think\n.marking think\n.end\n\n", first, second);
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t users[2] = {i, (i + n - 1) % n};
    fprintf(out, ".outputs F%u\n.state graph\n", i);
    for (uint32_t u = 0; u < 2; u++) {
      uint32_t mine = users[u], other = users[1 - u];
      fprintf(out, "free P%u ? req give%u\ngive%u P%u ! grant taken%u\n", mine, u, u, mine, u);
      fprintf(out, "taken%u P%u ? rel free\ntaken%u P%u ? req owed%u\n", u, mine, u, other, u);
      fprintf(out, "owed%u P%u ? rel give%u\n", u, mine, 1 - u);
    }
    fprintf(out, ".marking free\n.end\n\n");
  }
}

static void print_gencfsm(FILE *out, hd_family_size size) {
  for (uint32_t pair = 0; pair < size.pairs; pair++) {
    for (uint32_t side = 0; side < 2; side++) {
      char mine = side ? 'B' : 'A', other = side ? 'A' : 'B';
      fprintf(out, ".outputs %c%u\n.state graph\n", mine, pair);
      for (uint32_t step = 0; step < 2 * size.length; step++) {
        bool sends = step < size.length;
        for (uint32_t letter = 0; letter < size.n; letter++) {
          fprintf(out, "q%u %c%u %c %c%u q%u\n", step, other, pair, sends ? '!' : '?', sends ? mine : other, letter,
                  step + 1);
        }
      }
      fprintf(out, ".marking q0\n.end\n\n");
    }
  }
}

char *hd_family_print(hd_family family, hd_family_size size) {
  char *text = NULL;
  size_t size_bytes = 0;
  FILE *out = open_memstream(&text, &size_bytes);
  if (!out) {
    return NULL;
  }
  switch (family) {
    case HD_FAMILY_CHAIN:
      print_chain(out, size.n);
      break;
    case HD_FAMILY_PIPELINE:
      print_pipeline(out, size.n);
      break;
    case HD_FAMILY_RING:
      print_ring(out, size.n);
      break;
    case HD_FAMILY_STAR:
      print_star(out, size.n);
      break;
    case HD_FAMILY_TREE:
      print_tree(out, size.n);
      break;
    case HD_FAMILY_PHILOSOPHERS:
      print_philosophers(out, size.n, false);
      break;
    case HD_FAMILY_PHILOSOPHERS_ODD:
      print_philosophers(out, size.n, true);
      break;
    case HD_FAMILY_GENCFSM:
      print_gencfsm(out, size);
      break;
    case HD_FAMILY_COUNT:
      break;
  }
  bool failed = ferror(out) != 0;
  if (fclose(out) != 0 || failed) {
    free(text);
    return NULL;
  }
  return text;
}

const char *hd_family_tpm_contract(void) {
  return "choreography TpmContract\n"
         "peers C, S\n"
         "state Start:\n  S -> C : Ready => ReadyState\n"
         "state ReadyState:\n"
         "  C -> S : Send => R0\n  C -> S : GetTpmStatus => R1\n"
         "  C -> S : GetDriverName => R2\n  C -> S : GetDriverVersion => R3\n"
         "  C -> S : Receive => R4\n  C -> S : SendReceive => R5\n"
         "state R0:\n  S -> C : AckStartSend => IO\n"
         "state R1:\n  S -> C : TpmStatus => ReadyState\n"
         "state R2:\n  S -> C : DriverName => ReadyState\n"
         "state R3:\n  S -> C : DriverVersion => ReadyState\n"
         "state R4:\n  S -> C : ReceivedData => ReadyState\n"
         "state R5:\n  S -> C : Response => ReadyState\n"
         "state IO:\n"
         "  C -> S : GetTpmStatus => IO0\n  S -> C : SendComplete => ReadyState\n  C -> S : Cancel => Y\n"
         "state IO0:\n  S -> C : TpmStatus => IO\n"
         "state Y:\n  S -> C : AckCancel => ReadyState\n";
}
