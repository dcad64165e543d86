#!/usr/bin/env python3
"""Checks that every use of a shared variable says how it synchronises, and with whom.

A block is a comment that begins

    HD-SYNC S3: release; pairs with S4 (what S4 does), L7. Publishes: ... Why not weaker: ... Why not stronger: ...

(a letter and a number name it) and belongs to the module (the folder) it stands in: partners are looked for there, or, written `S4 in hashing`, in
that other folder. Fails when
  - a block's partner does not exist, or does not name the block back
  - one module defines a number twice, or a block lacks its order or its partners ("pairs with none" is an answer)
  - a call of hd_*_rlx, _acq, _rel, _acqrel or _seq has no block in its function or in the 15 lines above it

usage: check_sync.py [--root DIR]
"""
import argparse
import pathlib
import re
import sys

FOLDERS = ("core", "hashing", "frontends", "cli")
DEFINITION = "core/base/atomic.h"
NEAR_LINES = 15

BLOCK = re.compile(r"HD-SYNC\s+([A-Z]\d+)\s*:(.*?)(?=HD-SYNC\s+[A-Z]\d+\s*:|\*/|\Z)", re.DOTALL)
ORDER = re.compile(r"^\W*(relaxed|acquire|release|acq_rel|acquire-release|acqrel|seq_cst|sequentially consistent)\b", re.I)
PARTNERS = re.compile(r"pairs\s+with\s+(.*?)(?:\.\s|\.$|;|Publishes|Why|$)", re.DOTALL | re.I)
PARTNER = re.compile(r"\b([A-Z]\d+)\b(?:\s+in\s+((?:core|frontends)/[a-z_/]+|hashing|cli)\b)?")
USE = re.compile(r"\bhd_[a-z]+_(?:rlx|acq|rel|acqrel|seq)\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n?)+|//[^\n]*", re.DOTALL | re.MULTILINE)


class Block:
    def __init__(self, name, line, module, number, text):
        self.name, self.line, self.module, self.number = name, line, module, number
        words = " ".join(re.sub(r"^\s*(\*|//)", " ", row) for row in text.splitlines())
        self.has_order = ORDER.search(words) is not None
        partners = PARTNERS.search(words)
        clause = re.sub(r"\([^()]*\)", " ", partners.group(1)) if partners else ""
        self.partners = [(m.group(2) or module, m.group(1)) for m in PARTNER.finditer(clause)]
        self.answers_none = partners is not None and re.match(r"\s*(none|nothing|itself)\b", clause) is not None

    @property
    def where(self):
        return f"{self.name}:{self.line}: {self.number}"


def comments_of(text):
    for match in COMMENT.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(0)


def blocks_of(name, text):
    module = name.rsplit("/", 1)[0]
    for first_line, comment in comments_of(text):
        for match in BLOCK.finditer(comment):
            line = first_line + comment.count("\n", 0, match.start())
            yield Block(name, line, module, match.group(1), match.group(2))


def check_uses(name, text, blocks):
    """Every use has a block close above it, or in its function (with the comment in front of the function)."""
    code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    rows = code.splitlines()
    block_lines = sorted(block.line for block in blocks)
    problems = []
    start = 1  # first line after the previous function's closing brace
    ends = [index for index, row in enumerate(rows, 1) if row.startswith("}")] + [len(rows)]
    for end in ends:
        for line in range(start, end + 1):
            if line > len(rows) or not USE.search(rows[line - 1]):
                continue
            inside = any(start <= block <= end for block in block_lines)
            near = any(line - NEAR_LINES <= block <= line for block in block_lines)
            if not inside and not near:
                problems.append(f"{name}:{line}: no HD-SYNC block for {rows[line - 1].strip()}")
        start = max(start, end + 1)
    return problems


def check_pairs(blocks):
    problems = []
    known = {}
    for block in blocks:
        key = (block.module, block.number)
        if key in known:
            problems.append(f"{block.where}: defined before, at {known[key].name}:{known[key].line}")
        else:
            known[key] = block
        if not block.has_order:
            problems.append(f"{block.where}: does not begin with its order (relaxed, acquire, release, ...)")
        if not block.partners and not block.answers_none:
            problems.append(f"{block.where}: does not say what it pairs with")
    for block in blocks:
        for module, number in block.partners:
            partner = known.get((module, number))
            if partner is None:
                problems.append(f"{block.where}: pairs with {number}, which {module} does not define")
            elif (block.module, block.number) not in partner.partners:
                problems.append(f"{block.where}: pairs with {number}, which does not name it back ({partner.where})")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()

    problems, all_blocks, uses = [], [], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.[ch]")):
            name = path.relative_to(root).as_posix()
            if name == DEFINITION:
                continue
            text = path.read_text(encoding="utf-8")
            blocks = list(blocks_of(name, text))
            all_blocks += blocks
            problems += check_uses(name, text, blocks)
            uses += len(USE.findall(COMMENT.sub(" ", text)))
    problems += check_pairs(all_blocks)
    for problem in problems:
        print(problem)
    if problems:
        print(f"check_sync: {len(problems)} wrong")
        return 1
    print(f"check_sync: {uses} uses, {len(all_blocks)} blocks, every pair complete")
    return 0


if __name__ == "__main__":
    sys.exit(main())
