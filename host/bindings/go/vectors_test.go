// SPDX-License-Identifier: Apache-2.0
package pail

import (
	"bytes"
	"context"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func integersOf(t *testing.T, text string) []uint64 {
	t.Helper()
	var made []uint64
	for _, word := range strings.Split(text, ",") {
		made = append(made, good[uint64](t)(strconv.ParseUint(word, 10, 64)))
	}
	return made
}

func curveOf(text string) Curve {
	if text[0] == '1' {
		return BN254
	}
	return BLS12381
}

func element(t *testing.T, text string) *Element {
	t.Helper()
	var made Element
	copy(made[:], fromHex(t, text))
	return &made
}

func operationOf(t *testing.T, vectors map[string]*Vector, matrix *Matrix, text string) Operation {
	t.Helper()
	kind, rest, _ := strings.Cut(text, ":")
	settings := map[string]string{}
	for _, setting := range strings.Split(rest, ",") {
		name, value, _ := strings.Cut(setting, "=")
		settings[name] = value
	}
	r, a, b, c := vectors[settings["r"]], vectors[settings["a"]], vectors[settings["b"]], vectors[settings["c"]]
	if a == nil {
		a = r
	}
	made := map[string]Operation{"ntt": NTT(r, a), "intt": INTT(r, a), "spmv": SpMV(r, matrix, a), "add": Add(r, a, b), "sub": Sub(r, a, b),
		"mul": Mul(r, a, b), "mul_sub": MulSub(r, a, b, c), "powers": Powers(r, a), "copy": Copy(r, a)}[kind]
	for name, to := range map[string]*int{"r_offset": &made.ROffset, "a_offset": &made.AOffset, "b_offset": &made.BOffset,
		"c_offset": &made.COffset, "n": &made.N, "log_n": &made.LogN} {
		if value, ok := settings[name]; ok {
			*to = good[int](t)(strconv.Atoi(value))
		}
	}
	for name, to := range map[string]**Element{"root": &made.Root, "shift": &made.Shift, "scale": &made.Scale} {
		if value, ok := settings[name]; ok {
			*to = element(t, value)
		}
	}
	made.BitReversed = settings["bit_reversed"] == "1"
	return made
}

// run is a case: the three vectors afterwards, as the file has them.
func run(t *testing.T, c *Context, words []string) ([]string, error) {
	t.Helper()
	encoding := Canonical
	if words[1] == "1" {
		encoding = Montgomery
	}
	vectors := map[string]*Vector{}
	for i, letter := range []string{"x", "y", "z"} {
		if words[2+i] == "-" {
			continue
		}
		content := fromHex(t, words[2+i][2:])
		vectors[letter] = good[*Vector](t)(c.NewVector(len(content)/32, curveOf(words[2+i])))
		if err := vectors[letter].WriteAt(content, 0, encoding); err != nil {
			return nil, err
		}
	}
	var matrix *Matrix
	if parts := strings.Split(words[5], ":"); len(parts) == 5 {
		var columns []uint32
		for _, number := range integersOf(t, parts[3]) {
			columns = append(columns, uint32(number))
		}
		var err error
		if matrix, err = c.NewMatrix(integersOf(t, parts[2]), columns, fromHex(t, parts[4]), int(integersOf(t, parts[1])[0]), curveOf(parts[0]), Canonical); err != nil {
			return nil, err
		}
	}
	var operations []Operation
	for _, text := range strings.Split(words[6], ";") {
		operations = append(operations, operationOf(t, vectors, matrix, text))
	}
	if err := c.Run(operations...); err != nil {
		return nil, err
	}
	after := []string{"-", "-", "-"}
	for i, letter := range []string{"x", "y", "z"} {
		if vector := vectors[letter]; vector != nil {
			content := make([]byte, 32*vector.Len())
			if err := vector.ReadAt(content, 0, encoding); err != nil {
				return nil, err
			}
			after[i] = words[2+i][:2] + hex.EncodeToString(content)
		}
	}
	return after, nil
}

// VECTORS is the file whose format tests/bindings/vector_cases.py has.
func TestVectorCases(t *testing.T) {
	c := newContext(t, nil)
	lines := strings.Split(strings.TrimSpace(string(read(t, os.Getenv("VECTORS")))), "\n")
	for _, line := range lines {
		words := strings.Fields(line)
		after, err := run(t, c, words)
		if words[7][0] != '!' {
			if err != nil || strings.Join(after, " ") != strings.Join(words[7:], " ") {
				t.Error(words[0], err, after)
			}
			continue
		}
		name, part, _ := strings.Cut(words[7][1:], ":")
		told, ok := err.(*Error)
		if !ok || told.Name() != name || !strings.Contains(strings.ReplaceAll(told.Error(), "_", " "), strings.ReplaceAll(part, "_", " ")) {
			t.Errorf("%s: %v", words[0], err)
		}
	}
	if len(lines) < 50 {
		t.Error(len(lines))
	}
}

func TestVectorCalls(t *testing.T) {
	c, other := newContext(t, &Options{Backend: "cpu"}), newContext(t, &Options{Backend: "cpu"})
	vector := good[*Vector](t)(c.NewVector(3, BN254))
	if err := vector.Write(small(5, 6)); err != nil {
		t.Fatal(err)
	}
	bases := good[*Bases](t)(c.NewBases(generators(3), BN254, G1))
	eleven := good[[]byte](t)(bases.MSM(small(11)))
	if sum := good[[]byte](t)(bases.MSMVector(vector, 0, 0, -1)); !bytes.Equal(sum, eleven) {
		t.Error(sum)
	}
	if sum := good[[]byte](t)(bases.MSMVector(vector, 1, 1, 1)); !bytes.Equal(sum, good[[]byte](t)(bases.MSM(small(6)))) {
		t.Error(sum)
	}
	if root := good[Element](t)(RootOfUnity(BLS12381, 0)); root != *element(t, "01") {
		t.Error(root)
	}
	zero := Powers(vector, vector)
	zero.Scale = &Element{}
	_, noRoot := RootOfUnity(BN254, 29)
	_, beyond := bases.MSMVector(vector, 0, 4, -1)
	_, noRows := c.NewMatrix(nil, nil, nil, 1, BN254, Canonical)
	_, foreign := good[*Bases](t)(other.NewBases(generators(3), BN254, G1)).MSMVector(vector, 0, 0, -1)
	for part, err := range map[string]error{"order 2^29": noRoot, "elements 4 to 4": beyond, "row_starts": noRows, "another context": foreign,
		"an operand belongs": other.Run(Copy(vector, vector)), "Scale is 0": c.Run(zero), "31 bytes": vector.Write(make([]byte, 31)),
		"elements": vector.WriteAt(small(1, 2), 2, Canonical), "no R": c.Run(Copy(nil, vector))} {
		fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", part)
	}
	work := good[*Pending](t)(bases.StartVector(vector, 0, 0, -1))
	pending := good[*PendingOperations](t)(c.Start(Add(vector, vector, vector)))
	vector.Close() // which neither needs any more
	bases.Close()
	if err := pending.Finish(context.Background()); err != nil {
		t.Error(err)
	}
	if err := pending.Finish(context.Background()); err != ErrClosed {
		t.Error(err)
	}
	if sum := good[[]byte](t)(work.Finish(context.Background())); !bytes.Equal(sum, eleven) {
		t.Error(sum)
	}
	if _, err := vector.Read(); err != ErrClosed {
		t.Error(err)
	}
	if err := c.Run(Copy(vector, vector)); err != ErrClosed {
		t.Error(err)
	}
}

// A thread that waits for an object holds none that was made later, in whichever order they were named.
func TestOrderOfLocks(t *testing.T) {
	var first, second owned
	first.own(nil)
	second.own(nil)
	for _, objects := range [][]*owned{{&first, &second, &first}, {&second, &first, &second}} {
		first.lock.Lock()
		ended := make(chan func())
		go func() { ended <- good[func()](t)(useAll(objects...)) }()
		time.Sleep(50 * time.Millisecond)
		if !second.lock.TryLock() {
			t.Fatal("the second object is locked while the first is waited for")
		}
		second.lock.Unlock()
		first.lock.Unlock()
		(<-ended)()
		if !first.lock.TryLock() || !second.lock.TryLock() {
			t.Fatal("an object stays locked")
		}
		first.lock.Unlock()
		second.lock.Unlock()
	}
}

// Goroutines that use several objects at a time, in different orders, while others close them: nothing waits for ever.
func TestVectorGoroutines(t *testing.T) {
	c := newContext(t, &Options{Backend: "cpu"})
	for round := 0; round < 20; round++ {
		a, b := good[*Vector](t)(c.NewVector(64, BN254)), good[*Vector](t)(c.NewVector(64, BN254))
		bases := good[*Bases](t)(c.NewBases(generators(64), BN254, G1))
		var group sync.WaitGroup
		for _, call := range []func() error{
			func() error { return c.Run(Add(a, a, b)) },
			func() error { return c.Run(Add(b, b, a)) },
			func() error { _, err := bases.MSMVector(b, 0, 0, -1); return err },
			func() error { _, err := bases.MSMVector(a, 0, 0, -1); return err },
			a.NTT,
			func() error { _, err := b.Read(); return err },
		} {
			call := call
			group.Add(1)
			go func() {
				defer group.Done()
				for {
					if err := call(); err == ErrClosed {
						return
					} else if err != nil {
						t.Error(err)
						return
					}
				}
			}()
		}
		time.Sleep(2 * time.Millisecond)
		for _, close := range []func() error{a.Close, b.Close, bases.Close} {
			close := close
			group.Add(1)
			go func() {
				defer group.Done()
				close()
			}()
		}
		ended := make(chan struct{})
		go func() {
			group.Wait()
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(60 * time.Second):
			t.Fatal("goroutines wait for each other")
		}
	}
}
