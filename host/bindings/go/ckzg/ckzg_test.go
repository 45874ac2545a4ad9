// SPDX-License-Identifier: Apache-2.0
package ckzg

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"pail"
)

// golden is a line of the file that tests/bindings/support.py writes, which KZG names: values of c-kzg.
type golden struct {
	blob                         Blob
	z, y                         Bytes32
	commitment, proof, blobProof Bytes48
	cells, proofs                string
}

func values(t *testing.T) []golden {
	content, err := os.ReadFile(os.Getenv("KZG"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	made := make([]golden, len(lines))
	for i, line := range lines {
		words, one := strings.Fields(line), &made[i]
		for k := range one.blob {
			if k%32 != 0 {
				one.blob[k] = byte((k*k+31*k)/8 + 97*i)
			}
		}
		if digest(one.blob[:]) != words[2] {
			t.Fatal("the made blob is another one")
		}
		for _, part := range []struct {
			to   interface{ UnmarshalText([]byte) error }
			text string
		}{{&one.z, words[1]}, {&one.commitment, words[3]}, {&one.proof, "0x" + words[4]}, {&one.y, words[5]}, {&one.blobProof, words[6]}} {
			check(t, part.to.UnmarshalText([]byte(part.text)))
		}
		one.cells, one.proofs = words[7], words[8]
	}
	return made
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func same(t *testing.T, made, expected []byte) {
	t.Helper()
	if !bytes.Equal(made, expected) {
		t.Errorf("%x is not %x", made, expected)
	}
}

func is(t *testing.T, expected bool) func(bool, error) {
	return func(valid bool, err error) {
		t.Helper()
		if err != nil || valid != expected {
			t.Error(valid, err)
		}
	}
}

func setup(t *testing.T) {
	t.Helper()
	check(t, LoadTrustedSetupFile(os.Getenv("SETUP"), 0))
	t.Cleanup(FreeTrustedSetup)
}

func TestGolden(t *testing.T) {
	setup(t)
	all := values(t)
	for i := range all {
		one := &all[i]
		commitment, err := BlobToKZGCommitment(&one.blob)
		check(t, err)
		same(t, commitment[:], one.commitment[:])
		proof, y, err := ComputeKZGProof(&one.blob, one.z)
		check(t, err)
		same(t, append(proof[:], y[:]...), append(one.proof[:], one.y[:]...))
		blobProof, err := ComputeBlobKZGProof(&one.blob, one.commitment)
		check(t, err)
		same(t, blobProof[:], one.blobProof[:])
		is(t, true)(VerifyKZGProof(one.commitment, one.z, one.y, one.proof))
		is(t, false)(VerifyKZGProof(one.commitment, one.y, one.y, one.proof))
		is(t, true)(VerifyBlobKZGProof(&one.blob, one.commitment, one.blobProof))
		is(t, false)(VerifyBlobKZGProof(&one.blob, one.commitment, one.proof))
	}
	blobs, commitments := []Blob{all[0].blob, all[1].blob}, []Bytes48{all[0].commitment, all[1].commitment}
	is(t, true)(VerifyBlobKZGProofBatch(blobs, commitments, []Bytes48{all[0].blobProof, all[1].blobProof}))
	is(t, false)(VerifyBlobKZGProofBatch(blobs, commitments, []Bytes48{all[1].blobProof, all[0].blobProof}))
	is(t, true)(VerifyBlobKZGProofBatch(nil, nil, nil))

	cells, proofs, err := ComputeCellsAndKZGProofs(&blobs[1])
	check(t, err)
	if digest(flat(cells[:])) != all[1].cells || digest(bytesOfProofs(proofs)) != all[1].proofs {
		t.Error("cells or proofs are others")
	}
	alone, err := ComputeCells(&blobs[1])
	check(t, err)
	manyCells, manyProofs, err := ComputeCellsAndKZGProofsBatch(blobs)
	check(t, err)
	if alone != cells || len(manyCells) != 2 || manyCells[1] != cells || manyProofs[1] != proofs || digest(bytesOfProofs(manyProofs[0])) != all[0].proofs {
		t.Error("cells of many blobs are others")
	}
	var indices []uint64
	var half []Cell
	for i := uint64(1); i < CellsPerExtBlob; i += 2 {
		indices, half = append(indices, i), append(half, cells[i])
	}
	recovered, again, err := RecoverCellsAndKZGProofs(indices, half)
	check(t, err)
	if recovered != cells || again != proofs {
		t.Error("what is recovered differs")
	}
	three, theirs := []Cell{cells[3], cells[90], cells[127]}, []Bytes48{Bytes48(proofs[3]), Bytes48(proofs[90]), Bytes48(proofs[127])}
	ofBlob := []Bytes48{all[1].commitment, all[1].commitment, all[1].commitment}
	is(t, true)(VerifyCellKZGProofBatch(ofBlob, []uint64{3, 90, 127}, three, theirs))
	is(t, false)(VerifyCellKZGProofBatch(ofBlob, []uint64{4, 90, 127}, three, theirs))

	// Refusals, by several goroutines at a time.
	var group sync.WaitGroup
	for i := 0; i < 4; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			above := blobs[0]
			above[32*i] = 255
			if _, err := BlobToKZGCommitment(&above); !errors.Is(err, pail.ErrData) {
				t.Error(err)
			}
			if commitment, err := BlobToKZGCommitment(&blobs[0]); err != nil || Bytes48(commitment) != all[0].commitment {
				t.Error(commitment, err)
			}
		}(i)
	}
	group.Wait()
	for _, call := range []func() error{
		func() error { _, err := VerifyBlobKZGProofBatch(blobs, commitments[1:], commitments); return err },
		func() error { _, err := VerifyCellKZGProofBatch(ofBlob, indices, three, theirs); return err },
		func() error { _, _, err := RecoverCellsAndKZGProofs(indices, half[1:]); return err },
	} {
		if err := call(); !errors.Is(err, pail.ErrArgument) {
			t.Error(err)
		}
	}
	if _, _, err := RecoverCellsAndKZGProofs(indices[1:], half[1:]); !errors.Is(err, pail.ErrData) || !strings.Contains(err.Error(), "63 cells") {
		t.Error(err)
	}
	if _, err := ComputeCells(nil); err == nil {
		t.Error("a blob that is nil")
	}
	if err := LoadTrustedSetupFile(os.Getenv("SETUP"), 0); err != ErrLoaded {
		t.Error(err)
	}
}

func bytesOfProofs(proofs [CellsPerExtBlob]KZGProof) []byte {
	var made []byte
	for _, proof := range proofs {
		made = append(made, proof[:]...)
	}
	return made
}

// The points of a setup as bytes; setups that are not Ethereum's; use without one.
func TestSetups(t *testing.T) {
	FreeTrustedSetup()
	if _, err := BlobToKZGCommitment(&Blob{}); err != ErrNotLoaded {
		t.Error(err)
	}
	small, err := os.ReadFile(os.Getenv("DATA") + "/eip-4844/trusted_setup.txt")
	check(t, err)
	words := strings.Fields(string(small))
	points := func(from, to int) []byte {
		made, err := hex.DecodeString(strings.Join(words[from:to], ""))
		check(t, err)
		return made
	}
	lagrange, g2, powers := points(2, 10), points(10, 13), points(13, 21)
	if err := LoadTrustedSetup(powers, lagrange, g2, 0); err == nil || !strings.Contains(err.Error(), "blobs of 256 bytes") {
		t.Error(err)
	}
	if err := LoadTrustedSetup(lagrange, powers, g2, 0); !errors.Is(err, pail.ErrData) {
		t.Error(err)
	}
	for sentence, call := range map[string]func() error{
		"precompute is 16":          func() error { return LoadTrustedSetupFile(os.Getenv("SETUP"), 16) },
		"but g1LagrangeBytes 383":   func() error { return LoadTrustedSetup(powers, lagrange[1:], g2, 0) },
		"g2MonomialBytes has 287":   func() error { return LoadTrustedSetup(powers, lagrange, g2[1:], 0) },
		"digits is not of 32 bytes": func() error { var z Bytes32; return z.UnmarshalText([]byte("0x00")) },
		"points of 32, not":         func() error { return LoadTrustedSetupFile(os.Getenv("DATA")+"/ptau/bn254-3.ptau", 0) },
		"nowhere":                   func() error { return LoadTrustedSetupFile("/nowhere", 0) },
		"invalid byte":              func() error { var p Bytes48; return p.UnmarshalText(bytes.Repeat([]byte("x"), 96)) },
		"byte: U+0078 'x'": func() error {
			var blob Blob
			err := blob.UnmarshalText(append(bytes.Repeat([]byte("1"), 2*BytesPerBlob-1), 'x'))
			if blob != (Blob{}) {
				t.Error("a half of a blob stays")
			}
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), sentence) {
			t.Errorf("%v has not %q", err, sentence)
		}
	}
}
