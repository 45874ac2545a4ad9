# SPDX-License-Identifier: Apache-2.0
"""Sizes of history stacks from Python."""

import array
import gc
import sys


class Cases:
    """Tests of a class with `context` and `raises`."""

    def test_stacks(self):
        """Sizes over arrays in place, with and without strides: tracked, untracked, of several tasks."""
        pail, adstack = sys.modules["pail"], sys.modules["pail.adstack"]
        starts, i = adstack.Array("i32"), adstack.Variable()
        longest = adstack.max_over(i, 0, starts.shape(0) - 1, starts[i + 1] - starts[i])
        positive = adstack.sum_over(i, 0, starts.shape(0), adstack.where_positive(starts[i], 1, 0))
        tasks = [adstack.Task([adstack.Stack(longest, element_bytes=8)], unit=adstack.BYTES),
                 adstack.Task([adstack.Stack(12, heap=adstack.INT), adstack.Stack(longest), adstack.Stack(positive, heap=adstack.ROWS)], index=1)]
        given = array.array("i", [0, 3, 3, 10])
        with adstack.Kernel(self.context, "rows", tasks) as kernel:
            self.assertEqual(len(set(kernel.ids)), 2)
            first, second = kernel.size({starts: given}, threads=[3, 100])
            self.assertEqual((first.id, first.heap_float, first.metadata), (kernel.ids[0], 7 * 16 * 3, [112, 0, 0, 7, 0]))
            self.assertEqual(first.stacks, [(7, 0, 7, "host")])
            self.assertEqual((second.heap_float, second.heap_int), (7 * 8 * 3, 12 * 4 * 100))  # three starts are above 0
            self.assertEqual([stack[2:] for stack in second.stacks], [(12, "constant"), (7, "host"), (3, "host")])
            self.assertEqual(len(second.metadata), 7)
            self.assertEqual(kernel.size({starts: given}, threads=3, rows=[None, 5])[1].heap_float, 7 * 8 * 5)
            claims = adstack.sum_over(i, 0, starts.shape(0), adstack.maximum(starts[i], 1)) * 2
            task = adstack.Task([adstack.Stack(longest), adstack.Stack(claims, heap=adstack.FLOAT_CLAIMS)])
            with adstack.Kernel(self.context, "claims", [task]) as claiming:
                claimed, = claiming.size({starts: given}, threads=4)
                self.assertEqual((claimed.layout, claimed.heap_float, claimed.rows_float), (adstack.CLAIMED, 4 * 2 * 17, 7 * 8 * 4))
                self.assertEqual(claimed.metadata, [14, 0, 0, 7, 0, 2, 0, 34, 0, 0])
                for given_by in [{"layout": adstack.IN_ROWS}, {"times": (100, 165)}]:
                    in_rows, = claiming.size({starts: given}, threads=4, **given_by)
                    self.assertEqual((in_rows.layout, in_rows.heap_float), (adstack.IN_ROWS, 7 * 8 * 4))
            tracked = adstack.Tracked(given)
            origins = []
            for _ in range(3):
                origins.append(kernel.size({starts: tracked}, threads=3)[0].stacks[0][2:])
                if len(origins) == 2:
                    given[3] = 40
                    tracked.written()
            self.assertEqual(origins, [(7, "host"), (7, "cached"), (37, "host")])
            wide = memoryview(array.array("i", [0, 9, 1, 9, 50, 9]))[::2]
            self.assertEqual(kernel.size({starts: wide}, threads=3)[0].stacks[0].raw, 49)
            for given, text in [({}, "array 0 of the kernel, of 'i32', is not given"),
                                ({starts: array.array("h", [1])}, "1 axes of elements 'i16', and the kernel reads 1 of 'i32'"),
                                ({starts: memoryview(bytes(16)).cast("i", (2, 2))}, "has 2 axes"),
                                ({starts: wide, adstack.Array(): wide}, "in no stack")]:
                self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", text, lambda given=given: kernel.size(given, threads=3))
            self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "of 3 and 2 tasks", lambda: kernel.size({starts: wide}, threads=[1, 2, 3]))
            self.raises(pail.MachineError, "PAIL_ERR_STOPPED", "max_cells", lambda: kernel.size({starts: wide}, threads=3, max_cells=1))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "is closed", lambda: kernel.size({starts: wide}, threads=3))
        self.raises(pail.BadData, "PAIL_ERR_DATA", "task 0, stack 0 cannot be sized", lambda: adstack.Kernel(
            self.context, "far", [adstack.Task([adstack.Stack(starts[9])])]).size({starts: wide}, threads=1))
        beyond = [adstack.Task([adstack.Stack(adstack.max_over(i, 0, 99, starts[i]))])]
        with adstack.Kernel(self.context, "beyond", beyond, clamp_ranges=True) as kernel:
            self.assertEqual(kernel.size({starts: wide}, threads=1)[0].stacks[0].raw, 50)
        self.raises(pail.BadData, "PAIL_ERR_DATA", "outside", lambda: adstack.Kernel(self.context, "beyond", beyond).size({starts: wide}, threads=1))
        doubled = [adstack.Task([adstack.Stack(longest + (2**63 - 1) - (2**63 - 3))])]
        with adstack.Kernel(self.context, "doubled", doubled, wrap_arithmetic=True) as kernel:
            self.assertEqual(kernel.size({starts: wide}, threads=1)[0].stacks[0].raw, 51)
        self.raises(pail.BadData, "PAIL_ERR_DATA", "64 bits", lambda: adstack.Kernel(self.context, "doubled", doubled).size({starts: wide}, threads=1))
        self.raises(pail.BadData, "PAIL_ERR_DATA", "variable", lambda: adstack.Kernel(self.context, "free", [adstack.Task([adstack.Stack(i + 1)])]))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "unit is 2", lambda: adstack.Task([], unit=2))
        for wrong in (lambda: adstack.maximum(1.5, i), lambda: adstack.Stack(2.5), lambda: starts + 1, lambda: longest + "1", lambda: adstack.max_over(1, 0, 1, i)):
            self.assertRaises(TypeError, wrong)
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "does not fit 64 bits", lambda: longest + 2**63)
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "one of i8,", lambda: adstack.Array("f32"))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "1 indices of an array with 2 axes", lambda: adstack.Array("i32", 2)[i])

    def test_stacks_of_other_devices(self):
        """Arrays that come by a callable: once for each write, in the bytes that are read; what it raises is the cause."""
        pail, adstack = sys.modules["pail"], sys.modules["pail.adstack"]
        numbers, i, copied = adstack.Array("i32", 2), adstack.Variable(), []
        device = array.array("i", [3, 7, -1, 12, 5, 2])

        def fetch(memory, offset):
            copied.append((offset, len(memory)))
            memory[:] = device.tobytes()[offset:offset + len(memory)]

        row = adstack.max_over(i, 0, numbers.shape(1), numbers[1, i])
        with adstack.Kernel(self.context, "far", [adstack.Task([adstack.Stack(row)])]) as kernel:
            far = adstack.Foreign(fetch, (2, 3))
            for written, n in [(12, 1), (12, 1), (40, 2)]:
                if device[3] != written:
                    device[3] = written
                    far.written()
                self.assertEqual(kernel.size({numbers: far}, threads=1)[0].stacks[0].raw, written)
                self.assertEqual(len(copied), n)
            self.assertTrue(all(offset + n <= 24 and n >= 12 for offset, n in copied))
            columns = adstack.Foreign(fetch, (3, 2), strides=(4, 12))  # the other way round: [1, i] is 7, 5
            self.assertEqual(kernel.size({numbers: columns}, threads=1)[0].stacks[0].raw, 7)
            self.assertEqual(kernel.size({numbers: adstack.Foreign(fetch, (2, 0))}, threads=1)[0].stacks[0].raw, 0)

            def fail(memory, offset):
                raise OverflowError("the device is gone")

            kept = []
            for broken, cause in [(fail, OverflowError), (lambda memory, offset: kept.append(memory[:1]), BufferError)]:
                with self.assertRaises(pail.MachineError) as raised:
                    kernel.size({numbers: adstack.Foreign(broken, (2, 3))}, threads=1)
                self.assertEqual(raised.exception.status, "PAIL_ERR_IO")
                self.assertIsInstance(raised.exception.__cause__, cause)
            self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "1 axes, and the kernel reads 2",
                        lambda: kernel.size({numbers: adstack.Foreign(fetch, (6,))}, threads=1))
            self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "beyond 64 bits",
                        lambda: kernel.size({numbers: adstack.Foreign(fetch, (2**62, 8))}, threads=1))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "1 strides of an array with 2 axes", lambda: adstack.Foreign(fetch, (2, 3), (4,)))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "an extent -1", lambda: adstack.Foreign(fetch, (-1,)))

    def test_stacks_forgotten(self):
        """An array that is gone is forgotten by the contexts that saw it."""
        adstack = sys.modules["pail.adstack"]
        numbers, i, forgotten = adstack.Array("i32"), adstack.Variable(), []
        with adstack.Kernel(self.context, "largest", [adstack.Task([adstack.Stack(adstack.max_over(i, 0, numbers.shape(0), numbers[i]))])]) as kernel:
            forget = self.context._table.adstack_forget
            self.context._table.adstack_forget = lambda context, identity: (forgotten.append(identity), forget(context, identity))
            try:
                for _ in range(3):
                    tracked = adstack.Tracked(array.array("i", [3, 7]))
                    self.assertEqual(kernel.size({numbers: tracked}, threads=1)[0].stacks[0].capacity, 7)
                    last = tracked._identity
                    del tracked
                    gc.collect()
                    self.assertEqual(forgotten[-1:], [last])
            finally:
                self.context._table.adstack_forget = forget
        self.assertEqual(len(forgotten), 3)

    def test_stacks_by_the_book(self):
        """Every operator against Python's own arithmetic, and a long chain of them."""
        pail, adstack = sys.modules["pail"], sys.modules["pail.adstack"]
        a, b, i, j = adstack.Array("i64"), adstack.Array("u8", 2), adstack.Variable(), adstack.Variable()
        values, matrix = [5, -7, 0, 2**40], [[1, 200, 3], [4, 5, 60]]
        given = {a: array.array("q", values), b: memoryview(bytes(sum(matrix, []))).cast("B", (2, 3))}
        chain, expected = a[0], values[0]
        for n in range(3000):
            chain, expected = chain + n, expected + n
        x, y = a[1], a[3]
        cases = [(x + y, values[1] + values[3]), (3 - x, 10), (x - 3, 0), (a[0] * x, -35), (x // 2, -4), (x % 4, 1), (100 // a[0], 20),
                 (103 % a[0], 3), (2 * y + 1, 2**41 + 1), (adstack.maximum(x, -9), -7), (adstack.minimum(x, -9), -9),
                 (adstack.where_positive(x, a[99], 4), 4), (chain, expected), (b.shape(1) * 10 + b.shape(0), 32), (b[1, a[2]], 4),
                 (adstack.sum_over(i, 0, b.shape(0), adstack.max_over(j, i, b.shape(1), b[i, j])), 260),
                 (adstack.max_over(i, 0, 4, i * i), 9)]
        with adstack.Kernel(self.context, "book", [adstack.Task([adstack.Stack(value) for value, _ in cases])]) as kernel:
            sizes = kernel.size(given, threads=1)[0].stacks
            self.assertEqual([size.raw for size in sizes], [number for _, number in cases])
