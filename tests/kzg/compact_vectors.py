# SPDX-License-Identifier: Apache-2.0
"""Makes vectors.json, the compact form of c-kzg-4844's vectors that test_vectors.py runs without a checkout.

    compact_vectors.py FOLDER > vectors.json

FOLDER is a checkout of ethereum/c-kzg-4844. Blobs become recipes, and their cells and proofs numbers and hashes. Cases
with values of a wrong size are left out: such values cannot be passed to the library."""

import hashlib
import json
import pathlib
import sys

from test_vectors import CELL, CELLS, N, ORDER, POINT, SCALAR, BLOB, made_blob, plain, read_case

KINDS = ("blob_to_kzg_commitment", "compute_kzg_proof", "compute_blob_kzg_proof", "verify_kzg_proof",
         "verify_blob_kzg_proof", "verify_blob_kzg_proof_batch", "compute_cells", "compute_cells_and_kzg_proofs",
         "recover_cells_and_kzg_proofs", "verify_cell_kzg_proof_batch")
SIZES = {"blob": BLOB, "blobs": BLOB, "commitment": POINT, "commitments": POINT, "proof": POINT, "proofs": POINT,
         "z": SCALAR, "y": SCALAR, "cells": CELL}


def recipe_of(blob):
    """The recipe with the fewest changes."""
    scalars = [blob[i:i + SCALAR] for i in range(0, BLOB, SCALAR)]
    common = max(set(scalars[:8]), key=scalars.count)
    found = []
    for base in [f"all {common.hex()}"] + [f"powers {g}" for g in (2, 3, 5, 7)]:
        made = made_blob(base)
        changes = [f"{i}={scalars[i].hex()}" for i in range(N) if scalars[i] != made[i * SCALAR:(i + 1) * SCALAR]]
        found.append(" ".join([base] + changes))
    recipe = min(found, key=len)
    assert made_blob(recipe) == blob and len(recipe) < 500, "a blob has no recipe"
    return recipe


def has_sizes(case):
    return all(len(plain(text)) == SIZES[key] for key, value in case.items() if key in SIZES
               for text in (value if isinstance(value, list) else [value]))


class Compacter:
    def __init__(self, folder):
        self.tests = pathlib.Path(folder) / "tests"
        self.blobs, self.hashes, self.names = [], {}, {}
        for path in sorted((self.tests / "compute_cells_and_kzg_proofs").glob("*/*/data.yaml")):
            case = read_case(path)
            if case["output"] == "null" or not has_sizes(case):
                continue
            number = self.blob(plain(case["blob"]))
            cells, proofs = [[plain(text) for text in part]
                             for part in (case["output"][:CELLS], case["output"][CELLS:])]
            self.hashes[number] = [hashlib.sha256(b"".join(part)).hexdigest() for part in (cells, proofs)]
            for i in range(CELLS):
                self.names.setdefault(cells[i], f"cell {number} {i}")
                self.names.setdefault(proofs[i], f"proof {number} {i}")

    def blob(self, blob):
        recipe = recipe_of(blob)
        if recipe not in self.blobs:
            self.blobs.append(recipe)
        return self.blobs.index(recipe)

    def entry(self, text):
        value = plain(text) if text.startswith("0x") else None
        if value is not None and len(value) == BLOB:
            return f"blob {self.blob(value)}"
        return self.names.get(value, text)

    def values(self, value):
        if not isinstance(value, list):
            return self.entry(value)
        made = []
        for entry in (self.entry(text) for text in value):
            last = made[-1] if made else [None, 0]
            if entry == last[0]:
                last[1] += 1
            else:
                made.append([entry, 1])
        return self.ranges(entry if times == 1 else f"{times} times {entry}" for entry, times in made)

    @staticmethod
    def ranges(entries):
        """Cells or proofs of a blob that follow one another become one entry."""
        made = []
        for entry in entries:
            words = entry.split()
            last = made[-1].split() if made else []
            if words[0] in ("cell", "proof") and last[:2] == words[:2] and \
                    int(last[2].split("-")[-1]) + 1 == int(words[2]):
                made[-1] = f"{last[0]} {last[1]} {last[2].split('-')[0]}-{words[2]}"
            else:
                made.append(entry)
        return made

    def cases(self):
        made = {}
        for kind in KINDS:
            made[kind] = {}
            for path in sorted((self.tests / kind).glob("*/*/data.yaml")):
                case = read_case(path)
                if has_sizes({key: value for key, value in case.items() if key != "output"}):
                    made[kind][path.parent.name.removeprefix(f"{kind}_case_")] = {
                        key: self.values(value) for key, value in case.items()}
        return made


if __name__ == "__main__":
    compacter = Compacter(sys.argv.pop())
    cases = compacter.cases()
    json.dump({"blobs": compacter.blobs, "hashes": compacter.hashes, "cases": cases}, sys.stdout, indent=1)
    print()
