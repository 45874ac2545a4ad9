# SPDX-License-Identifier: Apache-2.0
"""Counts registers that a few lines of machine code read.

    test_register_reads.py REGISTER_READS [unittest arguments]
"""

import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = sys.argv.pop(1)


class RegisterReads(unittest.TestCase):
    def run_tool(self, *words, status=0, path=""):
        environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}
        done = subprocess.run([sys.executable, TOOL, *map(str, words)], capture_output=True, text=True, timeout=60,
                              env=environment, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        if status != 0:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            return done.stderr
        return [line.split() for line in done.stdout.splitlines()[1:]]

    def rows(self, *lines, status=0):
        with tempfile.NamedTemporaryFile("w", suffix=".sass") as file:
            file.write("\t.headerflags\t@\"EF_CUDA_SM90\"\n")
            for number, line in enumerate(lines):
                file.write(f"        /*{16 * number:04x}*/                   {line} ;\n")
            file.flush()
            return self.run_tool("--least", 1, "--text", file.name, status=status)

    def test_operands(self):
        # A double is two registers, constants none, and one that is named twice is read once.
        for line, reads in (("DFMA R2, R4, R6, R8", 6), ("DFMA R2, R4, R4, R8", 4), ("DFMA R2, R4, c[0x1][0x8], R8", 4),
                            ("DFMA R2, R4, R6, 1.5e+31", 4), ("DADD R2, -R4, c[0x1][0x8]", 2)):
            self.assertEqual(self.rows(line), [["0", "1", "1", "0", str(reads), str(reads // 2)]], line)
        for line, reads in (("IADD3 R1, P2, P3, R4, R5, R6", 3), ("IADD3.X R1, R4, -0x5674, R5, P2, P3", 2),
                            ("IMAD.WIDE.U32 R2, R4, R5, R6", 4), ("@P0 LOP3.LUT R3, R5, 0x7ffff, RZ, 0xc0, !PT", 1)):
            self.assertEqual(self.rows("DADD R2, -RZ, 0.5", line)[0][2:5], ["1", "1", str(reads)], line)

    def test_reuse(self):
        # Kept where the next of the same kind has it in the same place, whatever integers come between.
        first = "DFMA R2, R4.reuse, R6, R8"
        self.assertEqual(self.rows(first, "DFMA R10, R4, R12, R14")[0][4], "10")
        self.assertEqual(self.rows(first, "IADD3 R1, R20, R21, R22", "DFMA R10, R4, R12, R14")[0][4], "13")
        self.assertEqual(self.rows(first, "DFMA R10, R12, R4, R14")[0][4], "12")
        self.assertEqual(self.rows(first, "DADD R16, R18, 0.5", "DFMA R10, R4, R12, R14")[0][4], "14")

    def test_pieces(self):
        rows = self.rows("DADD R2, R4, 0.5", "DADD R2, R2, 0.5", "@P0 BRA 0x10", "DADD R2, R2, 0.5", "EXIT")
        self.assertEqual([row[:3] for row in rows], [["0", "1", "1"], ["10", "2", "1"], ["30", "2", "1"]])

    def test_cache(self):
        # Code as the driver lays it out, with programs that take code out and name it by copying: two entries of the kernel.
        with tempfile.TemporaryDirectory() as folder:
            for name, script in (("zstd", "tail -c +5"), ("nvdisasm", 'cat "$3"')):
                program = Path(folder, name)
                program.write_text(f"#!/bin/sh\n{script}\n")
                program.chmod(0o755)
            cache = b""
            for lines in (1, 2):
                code = "".join(f"/*{16 * n:04x}*/ DADD R2, R4, 0.5 ;\n" for n in range(lines)).encode()
                table = struct.pack("<8I", 1, len(code), 0x80, 0, 0, 0, 0, 0)
                whole = bytes(8) + b"NVuc" + bytes(0x3c) + table
                cache += b"msm/order/cuts\0" + b"\x28\xb5\x2f\xfd" + whole.ljust(8 + 0x80, b"\0") + code
            file = Path(folder, "cache")
            file.write_bytes(cache)
            rows = self.run_tool("--least", 1, file, "msm/order/cuts", path=folder)
        self.assertEqual([row[1] for row in rows], ["1", "instructions", "2"])

    def test_mistakes(self):
        self.assertIn("no instructions", self.rows(status=1))
        with tempfile.NamedTemporaryFile() as file:
            self.assertIn("no compressed code of msm/order/cuts", self.run_tool(file.name, "msm/order/cuts", status=1))
        self.assertIn("/nowhere", self.run_tool("/nowhere", "msm/order/cuts", status=2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
