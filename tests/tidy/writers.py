#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each field of a struct of the session rooms is written by one source file: others ask that file to.

    tests/tidy/writers.py [--report] [--root DIR] [STRUCT ...]

Reads clang's syntax trees of the files that know headers of src/session and src/rollback. A write is an assignment, a
step up or down, memory filled, or an address given away to where it may be written; of nested structs it is the
innermost field that counts. What a pointer among the fields leads to counts by itself, as `*field`. Filling a whole
struct writes all its fields. A struct that is a local variable may be filled by anybody; a header's inline functions
belong to the source of the same name.

--report prints with every such field the functions that write it, of all structs or of those named.
test_writers.py plants such writes.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial

ROOMS = ("src/session/", "src/rollback/")
# Objects of other rooms that only their own room writes: their address is a handle.
HANDLES = {"bksi_guard"}
CASTS = {"ImplicitCastExpr", "CStyleCastExpr", "ParenExpr", "ConstantExpr"}
FILLS = {"memset", "memcpy", "memmove"}


def sources(root):
    """The files that know of a struct of the rooms."""
    found = []
    for folder, _, files in (step for top in ("src", "workshop") for step in os.walk(os.path.join(root, top))):
        for path in (os.path.join(folder, file) for file in files if file.endswith(".c")):
            with open(path, encoding="utf-8") as file:
                if re.search(r'#include "(session|rollback)/', file.read()):
                    found.append(os.path.relpath(path, root))
    return sorted(found)


def declarations(root, path):
    """The structs and functions of the rooms that a file sees, each with the file it stands in."""
    command = ["clang", "-Xclang", "-ast-dump=json", "-fsyntax-only", "-std=c17", "-w", "-Iinclude", "-Isrc", "-Iworkshop", path]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"writers: {path}: clang failed: {done.stderr}")
    # A place names its file only where that differs from the place before; the text is in that order, and of its
    # declarations only some need be read.
    file = None
    for text in done.stdout.split("\n    {\n")[1:]:
        head = text.split('"range": {', 1)[0]
        kind = re.search(r'"kind": "(\w+)"', head).group(1)
        where = files_named(head)
        file = where[0] if where else file
        here = os.path.normpath(file) if file else ""
        if kind in ("RecordDecl", "FunctionDecl") and (here.startswith(ROOMS) or here == path):
            yield here, json.loads("{" + re.sub(r"\n    \}.*\Z", "\n}", text, flags=re.DOTALL))
        where = files_named(text)
        file = where[-1] if where else file


def files_named(text):
    """The files that places in a piece of a dump are in; the includes by which one came there are not."""
    return [match.group(1) for match in re.finditer(r'"file": "([^"]*)"', text)
            if not text[max(0, match.start() - 200):match.start()].rstrip().endswith('"includedFrom": {')]


def type_of(node):
    kinds = node.get("type", {})
    return kinds.get("desugaredQualType", kinds.get("qualType", ""))


def bare(name):
    """The name of a type without what qualifies it."""
    return re.sub(r"\b(const|struct|volatile)\b", "", name).strip()


def pointee(node):
    """What a pointer that may be written through points to, else None."""
    for kind in (node.get("type", {}).get("qualType", ""), type_of(node)):
        if kind.endswith("*"):
            return None if re.search(r"\bconst\b", kind[:-1].split("*")[-1] or kind) else kind[:-1].strip()
    return None


def stripped(node):
    while node["kind"] in CASTS:
        node = node["inner"][-1]
    return node


class Writes:
    """What one file's functions write: pairs of a field and a function."""

    def __init__(self, fields, structs):
        self.fields = fields    # by id: struct, name
        self.structs = structs  # by name: its fields' names
        self.found = set()
        self.function = None

    def note(self, struct, field, how=""):
        self.found.add((f"{struct}.{field}", self.function + how))

    def whole(self, name):
        for field in self.structs[name]:
            self.note(name, field, " (all of it)")

    def is_local(self, node):
        """Whether an expression is, or is a part of, a variable and not of what one points to."""
        node = stripped(node)
        if node["kind"] == "MemberExpr":
            return not node.get("isArrow") and self.is_local(node["inner"][0])
        if node["kind"] == "ArraySubscriptExpr":
            base = node["inner"][0]
            return base.get("castKind") == "ArrayToPointerDecay" and self.is_local(base)
        return node["kind"] in ("DeclRefExpr", "CompoundLiteralExpr")

    def is_decayed(self, node):
        while node["kind"] in CASTS and node.get("castKind") != "ArrayToPointerDecay":
            node = node["inner"][-1]
        return node.get("castKind") == "ArrayToPointerDecay"

    def write(self, node):
        """What an expression names is written."""
        node = stripped(node)
        kind = bare(type_of(node))
        if kind in self.structs and not self.is_local(node):
            self.whole(kind)
        self.name(node)

    def name(self, node, mark=""):
        node = stripped(node)
        if node["kind"] == "MemberExpr":
            field = self.fields.get(node.get("referencedMemberDecl"))
            if field is None:
                if not node.get("isArrow"):
                    self.name(node["inner"][0], mark)
            elif not self.is_local(node):
                self.note(field[0], mark + field[1])
        elif node["kind"] == "ArraySubscriptExpr" or node["kind"] == "UnaryOperator" and node["opcode"] == "*":
            self.name_at(node["inner"][0])

    def name_at(self, node):
        """What a pointer leads to: an array's own elements, or memory that a field points to."""
        decayed, node = self.is_decayed(node), stripped(node)
        if node["kind"] == "BinaryOperator" and node["opcode"] in "+-":
            self.name_at(node["inner"][0])
        else:
            self.name(node, "" if decayed else "*")

    def give(self, node, fills=False):
        """A value is handed on: if it is an address, one can write there, unless by const."""
        to = pointee(node)
        # An address of a struct of the rooms is only a handle: whoever writes by it is seen there.
        if to is None or bare(to) in self.structs or bare(to) in HANDLES:
            return
        decayed, node = self.is_decayed(node), stripped(node)
        if node["kind"] == "UnaryOperator" and node["opcode"] == "&":
            target = node["inner"][0]
            if fills or bare(type_of(target)) not in self.structs:
                self.write(target)
        elif decayed:
            self.write(node)
        elif node["kind"] == "ConditionalOperator":
            self.give(node["inner"][1], fills)
            self.give(node["inner"][2], fills)
        elif node["kind"] == "BinaryOperator" and node["opcode"] == "+":
            self.give(node["inner"][0], fills)
        elif fills and bare(type_of(node).rstrip("*")) in self.structs:
            self.whole(bare(type_of(node).rstrip("*")))
        elif node["kind"] == "MemberExpr" and fills:
            self.name(node, "*")

    def visit(self, node):
        kind = node.get("kind")
        inner = [child for child in node.get("inner", []) if child]
        if kind == "UnaryExprOrTypeTraitExpr":
            return
        if kind == "CompoundAssignOperator" or kind == "BinaryOperator" and node["opcode"] == "=":
            self.write(inner[0])
            self.give(inner[1])
        elif kind == "UnaryOperator" and node["opcode"] in ("++", "--"):
            self.write(inner[0])
        elif kind == "CallExpr":
            callee = stripped(inner[0]).get("referencedDecl", {}).get("name", "")
            for at, argument in enumerate(inner[1:]):
                self.give(argument, callee in FILLS and at == 0)
        elif kind in ("VarDecl", "ReturnStmt", "InitListExpr"):
            for value in inner:
                if "type" in value and value["kind"].endswith(("Expr", "Operator")):
                    self.give(value)
        for child in inner:
            self.visit(child)


def writes_of(root, path):
    """The writes in a file and in the headers it sees: field, writer (the file without its ending), function."""
    fields, structs, functions = {}, {}, []
    for file, declared in declarations(root, path):
        if declared["kind"] == "FunctionDecl":
            functions.append((file, declared))
        elif file.startswith(ROOMS) and file.endswith(".h") and "name" in declared:
            its = [child for child in declared.get("inner", []) if child["kind"] == "FieldDecl"]
            fields.update({child["id"]: (declared["name"], child["name"]) for child in its if "name" in child})
            if its:
                structs[declared["name"]] = [child["name"] for child in its if "name" in child]
    found = set()
    for file, declared in functions:
        writes = Writes(fields, structs)
        writes.function = declared["name"]
        for child in declared.get("inner", []):
            writes.visit(child)
        found |= {(field, file.rsplit(".", 1)[0], function) for field, function in writes.found}
    return found


def writers(root):
    """By field, by writer: the functions that write it."""
    result = defaultdict(lambda: defaultdict(set))
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(partial(writes_of, root), sources(root)):
            for field, writer, function in found:
                result[field][writer].add(function)
    return result


def check(root):
    """What is wrong, a line each: fields with two writers."""
    return [f"{field}: written by {' '.join(sorted(its))}" for field, its in sorted(writers(root).items())
            if len(its) > 1]


def report(root, structs):
    count = 0
    for field, its in sorted(writers(root).items()):
        if len(its) > 1 and (not structs or field.split(".")[0] in structs):
            count += 1
            print(field)
            for writer, functions in sorted(its.items()):
                print(f"    {writer}: {', '.join(sorted(functions))}")
    print(f"writers: {count} fields with more than one")


def main():
    parser = argparse.ArgumentParser(description="Fields that two source files write.")
    parser.add_argument("structs", nargs="*", metavar="STRUCT")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    parser.add_argument("--report", action="store_true", help="all of them, with the functions that write")
    options = parser.parse_args()
    root = os.path.realpath(options.root)
    if shutil.which("clang") is None:
        print("skipped: no clang")
        sys.exit(77)
    if options.report:
        report(root, options.structs)
        return
    found = check(root)
    for line in found:
        print(line)
    print(f"writers: {len(found)} finding{'' if len(found) == 1 else 's'}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
