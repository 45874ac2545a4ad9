// SPDX-License-Identifier: Apache-2.0
// Package pail computes multi-scalar multiplications, Groth16 proofs and KZG commitments on GPUs through Vulkan, and on the
// CPU where there is none. It needs libpail, which it finds by pkg-config.
//
// Points and scalars are little-endian bytes, read during the call and not copied. A point is affine x then y, each as wide
// as the base field's modulus (32 bytes for BN254, 48 for BLS12-381; in G2 c0 before c1, twice that); all bytes zero is
// infinity. A scalar is 32 bytes, any integer. Elements of vectors are 32 bytes, each below the order of the curve's groups.
//
// Objects may be used by several goroutines at a time. Close releases one, after those that use it are done; what is not
// closed is released when it is collected. Each keeps the context that it was made through. Memory of Go's is never read or
// written after a call has returned.
package pail

/*
#cgo pkg-config: pail
#include "bridge.h"
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

type Curve uint32

const (
	BN254    Curve = C.PAIL_CURVE_BN254
	BLS12381 Curve = C.PAIL_CURVE_BLS12_381
)

type Group uint32

const (
	G1 Group = C.PAIL_G1
	G2 Group = C.PAIL_G2
)

// Encoding of coordinates modulo p, or of scalars modulo the order of the group.
type Encoding uint32

const (
	Canonical  Encoding = C.PAIL_ENCODING_CANONICAL
	Montgomery Encoding = C.PAIL_ENCODING_MONTGOMERY
	// Jacobian is of points alone: x, y and z in Montgomery form, for (x / z^2, y / z^3); z = 0 is infinity.
	Jacobian Encoding = C.PAIL_ENCODING_JACOBIAN
)

// Validation is what registering asks of each point. Coordinates below p are checked in any case.
type Validation uint32

const (
	ValidateCurve    Validation = C.PAIL_VALIDATE_CURVE
	ValidateNone     Validation = C.PAIL_VALIDATE_NONE
	ValidateSubgroup Validation = C.PAIL_VALIDATE_SUBGROUP
)

// Error is a call that failed, with one sentence that names the value at fault.
type Error struct {
	Status   int // pail_status
	Sentence string
}

func (e *Error) Error() string {
	if e.Sentence == "" {
		return e.Name()
	}
	return e.Sentence
}

// Name of the status, "PAIL_ERR_DATA".
func (e *Error) Name() string { return C.GoString(C.pail_status_name(C.pail_status(e.Status))) }

// Is lets errors.Is tell kinds apart.
func (e *Error) Is(kind error) bool {
	switch e.Status / 100 {
	case 1:
		return kind == ErrArgument
	case 2:
		return kind == ErrData
	case 3:
		return kind == ErrUnsupported
	}
	return kind == ErrMachine
}

// Kinds of failures.
var (
	ErrArgument    = errors.New("an argument is wrong")
	ErrData        = errors.New("data is not what it claims to be")
	ErrUnsupported = errors.New("not supported here")
	ErrMachine     = errors.New("the machine failed")
	// ErrClosed is returned by what is used after Close.
	ErrClosed = errors.New("pail: the object is closed")
)

type sentence [C.BRIDGE_SENTENCE]C.char

func (s *sentence) at() *C.char { return &s[0] }

func (s *sentence) check(status C.pail_status) error {
	if status == C.PAIL_OK {
		return nil
	}
	return &Error{int(status), C.GoString(s.at())}
}

func argument(format string, values ...any) error {
	return &Error{int(C.PAIL_ERR_ARGUMENT), fmt.Sprintf(format, values...)}
}

// cString is a copy as C has it, where a zero byte would end it; to be freed.
func cString(text, what string) (*C.char, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, argument("%s %q has a zero byte", what, text)
	}
	return C.CString(text), nil
}

// Version of the library.
func Version() string { return C.GoString(C.pail_version()) }

// PointBytes of a packed point; 0 where there is no such curve or group.
func PointBytes(curve Curve, group Group) int {
	width := map[Curve]int{BN254: 64, BLS12381: 96}[curve]
	return width * map[Group]int{G1: 1, G2: 2}[group]
}

// state is registry and context, counted: they go with the last object that needs them.
type state struct {
	c     C.bridge_context
	users int64
}

func (s *state) retain() *state {
	atomic.AddInt64(&s.users, 1)
	return s
}

func (s *state) release() {
	if atomic.AddInt64(&s.users, -1) == 0 {
		C.bridge_close(&s.c)
	}
}

// owned is what every object has: Close waits for calls that are under way.
type owned struct {
	lock   sync.RWMutex
	state  *state
	number int64 // in the order of creation, from 1 on
	closed bool
}

var objects int64

// own is the last step of creating an object.
func (o *owned) own(s *state) {
	o.state, o.number = s, atomic.AddInt64(&objects, 1)
}

// use locks against Close; the caller unlocks where err is nil.
func (o *owned) use() error {
	o.lock.RLock()
	if o.closed {
		o.lock.RUnlock()
		return ErrClosed
	}
	return nil
}

// useAll locks several objects against Close; the caller calls the result where err is nil. Everybody locks in one order, and
// each object once: a Close that waits for an object keeps others from locking it, and they may hold what its users wait for.
func useAll(objects ...*owned) (func(), error) {
	sort.Slice(objects, func(i, j int) bool { return objects[i].number < objects[j].number })
	var locked []*owned
	release := func() {
		for _, one := range locked {
			one.lock.RUnlock()
		}
	}
	for i, one := range objects {
		if i > 0 && one == objects[i-1] {
			continue
		}
		if err := one.use(); err != nil {
			release()
			return nil, err
		}
		locked = append(locked, one)
	}
	return release, nil
}

// end runs destroy, once.
func (o *owned) end(destroy func()) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	if !o.closed {
		o.closed = true
		destroy()
		o.state.release()
	}
	return nil
}

// Context is a device of a backend.
type Context struct {
	owned
}

// Options of a context; zero is the default.
type Options struct {
	Backend      string // "vulkan" or "cpu"; empty: the best of this machine
	Device       *uint32
	Threads      uint32 // for work on the CPU; 0: as many as there are processors
	MemoryBudget uint64 // bytes of device memory; 0: what there is
}

// NewContext opens a device; options may be nil.
func NewContext(options *Options) (*Context, error) {
	if options == nil {
		options = &Options{}
	}
	device := C.uint32_t(C.PAIL_DEVICE_BEST)
	if options.Device != nil {
		device = C.uint32_t(*options.Device)
	}
	var name *C.char
	if options.Backend != "" {
		var err error
		if name, err = cString(options.Backend, "the backend"); err != nil {
			return nil, err
		}
		defer C.free(unsafe.Pointer(name))
	}
	var why sentence
	made := &Context{}
	made.own(&state{users: 1})
	status := C.bridge_open(&made.state.c, name, device, C.uint32_t(options.Threads), C.uint64_t(options.MemoryBudget), why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(made, (*Context).Close)
	return made, nil
}

// Backend is the name of the backend.
func (c *Context) Backend() string {
	if c.use() != nil {
		return ""
	}
	defer c.lock.RUnlock()
	return C.GoString(c.state.c.backend.name)
}

// Close releases the device once everything that was made through the context is closed, too.
func (c *Context) Close() error {
	runtime.SetFinalizer(c, nil)
	return c.end(func() {})
}

// at is where a slice begins; nil where it is empty.
func at(bytes []byte) *C.uint8_t {
	if len(bytes) == 0 {
		return nil
	}
	return (*C.uint8_t)(&bytes[0])
}

// Bases are points that are registered with a context.
type Bases struct {
	owned
	handle *C.pail_bases
	n      int
}

// NewBases registers packed points that are on the curve.
func (c *Context) NewBases(points []byte, curve Curve, group Group) (*Bases, error) {
	return c.NewBasesOf(points, curve, group, Canonical, ValidateCurve)
}

// NewBasesOf registers packed points in an encoding, with a validation.
func (c *Context) NewBasesOf(points []byte, curve Curve, group Group, encoding Encoding, validation Validation) (*Bases, error) {
	width := PointBytes(curve, group)
	if encoding == Jacobian {
		width = width / 2 * 3
	}
	if width == 0 || len(points)%width != 0 {
		return nil, argument("points have %d bytes, which is no number of points of curve %d and group %d", len(points), curve, group)
	}
	if err := c.use(); err != nil {
		return nil, err
	}
	defer c.lock.RUnlock()
	var why sentence
	made := &Bases{n: len(points) / width}
	status := C.bridge_bases(&c.state.c, &made.handle, at(points), C.size_t(made.n), C.uint32_t(curve), C.uint32_t(group),
		C.uint32_t(encoding), C.uint32_t(validation), why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	made.own(c.state.retain())
	runtime.SetFinalizer(made, (*Bases).Close)
	return made, nil
}

// Len is the number of points.
func (b *Bases) Len() int { return b.n }

// Close releases the points. Work that was started with them goes on.
func (b *Bases) Close() error {
	runtime.SetFinalizer(b, nil)
	return b.end(func() { C.bridge_bases_close(&b.state.c, b.handle) })
}

func scalarCount(scalars []byte, offset int) (C.size_t, error) {
	if len(scalars)%32 != 0 {
		return 0, argument("scalars have %d bytes, which is no multiple of 32", len(scalars))
	}
	if offset < 0 {
		return 0, argument("the offset %d is below 0", offset)
	}
	return C.size_t(len(scalars) / 32), nil
}

// MSM is the sum of scalars[i] * bases[i], a point as bases have it.
func (b *Bases) MSM(scalars []byte) ([]byte, error) { return b.MSMOf(scalars, 0, Canonical) }

// MSMOf is the sum of scalars[i] * bases[offset + i].
func (b *Bases) MSMOf(scalars []byte, offset int, encoding Encoding) ([]byte, error) {
	n, err := scalarCount(scalars, offset)
	if err != nil {
		return nil, err
	}
	if err := b.use(); err != nil {
		return nil, err
	}
	defer b.lock.RUnlock()
	return b.sum(scalars, C.bridge_range{n: n, offset: C.size_t(offset), encoding: C.uint32_t(encoding)})
}

func (b *Bases) sum(scalars []byte, of C.bridge_range) ([]byte, error) {
	var call result
	status := C.bridge_msm(&b.state.c, &call.point[0], &call.width, b.handle, at(scalars), of, call.why.at())
	return call.of(status)
}

// result is one allocation for what C writes to.
type result struct {
	why   sentence
	point [2 * C.PAIL_COORDINATE_MAX]C.uint8_t
	width C.size_t
}

func (r *result) of(status C.pail_status) ([]byte, error) {
	if err := r.why.check(status); err != nil {
		return nil, err
	}
	return C.GoBytes(unsafe.Pointer(&r.point[0]), C.int(r.width)), nil
}

// started is work that was started.
type started struct {
	owned
	handle *C.pail_pending
	job    *kzgJob    // in place of that
	work   sync.Mutex // the library takes one thread at a time
}

// Wait waits for at most that long, and says whether Finish would not wait.
func (s *started) Wait(timeout time.Duration) (bool, error) {
	if timeout < 0 {
		timeout = 0
	}
	if err := s.use(); err != nil {
		return false, err
	}
	defer s.lock.RUnlock()
	s.work.Lock()
	defer s.work.Unlock()
	if s.job != nil {
		return s.job.wait(timeout), nil
	}
	return C.bridge_wait(&s.state.c, s.handle, C.uint64_t(timeout.Nanoseconds())) != 0, nil
}

// finish calls `call` when the work has ended, and closes. Where ctx ends first, the work is abandoned and ctx's error returned.
func (s *started) finish(ctx context.Context, call func()) error {
	for {
		ready, err := s.Wait(5 * time.Millisecond)
		if err != nil {
			return err
		}
		if ready {
			break
		}
		if ctx.Err() != nil {
			s.abandon()
			return ctx.Err()
		}
	}
	done := false
	s.end(func() {
		done = true
		call()
	})
	if !done { // by another goroutine
		return ErrClosed
	}
	return nil
}

func (s *started) abandon() error {
	return s.end(func() {
		if s.job != nil {
			s.job.abandon()
		} else {
			C.bridge_abandon(&s.state.c, s.handle)
		}
	})
}

// Pending is a multiplication that was started. Close abandons it.
type Pending struct {
	started
}

// Start multiplies in the background: the scalars may be overwritten as soon as this returns.
func (b *Bases) Start(scalars []byte, offset int, encoding Encoding) (*Pending, error) {
	n, err := scalarCount(scalars, offset)
	if err != nil {
		return nil, err
	}
	if err := b.use(); err != nil {
		return nil, err
	}
	defer b.lock.RUnlock()
	return b.begin(scalars, C.bridge_range{n: n, offset: C.size_t(offset), encoding: C.uint32_t(encoding)})
}

func (b *Bases) begin(scalars []byte, of C.bridge_range) (*Pending, error) {
	var why sentence
	made := &Pending{}
	status := C.bridge_start(&b.state.c, &made.handle, b.handle, at(scalars), of, why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	made.own(b.state.retain())
	runtime.SetFinalizer(made, (*Pending).Close)
	return made, nil
}

// Finish waits for the result and closes. Where ctx ends first, the work is abandoned and ctx's error returned.
func (p *Pending) Finish(ctx context.Context) ([]byte, error) {
	var call result
	var status C.pail_status
	err := p.finish(ctx, func() {
		status = C.bridge_finish(&p.state.c, &call.point[0], &call.width, p.handle, call.why.at())
	})
	if err != nil {
		return nil, err
	}
	return call.of(status)
}

// Close abandons the work, if it was not finished.
func (p *Pending) Close() error {
	runtime.SetFinalizer(p, nil)
	return p.abandon()
}
