#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs Doxygen over the public headers, as they are and with planted undocumented declarations."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))

# What is added to a header, and the name that Doxygen must miss a word about.
FAULTS = {
    "function": ("BKS_API bks_status bks_planted(int count);\n", "bks_planted"),
    "field": ("/// Known.\ntypedef struct bks_known {\n    int planted;\n} bks_known;\n", "planted"),
    "struct": ("typedef struct bks_planted {\n    int known; ///< known\n} bks_planted;\n",
               "bks_planted"),
    "macro": ("#define BKS_PLANTED 1\n", "BKS_PLANTED"),
    "parameter": ("/// Known.\n/// @param other  a count\nBKS_API int bks_known(int count);\n",
                  "other"),
}


class ReferenceTest(unittest.TestCase):
    def doxygen(self, planted=""):
        """The exit status and the output for the headers with `planted` at the end of one."""
        with tempfile.TemporaryDirectory() as root:
            shutil.copytree(os.path.join(ROOT, "include"), os.path.join(root, "include"))
            with open(os.path.join(root, "include", "backstitch", "base.h"), "a") as header:
                header.write(planted)
            with open(os.path.join(ROOT, "docs", "Doxyfile")) as file:
                config = file.read() + f"\nOUTPUT_DIRECTORY = {root}/out\n"
            done = subprocess.run(["doxygen", "-"], input=config, text=True, cwd=root,
                                  capture_output=True)
            return done.returncode, done.stdout + done.stderr

    def test_every_public_declaration_is_documented(self):
        code, output = self.doxygen()
        self.assertEqual(code, 0, output)

    def test_an_undocumented_declaration_is_found(self):
        for kind, (planted, name) in FAULTS.items():
            with self.subTest(kind=kind):
                code, output = self.doxygen(planted)
                self.assertNotEqual(code, 0)
                self.assertIn(name, output)


if __name__ == "__main__":
    if not shutil.which("doxygen"):
        print("doxygen is not installed")
        sys.exit(77)
    unittest.main()
