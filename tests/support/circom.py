# SPDX-License-Identifier: Apache-2.0
"""Modules of WebAssembly as circom writes them, for tests."""

LOOP = b"\x03\x40\x0c\x00\x0b\x0b"  # of WebAssembly: for ever


def number(n):
    """An unsigned number in LEB128."""
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + number(n >> 7)


def section(kind, items):
    body = number(len(items)) + b"".join(items)
    return bytes([kind]) + number(len(body)) + body


def module(init=b"\x0b", pages=1, most=None, shared=None, **bodies):
    """A circuit with the functions of circom and no signals, over a field of 8 words that are 1. shared: the address of words that it
    shares, in a memory that it exports. bodies: of its functions."""
    kinds = {"": b"\x60\0\0", "r": b"\x60\0\x01\x7f", "i": b"\x60\x01\x7f\0", "iii": b"\x60\x03\x7f\x7f\x7f\0",
             "ir": b"\x60\x01\x7f\x01\x7f", "ii": b"\x60\x02\x7f\x7f\0"}
    one = b"\x41\x01\x0b"
    functions = {"getVersion": ("r", b"\x41\x02\x0b"), "init": ("i", init), "getFieldNumLen32": ("r", b"\x41\x08\x0b"),
                 "getRawPrime": ("", b"\x0b"), "getWitnessSize": ("r", one), "getWitness": ("i", b"\x0b"),
                 "setInputSignal": ("iii", b"\x0b"), "readSharedRWMemory": ("ir", one), "writeSharedRWMemory": ("ii", b"\x0b")}
    if shared is not None:
        functions["getSharedRWMemoryStart"] = ("r", b"\x41" + number(shared) + b"\x0b")
    functions.update((name, (functions[name][0], body)) for name, body in bodies.items())
    exports = [number(len(name)) + name.encode() + b"\0" + number(i) for i, name in enumerate(functions)]
    if shared is not None:
        exports.append(b"\6memory\2\0")
    limits = number(pages) if most is None else number(pages) + number(most)
    return (b"\0asm\1\0\0\0" + section(1, list(kinds.values()))
            + section(3, [number(list(kinds).index(kind)) for kind, _ in functions.values()])
            + section(5, [(b"\0" if most is None else b"\1") + limits]) + section(7, exports)
            + section(10, [number(len(body) + 1) + b"\0" + body for _, body in functions.values()]))
