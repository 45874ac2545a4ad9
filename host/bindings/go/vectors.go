// SPDX-License-Identifier: Apache-2.0
package pail

/*
#include "bridge.h"
*/
import "C"

import (
	"context"
	"math/bits"
	"runtime"
)

// Element of the scalar field of a curve: little-endian, canonical.
type Element [C.PAIL_SCALAR_BYTES]byte

func (e *Element) copyTo(to *[C.PAIL_SCALAR_BYTES]C.uint8_t) {
	for i, one := range e {
		to[i] = C.uint8_t(one)
	}
}

// RootOfUnity is the root of order 2^logN that snarkjs and .zkey files use.
func RootOfUnity(curve Curve, logN int) (Element, error) {
	var root [C.PAIL_SCALAR_BYTES]C.uint8_t
	var made Element
	if logN < 0 || C.pail_root_of_unity(&root[0], C.uint32_t(curve), C.uint32_t(logN)) != C.PAIL_OK {
		return made, argument("curve %d has no root of unity of order 2^%d", curve, logN)
	}
	for i, one := range root {
		made[i] = byte(one)
	}
	return made, nil
}

// Vector is elements in the memory of a device.
type Vector struct {
	owned
	handle *C.pail_vector
	n      int
	curve  Curve
}

// NewVector makes a vector of n elements, all 0.
func (c *Context) NewVector(n int, curve Curve) (*Vector, error) {
	if n < 0 {
		return nil, argument("the length %d is below 0", n)
	}
	if err := c.use(); err != nil {
		return nil, err
	}
	defer c.lock.RUnlock()
	var why sentence
	made := &Vector{n: n, curve: curve}
	status := C.bridge_vector(&c.state.c, &made.handle, C.uint32_t(curve), C.uint64_t(n), why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	made.own(c.state.retain())
	runtime.SetFinalizer(made, (*Vector).Close)
	return made, nil
}

// Len is the number of elements.
func (v *Vector) Len() int { return v.n }

// Curve is whose scalar field the elements are of.
func (v *Vector) Curve() Curve { return v.curve }

// Close releases the vector. Work that was started with it goes on.
func (v *Vector) Close() error {
	runtime.SetFinalizer(v, nil)
	return v.end(func() { C.bridge_vector_close(&v.state.c, v.handle) })
}

// elementCount of memory from element `offset` of a vector on; whether they are in it is the library's to say.
func elementCount(elements []byte, offset int) (C.uint64_t, error) {
	if len(elements)%C.PAIL_SCALAR_BYTES != 0 {
		return 0, argument("elements have %d bytes, which is no multiple of 32", len(elements))
	}
	if offset < 0 {
		return 0, argument("the offset %d is below 0", offset)
	}
	return C.uint64_t(len(elements) / C.PAIL_SCALAR_BYTES), nil
}

// Write writes canonical elements, 32 bytes each, from the first on.
func (v *Vector) Write(elements []byte) error { return v.WriteAt(elements, 0, Canonical) }

// WriteAt writes elements from element `offset` on. ErrData where one is not below the order: the sentence has its index, and
// nothing is written.
func (v *Vector) WriteAt(elements []byte, offset int, encoding Encoding) error {
	n, err := elementCount(elements, offset)
	if err != nil {
		return err
	}
	if err := v.use(); err != nil {
		return err
	}
	defer v.lock.RUnlock()
	var why sentence
	return why.check(C.bridge_write(&v.state.c, v.handle, C.uint64_t(offset), at(elements), n, C.uint32_t(encoding), why.at()))
}

// Read reads all elements, canonical. It waits for earlier work that writes the vector.
func (v *Vector) Read() ([]byte, error) {
	elements := make([]byte, C.PAIL_SCALAR_BYTES*v.n)
	return elements, v.ReadAt(elements, 0, Canonical)
}

// ReadAt fills `elements` with those from element `offset` on.
func (v *Vector) ReadAt(elements []byte, offset int, encoding Encoding) error {
	n, err := elementCount(elements, offset)
	if err != nil {
		return err
	}
	if err := v.use(); err != nil {
		return err
	}
	defer v.lock.RUnlock()
	var why sentence
	return why.check(C.bridge_read(&v.state.c, v.handle, at(elements), C.uint64_t(offset), n, C.uint32_t(encoding), why.at()))
}

// NTT transforms all elements in place, with the root of RootOfUnity.
func (v *Vector) NTT() error { return v.transform(NTT(v, v)) }

// INTT is the inverse of NTT.
func (v *Vector) INTT() error { return v.transform(INTT(v, v)) }

func (v *Vector) transform(operation Operation) error {
	pending, err := start(v.state, nil, []Operation{operation})
	if err != nil {
		return err
	}
	return pending.Finish(context.Background())
}

// count is n, or the elements from offset on where n is below 0.
func (v *Vector) count(offset, n int) (int, error) {
	wanted := n
	if n < 0 {
		wanted = v.n - offset
	}
	if offset < 0 || offset > v.n || wanted > v.n-offset {
		if wanted < 0 {
			wanted = 0
		}
		return 0, argument("elements %d to %d + %d are not in the vector, which has %d", offset, offset, wanted, v.n)
	}
	return wanted, nil
}

// Matrix is a sparse matrix that is registered with a context. Immutable.
type Matrix struct {
	owned
	handle *C.pail_matrix
	rows   int
}

// NewMatrix registers a sparse matrix in compressed sparse row form: row i has the entries rowStarts[i] to rowStarts[i+1] - 1,
// which are columns and values, 32 bytes each.
func (c *Context) NewMatrix(rowStarts []uint64, columns []uint32, values []byte, nColumns int, curve Curve, encoding Encoding) (*Matrix, error) {
	if len(values)%C.PAIL_SCALAR_BYTES != 0 {
		return nil, argument("values have %d bytes, which is no multiple of 32", len(values))
	}
	if len(rowStarts) == 0 {
		return nil, argument("row_starts is empty; it has one number more than the matrix has rows")
	}
	n, last := len(values)/C.PAIL_SCALAR_BYTES, rowStarts[len(rowStarts)-1]
	if last != uint64(len(columns)) || last != uint64(n) {
		return nil, argument("row_starts ends with %d, and there are %d columns and %d values", last, len(columns), n)
	}
	if nColumns < 0 {
		return nil, argument("there are %d columns, which is below 0", nColumns)
	}
	if err := c.use(); err != nil {
		return nil, err
	}
	defer c.lock.RUnlock()
	var why sentence
	var firstColumn *C.uint32_t
	if len(columns) > 0 {
		firstColumn = (*C.uint32_t)(&columns[0])
	}
	made := &Matrix{rows: len(rowStarts) - 1}
	status := C.bridge_matrix(&c.state.c, &made.handle, C.uint32_t(curve), C.uint32_t(encoding), (*C.uint64_t)(&rowStarts[0]),
		C.uint64_t(made.rows), C.uint64_t(nColumns), firstColumn, at(values), why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	made.own(c.state.retain())
	runtime.SetFinalizer(made, (*Matrix).Close)
	return made, nil
}

// Rows is the number of rows.
func (m *Matrix) Rows() int { return m.rows }

// Close releases the matrix. Work that was started with it goes on.
func (m *Matrix) Close() error {
	runtime.SetFinalizer(m, nil)
	return m.end(func() { C.bridge_matrix_close(&m.state.c, m.handle) })
}

// Operation on vectors, made by NTT and the functions below; its fields are settings that may be changed. Unless stated
// otherwise it is element-wise. R may be an operand at the same offset, except in SpMV; otherwise no operand may overlap R.
type Operation struct {
	kind                               C.uint32_t
	R, A, B, C                         *Vector
	Matrix                             *Matrix
	ROffset, AOffset, BOffset, COffset int // first elements
	N                                  int // elements of R; below 0: all from ROffset on, or the rows of the matrix
	// Of transforms.
	LogN        int      // there are N / 2^LogN of them, one behind the other; below 0: one
	Root        *Element // of order 2^LogN; nil: RootOfUnity
	BitReversed bool     // the value at shift root^k has the index with the bits of k in reverse
	// Of transforms and Powers, and of Powers; nil: 1. Not 0.
	Shift, Scale *Element
}

func operation(kind C.uint32_t, r, a, b, c *Vector) Operation {
	return Operation{kind: kind, R: r, A: a, B: b, C: c, N: -1, LogN: -1}
}

// NTT is the number-theoretic transform: r[k] = the sum over j of a[j] (shift root^k)^j.
func NTT(r, a *Vector) Operation { return operation(C.PAIL_VECTOR_OP_NTT, r, a, nil, nil) }

// INTT is the inverse: from values at shift root^k to coefficients.
func INTT(r, a *Vector) Operation { return operation(C.PAIL_VECTOR_OP_INTT, r, a, nil, nil) }

// SpMV is r = matrix a: as many elements of r as the matrix has rows, and of a as it has columns.
func SpMV(r *Vector, matrix *Matrix, a *Vector) Operation {
	made := operation(C.PAIL_VECTOR_OP_SPMV, r, a, nil, nil)
	made.Matrix = matrix
	return made
}

// Add is r = a + b.
func Add(r, a, b *Vector) Operation { return operation(C.PAIL_VECTOR_OP_ADD, r, a, b, nil) }

// Sub is r = a - b.
func Sub(r, a, b *Vector) Operation { return operation(C.PAIL_VECTOR_OP_SUB, r, a, b, nil) }

// Mul is r = a b, element by element.
func Mul(r, a, b *Vector) Operation { return operation(C.PAIL_VECTOR_OP_MUL, r, a, b, nil) }

// MulSub is r = a b - c.
func MulSub(r, a, b, c *Vector) Operation { return operation(C.PAIL_VECTOR_OP_MUL_SUB, r, a, b, c) }

// Powers is r[i] = scale shift^i a[i].
func Powers(r, a *Vector) Operation { return operation(C.PAIL_VECTOR_OP_POWERS, r, a, nil, nil) }

// Copy is r = a.
func Copy(r, a *Vector) Operation { return operation(C.PAIL_VECTOR_OP_COPY, r, a, nil, nil) }

// operands are everything that Close must not release meanwhile; of one context, for other backends have other structs.
func (o *Operation) operands(s *state) ([]*owned, error) {
	var all []*owned
	if o.R == nil {
		return nil, argument("an operation has no R")
	}
	for _, vector := range []*Vector{o.R, o.A, o.B, o.C} {
		if vector != nil {
			all = append(all, &vector.owned)
		}
	}
	if o.Matrix != nil {
		all = append(all, &o.Matrix.owned)
	}
	for _, one := range all {
		if one.state != s {
			return nil, argument("an operand belongs to another context")
		}
	}
	return all, nil
}

func handleOf(vector *Vector) *C.pail_vector {
	if vector == nil {
		return nil
	}
	return vector.handle
}

// made is the operation as C has it; its operands are in use.
func (o *Operation) made() (C.pail_vector_op, error) {
	op := C.pail_vector_op{struct_size: C.sizeof_pail_vector_op, kind: o.kind, r: o.R.handle, a: handleOf(o.A), b: handleOf(o.B), c: handleOf(o.C)}
	if o.Matrix != nil {
		op.matrix = o.Matrix.handle
	}
	offsets := []struct {
		value int
		to    *C.uint64_t
	}{{o.ROffset, &op.r_offset}, {o.AOffset, &op.a_offset}, {o.BOffset, &op.b_offset}, {o.COffset, &op.c_offset}}
	for _, offset := range offsets {
		if offset.value < 0 {
			return op, argument("the offset %d is below 0", offset.value)
		}
		*offset.to = C.uint64_t(offset.value)
	}
	n := o.N
	if n < 0 && o.Matrix != nil {
		n = o.Matrix.rows
	}
	n, err := o.R.count(o.ROffset, n)
	if err != nil {
		return op, err
	}
	op.n = C.uint64_t(n)
	if o.BitReversed {
		op.flags = C.PAIL_VECTOR_OP_BIT_REVERSED
	}
	if o.kind == C.PAIL_VECTOR_OP_NTT || o.kind == C.PAIL_VECTOR_OP_INTT {
		logN := o.LogN
		if logN < 0 {
			if logN = bits.Len(uint(n)) - 1; n == 0 || n != 1<<logN {
				return op, argument("%d elements are no power of two; LogN gives the length of each of several transforms", n)
			}
		}
		root := o.Root
		if root == nil {
			found, err := RootOfUnity(o.R.curve, logN)
			if err != nil {
				return op, err
			}
			root = &found
		}
		op.log_n = C.uint32_t(logN)
		root.copyTo(&op.root)
	}
	for _, number := range []struct {
		value *Element
		to    *[C.PAIL_SCALAR_BYTES]C.uint8_t
		name  string
	}{{o.Shift, &op.shift, "Shift"}, {o.Scale, &op.scale, "Scale"}} {
		if number.value == nil {
			continue
		}
		if *number.value == (Element{}) { // which would stand for 1
			return op, argument("%s is 0", number.name)
		}
		number.value.copyTo(number.to)
	}
	return op, nil
}

// PendingOperations were started. Close abandons them: what they write holds its old contents, the results or zeros.
type PendingOperations struct {
	started
}

// Start starts operations on vectors; each sees the results of those before it. Vectors and matrices may be closed as soon as
// this returns.
func (c *Context) Start(operations ...Operation) (*PendingOperations, error) {
	return start(c.state, &c.owned, operations)
}

// start: c may be nil, for a vector keeps the context.
func start(s *state, c *owned, operations []Operation) (*PendingOperations, error) {
	var all []*owned
	if c != nil {
		all = append(all, c)
	}
	for i := range operations {
		operands, err := operations[i].operands(s)
		if err != nil {
			return nil, err
		}
		all = append(all, operands...)
	}
	release, err := useAll(all...)
	if err != nil {
		return nil, err
	}
	defer release()
	ops := make([]C.pail_vector_op, len(operations)+1) // there is a first one
	for i := range operations {
		if ops[i], err = operations[i].made(); err != nil {
			return nil, err
		}
	}
	var why sentence
	made := &PendingOperations{}
	status := C.bridge_operations(&s.c, &made.handle, &ops[0], C.size_t(len(operations)), why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	made.own(s.retain())
	runtime.SetFinalizer(made, (*PendingOperations).Close)
	return made, nil
}

// Run is Start, and waits for the end.
func (c *Context) Run(operations ...Operation) error {
	pending, err := c.Start(operations...)
	if err != nil {
		return err
	}
	return pending.Finish(context.Background())
}

// Finish waits for the end and closes. Where the operations failed, everything that they write is 0. Where ctx ends first, they
// are abandoned and ctx's error returned.
func (p *PendingOperations) Finish(ctx context.Context) error {
	var why sentence
	var status C.pail_status
	if err := p.finish(ctx, func() { status = C.bridge_operations_finish(&p.state.c, p.handle, why.at()) }); err != nil {
		return err
	}
	return why.check(status)
}

// Close abandons the operations, if they were not finished.
func (p *PendingOperations) Close() error {
	runtime.SetFinalizer(p, nil)
	return p.abandon()
}

// rangeOf n elements of a vector as scalars, both of which are in use where err is nil.
func (b *Bases) rangeOf(scalars *Vector, offset, scalarOffset, n int) (C.bridge_range, func(), error) {
	if offset < 0 {
		return C.bridge_range{}, nil, argument("the offset %d is below 0", offset)
	}
	if scalars.state != b.state {
		return C.bridge_range{}, nil, argument("the vector of scalars belongs to another context")
	}
	n, err := scalars.count(scalarOffset, n)
	if err != nil {
		return C.bridge_range{}, nil, err
	}
	release, err := useAll(&b.owned, &scalars.owned)
	return C.bridge_range{n: C.size_t(n), offset: C.size_t(offset), vector: scalars.handle, scalar_offset: C.uint64_t(scalarOffset)}, release, err
}

// MSMVector is the sum of scalars[scalarOffset + i] * bases[offset + i] over n elements of a vector; n below 0: up to its end.
func (b *Bases) MSMVector(scalars *Vector, offset, scalarOffset, n int) ([]byte, error) {
	of, release, err := b.rangeOf(scalars, offset, scalarOffset, n)
	if err != nil {
		return nil, err
	}
	defer release()
	return b.sum(nil, of)
}

// StartVector is the same in the background: the vector may be closed as soon as this returns.
func (b *Bases) StartVector(scalars *Vector, offset, scalarOffset, n int) (*Pending, error) {
	of, release, err := b.rangeOf(scalars, offset, scalarOffset, n)
	if err != nil {
		return nil, err
	}
	defer release()
	return b.begin(nil, of)
}
