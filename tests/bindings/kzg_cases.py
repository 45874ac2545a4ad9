# SPDX-License-Identifier: Apache-2.0
"""KZG from Python."""

import gc
import hashlib
import sys
import threading

from support import DATA, SETUP, kzg_lines, made_blob

try:
    import numpy
except ImportError:
    numpy = None

SMALL = DATA / "eip-4844/trusted_setup.txt"  # of 8 points, whose cells cannot be verified
SMALL_BLOB = b"".join((i * i + 3).to_bytes(32, "big") for i in range(8))


def digest(parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()


class Cases:
    """Tests of a class with `context`, `raises` and `closed_in`."""

    @classmethod
    def mainnet(cls):
        """The ceremony's setup, once."""
        if not hasattr(cls, "settings"):
            cls.settings = sys.modules["pail.kzg"].load_trusted_setup(SETUP, 0, cls.context)
        return cls.settings

    def test_kzg_golden(self):
        """What c-kzg computes, at once and in the background."""
        kzg, settings = sys.modules["pail.kzg"], self.mainnet()

        def started(function, *arguments):
            scratch = [bytearray(one) if isinstance(one, bytes) else one for one in arguments]
            with kzg.start(function, *scratch) as job:
                for one in scratch:
                    if isinstance(one, bytearray):
                        one.clear()  # nothing holds it any more
                while not job.wait(1):
                    pass
                self.assertTrue(job.ready())
                return job.finish()

        blobs, points = [made_blob(number) for number in (0, 1)], []
        self.assertEqual((settings.n, settings.cell_elements, settings.n_cells), (4096, 64, 128))
        for run in (lambda function, *arguments: function(*arguments), started):
            for blob, (_, z, _, *expected) in zip(blobs, kzg_lines()):
                commitment, proof, y, blob_proof = (bytes.fromhex(value) for value in expected[:4])
                points.append((commitment, blob_proof))
                self.assertEqual(run(kzg.blob_to_kzg_commitment, blob, settings), commitment)
                self.assertEqual(run(kzg.compute_kzg_proof, blob, bytes.fromhex(z), settings), (proof, y))
                self.assertEqual(run(kzg.compute_blob_kzg_proof, blob, commitment, settings), blob_proof)
                self.assertIs(run(kzg.verify_kzg_proof, commitment, bytes.fromhex(z), y, proof, settings), True)
                self.assertIs(run(kzg.verify_kzg_proof, commitment, y, y, proof, settings), False)
                self.assertIs(run(kzg.verify_blob_kzg_proof, blob, commitment, blob_proof, settings), True)
                self.assertIs(run(kzg.verify_blob_kzg_proof, blob, commitment, proof, settings), False)
            cells, proofs = run(kzg.compute_cells_and_kzg_proofs, blobs[1], settings)
            self.assertEqual([len(cells), digest(cells), len(proofs), digest(proofs)], [128, expected[4], 128, expected[5]])
            self.assertEqual(run(kzg.compute_cells, blobs[1], settings), cells)
            odd = range(1, 128, 2)
            self.assertEqual(run(kzg.recover_cells_and_kzg_proofs, odd, [cells[i] for i in odd], settings), (cells, proofs))
            some = [3, 90, 127]
            claim = [3 * [commitment], some, [cells[i] for i in some], [proofs[i] for i in some], settings]
            self.assertIs(run(kzg.verify_cell_kzg_proof_batch, *claim), True)
            self.assertIs(run(kzg.verify_cell_kzg_proof_batch, claim[0], [4, 90, 127], *claim[2:]), False)
        all_blobs, commitments, proofs = b"".join(blobs), *(b"".join(one) for one in zip(*points[:2]))
        self.assertIs(kzg.verify_blob_kzg_proof_batch(all_blobs, commitments, proofs, settings), True)
        self.assertIs(kzg.verify_blob_kzg_proof_batch(blobs[::-1], commitments, proofs, settings), False)
        self.assertIs(kzg.verify_blob_kzg_proof_batch([], [], [], settings), True)
        cells, proofs = kzg.compute_cells_and_kzg_proofs_batch(all_blobs, settings)
        self.assertEqual([digest([cells[i << 18:i + 1 << 18]]) for i in (0, 1)], [line[-2] for line in kzg_lines()])
        self.assertEqual([digest([proofs[i * 6144:(i + 1) * 6144]]) for i in (0, 1)], [line[-1] for line in kzg_lines()])

    def test_kzg_buffers(self):
        """Outputs in the caller's arrays, which failures zero; arguments of any class with a buffer."""
        kzg = sys.modules["pail.kzg"]
        with kzg.load_trusted_setup(SMALL.read_bytes(), 1, self.context) as settings:
            cells, proofs = bytearray(2 * 2 * 256), bytearray(2 * 2 * 48)
            made = kzg.compute_cells_and_kzg_proofs_batch(memoryview(2 * SMALL_BLOB), settings, cells=cells, proofs=proofs)
            self.assertTrue(made[0] is cells and made[1] is proofs)
            self.assertEqual(cells[:256], SMALL_BLOB)
            self.assertEqual(cells[:512], cells[512:])
            self.assertEqual(kzg.compute_cells_and_kzg_proofs(SMALL_BLOB, settings), ([cells[:256], cells[256:512]], [proofs[:48], proofs[48:96]]))
            self.assertEqual(kzg.recover_cells_and_kzg_proofs([1], cells[256:512], settings)[0][0], SMALL_BLOB)
            above = SMALL_BLOB[:-32] + 32 * b"\xff"
            self.raises(ValueError, "PAIL_ERR_DATA", "7", lambda: kzg.compute_cells_and_kzg_proofs_batch(2 * above, settings, cells=cells, proofs=proofs))
            self.assertFalse(any(cells) or any(proofs))
            self.assertRaises(BufferError, kzg.compute_cells_and_kzg_proofs_batch, 2 * SMALL_BLOB, settings, bytes(1024), proofs)
            cells.clear(), proofs.clear()  # nothing holds them
            if numpy:
                blobs = numpy.frombuffer(2 * SMALL_BLOB, dtype=numpy.uint8).reshape(2, 256)
                cells, proofs = numpy.zeros((2, 2, 256), dtype=numpy.uint8), numpy.zeros((2, 2, 48), dtype=numpy.uint8)
                kzg.compute_cells_and_kzg_proofs_batch(blobs, settings, cells, proofs)
                self.assertTrue((cells[:, 0] == blobs).all() and (cells[0] == cells[1]).all() and proofs.any())
                commitment = kzg.blob_to_kzg_commitment(blobs[1], settings)
                self.assertTrue(kzg.verify_blob_kzg_proof_batch(blobs, 2 * commitment, 2 * kzg.compute_blob_kzg_proof(blobs[0], commitment, settings), settings))
                self.assertRaises((BufferError, ValueError), kzg.blob_to_kzg_commitment, blobs[:, ::2], settings)
            self.assertEqual(kzg.blob_to_kzg_commitment(blob=SMALL_BLOB, settings=settings), kzg.blob_to_kzg_commitment(bytearray(SMALL_BLOB), settings))

    def test_kzg_refusals(self):
        pail, kzg = sys.modules["pail"], sys.modules["pail.kzg"]
        settings = kzg.load_trusted_setup(str(SMALL), context=self.context)
        point, cell = bytes(48), bytes(256)
        calls = [("blob has 255 bytes, and is to have 256", kzg.blob_to_kzg_commitment, SMALL_BLOB[1:]),
                 ("z has 31 bytes, and is to have 32", kzg.compute_kzg_proof, SMALL_BLOB, bytes(31)),
                 ("commitment has 49 bytes, and is to have 48", kzg.compute_blob_kzg_proof, SMALL_BLOB, bytes(49)),
                 ("proof has 0 bytes, and is to have 48", kzg.verify_kzg_proof, point, bytes(32), bytes(32), b""),
                 ("blobs have 257 bytes, which is no multiple of 256", kzg.verify_blob_kzg_proof_batch, SMALL_BLOB + b"x", point, point),
                 ("blobs[1] has 1 bytes, and is to have 256", kzg.verify_blob_kzg_proof_batch, [SMALL_BLOB, b"x"], 2 * point, 2 * point),
                 ("there are 1 proofs, but 2 blobs", kzg.verify_blob_kzg_proof_batch, 2 * SMALL_BLOB, 2 * point, point),
                 ("there are 1 cells, but 2 cell indices", kzg.recover_cells_and_kzg_proofs, [0, 1], [cell]),
                 ("the cell index -1 is not within", kzg.recover_cells_and_kzg_proofs, [-1], [cell])]
        for sentence, function, *arguments in calls:
            for run in (function, lambda *given, of=function: kzg.start(of, *given)):
                self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", sentence, lambda: run(*arguments, settings))
        self.raises(pail.BadData, "PAIL_ERR_DATA", "0 cells", lambda: kzg.recover_cells_and_kzg_proofs([], [], settings))
        self.raises(pail.BadData, "PAIL_ERR_DATA", "2", lambda: kzg.recover_cells_and_kzg_proofs([2], [cell], settings))
        self.raises(pail.BadData, "PAIL_ERR_DATA", "", lambda: kzg.verify_blob_kzg_proof(SMALL_BLOB, point, point, settings))
        self.raises(pail.Unsupported, "PAIL_ERR_UNSUPPORTED", "G2", lambda: kzg.verify_cell_kzg_proof_batch(point, [0], cell, point, settings))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "no function", lambda: kzg.start(kzg.load_trusted_setup, SMALL))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "precompute is 16", lambda: kzg.load_trusted_setup(SMALL, 16, self.context))
        self.raises(pail.MachineError, "PAIL_ERR_IO", "/nowhere", lambda: kzg.load_trusted_setup("/nowhere", 0, self.context))
        self.raises(pail.BadData, "PAIL_ERR_DATA", "", lambda: kzg.load_trusted_setup(b"8 3", 0, self.context))
        for index in (0.9, "0"):
            self.assertRaises(TypeError, kzg.recover_cells_and_kzg_proofs, [index], [cell], settings)
        self.assertRaises(TypeError, kzg.blob_to_kzg_commitment, "text", settings)
        self.assertRaises(TypeError, kzg.blob_to_kzg_commitment, SMALL_BLOB, SMALL)

    def test_kzg_lifetimes(self):
        """Jobs go on without their setup and context; those that are dropped end; a call goes on while all is closed."""
        pail, kzg = sys.modules["pail"], sys.modules["pail.kzg"]
        context = pail.Context("cpu", threads=1)
        settings = kzg.load_trusted_setup(SMALL, context=context)
        expected = kzg.compute_cells(SMALL_BLOB, settings)
        job, dropped = kzg.start(kzg.compute_cells, SMALL_BLOB, settings), kzg.start(kzg.compute_cells, SMALL_BLOB, settings)
        del dropped
        settings.close(), context.close(), context.close()
        blob = bytearray(SMALL_BLOB)
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", lambda: kzg.compute_cells(blob, settings))
        blob.clear()  # nothing holds it
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", lambda: kzg.start(kzg.compute_cells, SMALL_BLOB, settings))
        self.assertEqual(job.finish(), expected)
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", job.finish)
        calls = [("pail_kzg_run", lambda c, s, j: kzg.compute_cells(SMALL_BLOB, s) == expected),
                 ("pail_kzg_start", lambda c, s, j: kzg.start(kzg.compute_cells, SMALL_BLOB, s).finish() == expected),
                 ("pail_kzg_open", lambda c, s, j: kzg.load_trusted_setup(SMALL, context=c).n == 8),
                 ("pail_kzg_wait", lambda c, s, j: j.wait(60)), ("pail_kzg_finish", lambda c, s, j: j.finish() == expected)]
        for function, call in calls:
            with self.subTest(function):
                context = pail.Context("cpu", threads=1)
                settings = kzg.load_trusted_setup(SMALL, context=context)
                objects = (context, settings, kzg.start(kzg.compute_cells, SMALL_BLOB, settings))
                self.closed_in(objects, pail._library, function, call)
        del objects, settings, context
        gc.collect()

    def test_kzg_threads(self):
        """Several threads use one setup, and sentences are those of their own calls."""
        kzg, wrong = sys.modules["pail.kzg"], []
        settings = kzg.load_trusted_setup(SMALL, context=self.context)
        expected = kzg.compute_cells_and_kzg_proofs(SMALL_BLOB, settings)

        def work(number):
            for i in range(20):
                if kzg.compute_cells_and_kzg_proofs(SMALL_BLOB, settings) != expected:
                    wrong.append("cells")
                bad = SMALL_BLOB[:32 * number] + 32 * b"\xff" + SMALL_BLOB[32 * number + 32:]
                try:
                    kzg.start(kzg.compute_cells, bad, settings).finish() if i % 2 else kzg.compute_cells(bad, settings)
                except ValueError as error:
                    if f"{number}" not in str(error):
                        wrong.append(str(error))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
