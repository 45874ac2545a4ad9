// SPDX-License-Identifier: Apache-2.0
package pail

import (
	"bytes"
	"context"
	"reflect"
	"sync"
	"testing"
)

// A setup of 8 points, whose cells cannot be verified.
func newKZG(t *testing.T, options *Options) (*Context, *KZG) {
	t.Helper()
	c := newContext(t, options)
	return c, good[*KZG](t)(c.NewKZG(read(t, data("eip-4844/trusted_setup.txt")), nil))
}

// smallBlob has i^2 + 3 as element i.
func smallBlob() []byte {
	made := make([]byte, 256)
	for i := 0; i < 8; i++ {
		made[32*i+31] = byte(i*i + 3)
	}
	return made
}

func TestKZG(t *testing.T) {
	_, k := newKZG(t, nil)
	if s := k.Sizes(); s != (KZGSizes{Blob: 256, Scalar: 32, Point: 48, Cell: 256, CellsPerBlob: 2}) {
		t.Fatal(s)
	}
	blob, point := smallBlob(), small(5)
	point[0], point[31] = 0, 5 // big-endian
	run := func(r KZGRequest) *KZGResult {
		t.Helper()
		made := good[*KZGResult](t)(k.Run(r))
		pending := good[*KZGPending](t)(k.Start(r))
		if again := good[*KZGResult](t)(pending.Finish(context.Background())); !reflect.DeepEqual(again, made) {
			t.Error(again, made)
		}
		return made
	}
	commitments := run(KZGRequest{Operation: KZGCommit, Blobs: blob}).Commitments
	at := run(KZGRequest{Operation: KZGProve, Blobs: blob, Points: point})
	ofBlob := run(KZGRequest{Operation: KZGProveBlob, Blobs: blob, Commitments: commitments}).Proofs
	claim := KZGRequest{Operation: KZGVerify, Commitments: commitments, Points: point, Values: at.Values, Proofs: at.Proofs}
	whole := KZGRequest{Operation: KZGVerifyBlobs, Blobs: blob, Commitments: commitments, Proofs: ofBlob}
	if !run(claim).Valid || !run(whole).Valid || !run(KZGRequest{Operation: KZGVerifyBlobs}).Valid {
		t.Error("proofs are not valid")
	}
	claim.Proofs, whole.Proofs = ofBlob, at.Proofs
	if run(claim).Valid || run(whole).Valid {
		t.Error("other proofs are valid")
	}
	two := run(KZGRequest{Operation: KZGCells, Blobs: append(blob, blob...)})
	if !bytes.Equal(two.Cells[:256], blob) || !bytes.Equal(two.Cells[:512], two.Cells[512:]) || len(two.Proofs) != 4*48 {
		t.Error(two)
	}
	recovered := run(KZGRequest{Operation: KZGRecover, Starts: []uint64{0, 1, 3}, Indices: []uint64{1, 0, 1}, Cells: two.Cells[256:]})
	if !reflect.DeepEqual(recovered, two) {
		t.Error(recovered)
	}
	if alone := run(KZGRequest{Operation: KZGCells, Blobs: blob, CellsAlone: true}); alone.Proofs != nil || !bytes.Equal(alone.Cells, two.Cells[:512]) {
		t.Error(alone)
	}
}

func TestKZGErrors(t *testing.T) {
	c, k := newKZG(t, &Options{Backend: "cpu"})
	blob, point := smallBlob(), make([]byte, 48)
	for _, wrong := range []struct {
		request  KZGRequest
		sentence string
	}{
		{KZGRequest{}, "no operation 0"},
		{KZGRequest{Operation: 9}, "no operation 9"},
		{KZGRequest{Operation: KZGCommit, Blobs: blob[1:]}, "Blobs have 255 bytes, which is no multiple of 256"},
		{KZGRequest{Operation: KZGProve, Blobs: blob}, "there are 0 Points, but 1 Blobs"},
		{KZGRequest{Operation: KZGVerifyBlobs, Blobs: blob, Commitments: point, Proofs: make([]byte, 96)}, "there are 2 Proofs, but 1 Blobs"},
		{KZGRequest{Operation: KZGVerifyCells, Cells: blob, Commitments: point, Proofs: point}, "there are 0 Indices, but 1 Commitments"},
		{KZGRequest{Operation: KZGRecover, Cells: blob, Indices: []uint64{0}}, "Starts do not end with 1"},
		{KZGRequest{Operation: KZGRecover, Cells: blob, Indices: []uint64{0}, Starts: []uint64{0, 1 << 40}}, "Starts do not end with 1"},
		{KZGRequest{Operation: KZGRecover, Cells: blob, Indices: []uint64{0}, Starts: []uint64{1, 0, 1}}, "starts[0] is 1"},
	} {
		_, err := k.Run(wrong.request)
		fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", wrong.sentence)
		_, err = k.Start(wrong.request)
		fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", wrong.sentence)
	}
	bad := append(bytes.Repeat([]byte{255}, 32), blob[32:]...)
	_, err := k.Run(KZGRequest{Operation: KZGCommit, Blobs: append(blob, bad...)})
	fails(t, err, ErrData, "PAIL_ERR_DATA", "1")
	_, err = k.Run(KZGRequest{Operation: KZGRecover, Cells: blob, Indices: []uint64{2}, Starts: []uint64{0, 1}})
	fails(t, err, ErrData, "PAIL_ERR_DATA", "2")
	_, err = k.Run(KZGRequest{Operation: KZGVerifyCells, Cells: blob, Indices: []uint64{0}, Commitments: point, Proofs: point})
	fails(t, err, ErrUnsupported, "PAIL_ERR_UNSUPPORTED", "G2")
	_, err = c.OpenKZG("/nowhere.txt", nil)
	fails(t, err, ErrMachine, "PAIL_ERR_IO", "/nowhere.txt")
	_, err = c.OpenKZG("a\x00b", nil)
	fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "zero byte")
	_, err = c.NewKZG(nil, nil)
	fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "no bytes")
	_, err = c.NewKZG([]byte("8 3"), nil)
	fails(t, err, ErrData, "PAIL_ERR_DATA", "")
	_, err = c.NewKZG(read(t, data("eip-4844/trusted_setup.txt")), &KZGOptions{MemoryBudget: 1})
	fails(t, err, ErrMachine, "PAIL_ERR_HOST_MEMORY", "")
}

// A job keeps its setup; a canceled one is abandoned; others are refused once the setup is closed.
func TestKZGLifetimes(t *testing.T) {
	c, k := newKZG(t, &Options{Backend: "cpu", Threads: 1})
	request := KZGRequest{Operation: KZGCells, Blobs: smallBlob()}
	expected := good[*KZGResult](t)(k.Run(request))
	pending, dropped := good[*KZGPending](t)(k.Start(request)), good[*KZGPending](t)(k.Start(request))
	for i := range request.Blobs {
		request.Blobs[i] = 0
	}
	k.Close()
	k.Close()
	c.Close()
	if _, err := k.Run(request); err != ErrClosed {
		t.Error(err)
	}
	if _, err := k.Start(request); err != ErrClosed {
		t.Error(err)
	}
	dropped.Close()
	if _, err := dropped.Finish(context.Background()); err != ErrClosed {
		t.Error(err)
	}
	if made := good[*KZGResult](t)(pending.Finish(context.Background())); !reflect.DeepEqual(made, expected) {
		t.Error(made)
	}
	_, other := newKZG(t, &Options{Backend: "cpu", Threads: 1})
	large := KZGRequest{Operation: KZGCells, Blobs: bytes.Repeat(smallBlob(), 1<<14)}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	running := good[*KZGPending](t)(other.Start(large))
	if _, err := running.Finish(ended); err != context.Canceled {
		t.Error(err)
	}
	other.Close()
}

func TestKZGGoroutines(t *testing.T) {
	_, k := newKZG(t, &Options{Backend: "cpu"})
	request := KZGRequest{Operation: KZGCells, Blobs: smallBlob()}
	expected := good[*KZGResult](t)(k.Run(request))
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 10; j++ {
				made, err := k.Run(request)
				if err == nil && j%2 == 1 {
					var pending *KZGPending
					if pending, err = k.Start(request); err == nil {
						made, err = pending.Finish(context.Background())
					}
				}
				if err == ErrClosed {
					return
				}
				if err != nil || !reflect.DeepEqual(made, expected) {
					t.Error(made, err)
				}
			}
		}()
	}
	k.Run(request)
	k.Close() // while others work
	group.Wait()
}
