// SPDX-License-Identifier: Apache-2.0
package pail

/*
#include "kzg.h"
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// KZGOperation is what a KZGRequest asks for.
type KZGOperation uint32

const (
	// KZGCommit: Commitments to Blobs.
	KZGCommit KZGOperation = C.PAIL_KZG_COMMIT
	// KZGProve: Proofs that the polynomials of Blobs have Values at Points, and those Values.
	KZGProve KZGOperation = C.PAIL_KZG_PROVE
	// KZGProveBlob: Proofs of Blobs at points that EIP-4844 derives from them and Commitments.
	KZGProveBlob KZGOperation = C.PAIL_KZG_PROVE_BLOB
	// KZGVerify: Valid, if by Proofs the polynomials of Commitments have Values at Points.
	KZGVerify KZGOperation = C.PAIL_KZG_VERIFY
	// KZGVerifyBlobs: Valid, if by Proofs of KZGProveBlob Blobs have Commitments.
	KZGVerifyBlobs KZGOperation = C.PAIL_KZG_VERIFY_BLOBS
	// KZGCells: Cells of Blobs, and their Proofs.
	KZGCells KZGOperation = C.PAIL_KZG_CELLS
	// KZGRecover: the same from half of the Cells or more: blob i has Indices and Cells from Starts[i] to Starts[i + 1] - 1.
	KZGRecover KZGOperation = C.PAIL_KZG_RECOVER
	// KZGVerifyCells: Valid, if by Proofs the Cells of Indices are those of blobs of Commitments.
	KZGVerifyCells KZGOperation = C.PAIL_KZG_VERIFY_CELLS
)

// KZGRequest has the arguments of an operation, packed one after another; what the operation does not name is not read.
type KZGRequest struct {
	Operation                                         KZGOperation
	Blobs, Commitments, Points, Values, Proofs, Cells []byte
	Starts, Indices                                   []uint64
	CellsAlone                                        bool // of KZGCells and KZGRecover: without proofs
}

// KZGResult has the results of an operation; the others are nil.
type KZGResult struct {
	Valid                              bool
	Commitments, Values, Proofs, Cells []byte
}

// KZGSizes are bytes of what a setup is for.
type KZGSizes struct{ Blob, Scalar, Point, Cell, CellsPerBlob int }

// KZGOptions of a setup; zero is the default.
type KZGOptions struct {
	MemoryBudget uint64 // most bytes of tables and points; 0: 160 MiB
	Trusted      bool   // leaves out checks of the points' order and of their secret
}

// KZG is an opened setup.
type KZG struct {
	owned
	setup *kzgSetup
	sizes KZGSizes
}

// kzgSetup is counted: it goes with the last job that needs it.
type kzgSetup struct {
	handle *C.pail_kzg
	users  int64
}

func (s *kzgSetup) release() {
	if atomic.AddInt64(&s.users, -1) == 0 {
		C.bridge_kzg_close(s.handle)
	}
}

// OpenKZG opens and checks a setup, a text file as c-kzg-4844 has it; options may be nil.
func (c *Context) OpenKZG(path string, options *KZGOptions) (*KZG, error) {
	name, err := cString(path, "the path")
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	return c.kzg(name, nil, options)
}

// NewKZG opens the text of such a file.
func (c *Context) NewKZG(setup []byte, options *KZGOptions) (*KZG, error) {
	if len(setup) == 0 {
		return nil, argument("the setup has no bytes")
	}
	return c.kzg(nil, setup, options)
}

func (c *Context) kzg(path *C.char, setup []byte, options *KZGOptions) (*KZG, error) {
	if options == nil {
		options = &KZGOptions{}
	}
	if err := c.use(); err != nil {
		return nil, err
	}
	defer c.lock.RUnlock()
	var why sentence
	var info C.pail_kzg_info
	trusted := C.uint32_t(0)
	if options.Trusted {
		trusted = 1
	}
	made := &KZG{setup: &kzgSetup{users: 1}}
	status := C.bridge_kzg_open(&c.state.c, &made.setup.handle, &info, path, at(setup), C.uint64_t(len(setup)),
		C.uint64_t(options.MemoryBudget), trusted, why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	scalar := int(info.scalar_bytes)
	made.sizes = KZGSizes{Blob: int(info.n) * scalar, Scalar: scalar, Point: int(info.point_bytes),
		Cell: int(info.cell_elements) * scalar, CellsPerBlob: int(info.n_cells)}
	made.own(c.state.retain())
	runtime.SetFinalizer(made, (*KZG).Close)
	return made, nil
}

// Sizes of blobs, cells and the rest.
func (k *KZG) Sizes() KZGSizes { return k.sizes }

// Close releases the setup. Work that was started with it goes on.
func (k *KZG) Close() error {
	runtime.SetFinalizer(k, nil)
	return k.end(func() { k.setup.release() })
}

// inputs has the numbers of a request, which are checked: C reads as much as they say.
func (k *KZG) inputs(r *KZGRequest) (C.bridge_kzg_operation, error) {
	type array struct {
		name  string
		bytes []byte
		each  int
	}
	s := k.sizes
	blobs, commitments := array{"Blobs", r.Blobs, s.Blob}, array{"Commitments", r.Commitments, s.Point}
	points, values := array{"Points", r.Points, s.Scalar}, array{"Values", r.Values, s.Scalar}
	proofs, cells := array{"Proofs", r.Proofs, s.Point}, array{"Cells", r.Cells, s.Cell}
	read := map[KZGOperation][]array{
		KZGCommit: {blobs}, KZGProve: {blobs, points}, KZGProveBlob: {blobs, commitments},
		KZGVerify: {commitments, points, values, proofs}, KZGVerifyBlobs: {blobs, commitments, proofs}, KZGCells: {blobs},
		KZGRecover: {cells}, KZGVerifyCells: {commitments, cells, proofs},
	}[r.Operation]
	of := C.bridge_kzg_operation{operation: C.uint32_t(r.Operation)}
	if read == nil {
		return of, argument("there is no operation %d of KZG", r.Operation)
	}
	if r.CellsAlone {
		of.want = C.PAIL_KZG_WANT_CELLS
	}
	n := -1
	for _, one := range read {
		if len(one.bytes)%one.each != 0 {
			return of, argument("%s have %d bytes, which is no multiple of %d", one.name, len(one.bytes), one.each)
		}
		if n >= 0 && n != len(one.bytes)/one.each {
			return of, argument("there are %d %s, but %d %s", len(one.bytes)/one.each, one.name, n, read[0].name)
		}
		n = len(one.bytes) / one.each
	}
	if r.Operation == KZGRecover || r.Operation == KZGVerifyCells {
		if len(r.Indices) != n {
			return of, argument("there are %d Indices, but %d %s", len(r.Indices), n, read[0].name)
		}
	}
	if r.Operation == KZGRecover {
		if len(r.Starts) == 0 || r.Starts[len(r.Starts)-1] != uint64(n) {
			return of, argument("Starts do not end with %d, the number of cells", n)
		}
		n = len(r.Starts) - 1
	}
	of.n = C.uint64_t(n)
	return of, nil
}

// prepare checks a request, and holds the lock for reading if there is no error.
func (k *KZG) prepare(r *KZGRequest) (C.bridge_kzg_operation, error) {
	if err := k.use(); err != nil {
		return C.bridge_kzg_operation{}, err
	}
	of, err := k.inputs(r)
	if err != nil {
		k.lock.RUnlock()
	}
	return of, err
}

// result has room for what the operation makes.
func (k *KZG) result(of C.bridge_kzg_operation) *KZGResult {
	made, n, s := &KZGResult{}, int(of.n), k.sizes
	switch KZGOperation(of.operation) {
	case KZGCommit:
		made.Commitments = make([]byte, n*s.Point)
	case KZGProve:
		made.Values = make([]byte, n*s.Scalar)
		made.Proofs = make([]byte, n*s.Point)
	case KZGProveBlob:
		made.Proofs = make([]byte, n*s.Point)
	case KZGCells, KZGRecover:
		made.Cells = make([]byte, n*s.CellsPerBlob*s.Cell)
		if of.want == 0 {
			made.Proofs = make([]byte, n*s.CellsPerBlob*s.Point)
		}
	}
	return made
}

func integers(from []uint64) *C.uint64_t {
	if len(from) == 0 {
		return nil
	}
	return (*C.uint64_t)(&from[0])
}

// Run carries an operation out in the calling thread, with those of the setup.
func (k *KZG) Run(r KZGRequest) (*KZGResult, error) {
	of, err := k.prepare(&r)
	if err != nil {
		return nil, err
	}
	defer k.lock.RUnlock()
	var why sentence
	var valid C.uint32_t
	made := k.result(of)
	status := C.bridge_kzg_run(k.setup.handle, of, at(r.Blobs), at(r.Commitments), at(r.Points), at(r.Values), at(r.Proofs),
		integers(r.Starts), integers(r.Indices), at(r.Cells), &valid, at(made.Commitments), at(made.Values), at(made.Proofs),
		at(made.Cells), why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	made.Valid = valid == 1
	return made, nil
}

// kzgJob keeps its setup.
type kzgJob struct {
	setup  *kzgSetup
	handle *C.pail_kzg_job
}

func (j *kzgJob) wait(timeout time.Duration) bool {
	return C.bridge_kzg_wait(j.handle, C.uint64_t(timeout.Nanoseconds())) != 0
}

func (j *kzgJob) abandon() {
	C.bridge_kzg_abandon(j.handle)
	j.setup.release()
}

// KZGPending is an operation that was started. Close abandons it.
type KZGPending struct {
	started
	result *KZGResult
}

// Start carries an operation out in the background: arguments may be overwritten as soon as this returns. Those of a setup run
// in the order of their starts.
func (k *KZG) Start(r KZGRequest) (*KZGPending, error) {
	of, err := k.prepare(&r)
	if err != nil {
		return nil, err
	}
	defer k.lock.RUnlock()
	var why sentence
	made := &KZGPending{result: k.result(of)}
	made.job = &kzgJob{setup: k.setup}
	status := C.bridge_kzg_start(k.setup.handle, &made.job.handle, of, at(r.Blobs), at(r.Commitments), at(r.Points), at(r.Values),
		at(r.Proofs), integers(r.Starts), integers(r.Indices), at(r.Cells), why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	atomic.AddInt64(&k.setup.users, 1)
	made.own(k.state.retain())
	runtime.SetFinalizer(made, (*KZGPending).Close)
	return made, nil
}

// Finish waits for the result and closes. Where ctx ends first, the work is abandoned and ctx's error returned.
func (p *KZGPending) Finish(ctx context.Context) (*KZGResult, error) {
	var why sentence
	var status C.pail_status
	var valid C.uint32_t
	made := p.result
	err := p.finish(ctx, func() {
		status = C.bridge_kzg_finish(p.job.handle, &valid, at(made.Commitments), at(made.Values), at(made.Proofs), at(made.Cells), why.at())
		p.job.setup.release()
	})
	if err == nil {
		err = why.check(status)
	}
	if err != nil {
		return nil, err
	}
	made.Valid = valid == 1
	return made, nil
}

// Close abandons the work, if it was not finished.
func (p *KZGPending) Close() error {
	runtime.SetFinalizer(p, nil)
	return p.abandon()
}
