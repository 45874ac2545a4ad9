// SPDX-License-Identifier: Apache-2.0
package pail

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// CASES is the file that tests/bindings/support.py writes, DATA is tests/data.
func data(name string) string { return filepath.Join(os.Getenv("DATA"), name) }

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	if text == "-" {
		return nil
	}
	content, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func small(values ...byte) []byte {
	made := make([]byte, 32*len(values))
	for i, value := range values {
		made[32*i] = value
	}
	return made
}

func generators(n int) []byte {
	one := make([]byte, 64)
	one[0], one[32] = 1, 2
	return bytes.Repeat(one, n)
}

func good[T any](t *testing.T) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func fails(t *testing.T, err, kind error, name, part string) {
	t.Helper()
	var told *Error
	if !errors.As(err, &told) || !errors.Is(err, kind) || told.Name() != name || !strings.Contains(err.Error(), part) {
		t.Fatalf("%v is not %s with %q", err, name, part)
	}
}

func newContext(t *testing.T, options *Options) *Context {
	t.Helper()
	made := good[*Context](t)(NewContext(options))
	t.Cleanup(func() { made.Close() })
	return made
}

func TestCases(t *testing.T) {
	c := newContext(t, nil)
	lines := strings.Split(strings.TrimSpace(string(read(t, os.Getenv("CASES")))), "\n")
	for _, line := range lines {
		words := strings.Fields(line)
		scalars, expected := fromHex(t, words[2]), fromHex(t, words[3])
		bases := good[*Bases](t)(c.NewBases(fromHex(t, words[1]), BN254, G1))
		if sum := good[[]byte](t)(bases.MSM(scalars)); !bytes.Equal(sum, expected) {
			t.Errorf("%s: %x", words[0], sum)
		}
		pending := good[*Pending](t)(bases.Start(scalars, 0, Canonical))
		for i := range scalars {
			scalars[i] = 0
		}
		bases.Close() // which the work does not need any more
		if sum := good[[]byte](t)(pending.Finish(context.Background())); !bytes.Equal(sum, expected) {
			t.Errorf("%s, started: %x", words[0], sum)
		}
	}
	if len(lines) < 50 {
		t.Error(len(lines))
	}
}

func TestLifetimes(t *testing.T) {
	c := good[*Context](t)(NewContext(&Options{Backend: "cpu"}))
	if c.Backend() != "cpu" {
		t.Error(c.Backend())
	}
	bases := good[*Bases](t)(c.NewBases(generators(2), BN254, G1))
	c.Close()
	c.Close()
	if _, err := c.NewBases(generators(1), BN254, G1); err != ErrClosed {
		t.Error(err)
	}
	eleven := good[[]byte](t)(bases.MSM(small(5, 6))) // a context stays as long as what was made through it
	if eleven[0] != 0xef || bases.Len() != 2 {
		t.Error(eleven)
	}
	if other := good[[]byte](t)(bases.MSMOf(small(11), 1, Canonical)); !bytes.Equal(other, eleven) {
		t.Error(other)
	}
	dropped := good[*Pending](t)(bases.Start(small(5, 6), 0, Canonical))
	dropped.Close()
	if _, err := dropped.Finish(context.Background()); err != ErrClosed {
		t.Error(err)
	}
	bases.Close()
	if _, err := bases.MSM(nil); err != ErrClosed {
		t.Error(err)
	}
}

// Bytes may be a part of an object that has pointers, too.
func TestPartOfAnObject(t *testing.T) {
	type witness struct {
		scalars [64]byte
		name    *string
	}
	name := "eleven"
	part := &witness{name: &name}
	copy(part.scalars[:], small(5, 6))
	bases := good[*Bases](t)(newContext(t, nil).NewBases(generators(2), BN254, G1))
	if sum := good[[]byte](t)(bases.MSM(part.scalars[:])); sum[0] != 0xef {
		t.Error(sum)
	}
}

// An object that nobody closes is released when it is collected, in any order: threads of the contexts are gone.
func TestFinalizers(t *testing.T) {
	threads := func() int {
		entries, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Skip("there is no /proc")
		}
		n := 0
		for _, entry := range entries {
			name, _ := os.ReadFile(filepath.Join("/proc/self/task", entry.Name(), "comm"))
			if strings.HasPrefix(string(name), "pail-cpu") {
				n++
			}
		}
		return n
	}
	before := threads()
	for i := 0; i < 10; i++ {
		c := good[*Context](t)(NewContext(&Options{Backend: "cpu", Threads: 3}))
		bases := good[*Bases](t)(c.NewBases(generators(2), BN254, G1))
		good[*Pending](t)(bases.Start(small(5, 6), 0, Canonical))
	}
	for i := 0; i < 100 && threads() > before; i++ {
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	if left := threads(); left > before {
		t.Errorf("%d threads, %d before", left, before)
	}
}

func TestGoroutines(t *testing.T) {
	c := newContext(t, &Options{Backend: "cpu"})
	bases := good[*Bases](t)(c.NewBases(generators(200), BN254, G1))
	scalars := bytes.Repeat(small(7), 200)
	expected := good[[]byte](t)(bases.MSM(scalars))
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 20; j++ {
				sum, err := bases.MSM(scalars)
				if err == ErrClosed {
					return
				}
				if err != nil || !bytes.Equal(sum, expected) {
					t.Error(sum, err)
				}
				_, err = bases.MSMOf(scalars, j+1, Canonical)
				if err != ErrClosed && !strings.Contains(fmt.Sprint(err), fmt.Sprint(j+1)) { // its own sentence
					t.Error(err)
				}
			}
		}()
	}
	time.Sleep(5 * time.Millisecond)
	bases.Close() // while others multiply
	group.Wait()
}

// Close of a key waits for proofs.
func TestCloseDuringProof(t *testing.T) {
	c := newContext(t, &Options{Backend: "cpu"})
	key := good[*Key](t)(c.OpenKey(data("ledger.zkey")))
	expected := good[string](t)(good[*Proof](t)(key.Prove(data("ledger.wtns"), &Blinding{})).JSON())
	ends := make(chan error, 3)
	for i := 0; i < cap(ends); i++ {
		go func() {
			for {
				proof, err := key.Prove(data("ledger.wtns"), &Blinding{})
				if err != nil {
					ends <- err
					return
				}
				if text, err := proof.JSON(); err != nil || text != expected {
					t.Error(text, err)
				}
			}
		}()
	}
	time.Sleep(10 * time.Millisecond)
	key.Close()
	for i := 0; i < cap(ends); i++ {
		if err := <-ends; err != ErrClosed {
			t.Error(err)
		}
	}
}

func TestErrors(t *testing.T) {
	c := newContext(t, &Options{Backend: "cpu"})
	bad := generators(2)
	bad[64] = 3
	_, err := c.NewBases(bad, BN254, G1)
	fails(t, err, ErrData, "PAIL_ERR_DATA", "1")
	_, err = c.NewBases(bad[1:], BN254, G1)
	fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "127 bytes")
	_, err = c.NewBases(nil, Curve(9), G1)
	fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "curve 9")
	bases := good[*Bases](t)(c.NewBases(generators(1), BN254, G1))
	_, err = bases.MSM(make([]byte, 31))
	fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "31 bytes")
	_, err = bases.MSMOf(small(1), -1, Canonical)
	fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "-1")
	_, err = bases.Start(small(1, 2), 0, Canonical)
	fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "2")
	_, err = NewContext(&Options{Backend: "nothing"})
	fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "nothing")
	_, err = c.OpenKey("/nowhere.zkey")
	fails(t, err, ErrMachine, "PAIL_ERR_IO", "/nowhere.zkey")
	_, err = c.NewKey(make([]byte, 100))
	fails(t, err, ErrData, "PAIL_ERR_DATA", "the key")
}

func TestCancel(t *testing.T) {
	c := newContext(t, &Options{Backend: "cpu", Threads: 1})
	const n = 1 << 17
	bases := good[*Bases](t)(c.NewBasesOf(generators(n), BN254, G1, Canonical, ValidateNone))
	pending := good[*Pending](t)(bases.Start(bytes.Repeat([]byte{0x5a}, 32*n), 0, Canonical))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := pending.Finish(ctx); err != context.DeadlineExceeded {
		t.Error(err)
	}
}

func TestProofs(t *testing.T) {
	c := newContext(t, nil)
	key := good[*Key](t)(c.OpenKey(data("ledger.zkey")))
	fixed := good[*Proof](t)(key.Prove(data("ledger.wtns"), &Blinding{}))
	if text := good[string](t)(fixed.JSON()); text != string(read(t, data("ledger.proof.json"))) {
		t.Error(text)
	}
	if text := good[string](t)(fixed.PublicJSON()); text != string(read(t, data("ledger.public.json"))) {
		t.Error(text)
	}
	wtns := read(t, data("ledger.wtns"))
	proof := good[*Proof](t)(key.ProveBytes(wtns, nil))
	if !good[bool](t)(key.Verify(proof)) || proof.proof.a == fixed.proof.a {
		t.Error("the proof is not valid, or not hidden")
	}
	proof.Publics[0][0] ^= 1
	if good[bool](t)(key.Verify(proof)) {
		t.Error("a proof of something else is valid")
	}
	for _, call := range []func(string) error{
		func(path string) error { _, err := key.Prove(path, nil); return err },
		func(path string) error { _, err := c.OpenKey(path); return err },
		func(path string) error { _, err := NewContext(&Options{Backend: path}); return err },
	} {
		fails(t, call("cpu\x00"), ErrArgument, "PAIL_ERR_ARGUMENT", `"cpu\x00" has a zero byte`)
	}
	_, err := key.ProveBytes(wtns[:1000], nil)
	fails(t, err, ErrData, "PAIL_ERR_DATA", "witness")
	same := good[*Key](t)(c.NewKey(read(t, data("ledger.zkey"))))
	if !good[bool](t)(same.Verify(fixed)) {
		t.Error("a key from memory")
	}
	key.Close()
	if _, err := key.Prove("", nil); err != ErrClosed {
		t.Error(err)
	}
}

// The time and memory of a call, as tests/bindings/consumer/calls.cpp prints it for C++.
func TestCalls(t *testing.T) {
	c := newContext(t, &Options{Backend: "cpu"})
	bases := good[*Bases](t)(c.NewBases(generators(1), BN254, G1))
	many := make([]byte, 32<<20)
	each := func(times int, call func()) int64 {
		least := int64(1) << 62
		for round := 0; round < 100; round++ {
			begin := time.Now()
			for i := 0; i < times; i++ {
				call()
			}
			if took := time.Since(begin).Nanoseconds() / int64(times); took < least {
				least = took
			}
		}
		return least
	}
	refused := func(scalars []byte) int64 {
		return each(50, func() {
			if _, err := bases.MSMOf(scalars, 2, Canonical); err == nil {
				t.Fatal("it was not refused")
			}
		})
	}
	call := each(200, func() { good[[]byte](t)(bases.MSM(nil)) })
	fmt.Printf("calls: {\"call_ns\": %d, \"refused_1_ns\": %d, \"refused_many_ns\": %d}\n", call, refused(many[:32]), refused(many))
}
