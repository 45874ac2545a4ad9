// SPDX-License-Identifier: Apache-2.0
// Package ckzg has the functions and types of c-kzg-4844's package for Go, over pail.KZG: KZG of EIP-4844 and EIP-7594 with one
// setup for the process. Functions may be called by several goroutines at a time.
package ckzg

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"pail"
)

const (
	BytesPerBlob            = FieldElementsPerBlob * BytesPerFieldElement
	BytesPerCell            = FieldElementsPerCell * BytesPerFieldElement
	BytesPerCommitment      = 48
	BytesPerFieldElement    = 32
	BytesPerProof           = 48
	CellsPerExtBlob         = 128
	FieldElementsPerBlob    = 4096
	FieldElementsPerCell    = 64
	FieldElementsPerExtBlob = 2 * FieldElementsPerBlob
)

type (
	Bytes32       [32]byte
	Bytes48       [48]byte
	KZGCommitment Bytes48
	KZGProof      Bytes48
	Blob          [BytesPerBlob]byte
	Cell          [BytesPerCell]byte
)

// ErrNotLoaded is returned before LoadTrustedSetup and after FreeTrustedSetup, where c-kzg's package panics.
var ErrNotLoaded = errors.New("ckzg: no trusted setup is loaded")

// ErrLoaded is returned by a second LoadTrustedSetup, where c-kzg's package panics.
var ErrLoaded = errors.New("ckzg: a trusted setup is already loaded")

var (
	lock    sync.RWMutex
	context *pail.Context
	loaded  *pail.KZG
)

// LoadTrustedSetupFile opens a text file as c-kzg has it. precompute, from 0 to 15, lets tables take as much memory as c-kzg's of
// that width. The backend is the best of this machine, or PAIL_BACKEND's.
func LoadTrustedSetupFile(trustedSetupFile string, precompute uint) error {
	return load(precompute, func(c *pail.Context, options *pail.KZGOptions) (*pail.KZG, error) {
		return c.OpenKZG(trustedSetupFile, options)
	})
}

// LoadTrustedSetup opens compressed points: powers and Lagrange points of G1, and powers of G2.
func LoadTrustedSetup(g1MonomialBytes, g1LagrangeBytes, g2MonomialBytes []byte, precompute uint) error {
	if len(g1LagrangeBytes) != len(g1MonomialBytes) {
		return fmt.Errorf("ckzg: g1MonomialBytes has %d bytes, but g1LagrangeBytes %d", len(g1MonomialBytes), len(g1LagrangeBytes))
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%d\n%d\n", len(g1LagrangeBytes)/48, len(g2MonomialBytes)/96)
	for _, points := range []struct {
		name  string
		bytes []byte
		each  int
	}{{"g1LagrangeBytes", g1LagrangeBytes, 48}, {"g2MonomialBytes", g2MonomialBytes, 96}, {"g1MonomialBytes", g1MonomialBytes, 48}} {
		if len(points.bytes)%points.each != 0 {
			return fmt.Errorf("ckzg: %s has %d bytes, which is no multiple of %d", points.name, len(points.bytes), points.each)
		}
		for rest := points.bytes; len(rest) > 0; rest = rest[points.each:] {
			text.WriteString(hex.EncodeToString(rest[:points.each]) + "\n")
		}
	}
	return load(precompute, func(c *pail.Context, options *pail.KZGOptions) (*pail.KZG, error) {
		return c.NewKZG(text.Bytes(), options)
	})
}

func load(precompute uint, open func(*pail.Context, *pail.KZGOptions) (*pail.KZG, error)) error {
	if precompute > 15 {
		return fmt.Errorf("ckzg: precompute is %d, and is to be from 0 to 15", precompute)
	}
	options := &pail.KZGOptions{MemoryBudget: 32 << 20} // points, and the least tables
	if precompute > 0 {
		options.MemoryBudget += 786432 << (precompute - 1) // c-kzg's tables
	}
	lock.Lock()
	defer lock.Unlock()
	if loaded != nil {
		return ErrLoaded
	}
	made, err := pail.NewContext(nil)
	if err != nil {
		return err
	}
	setup, err := open(made, options)
	if err == nil {
		if s := setup.Sizes(); s.Blob != BytesPerBlob || s.Cell != BytesPerCell || s.Point != BytesPerProof {
			setup.Close()
			err = fmt.Errorf("ckzg: the setup is for blobs of %d bytes, cells of %d and points of %d, not for Ethereum's",
				s.Blob, s.Cell, s.Point)
		}
	}
	if err != nil {
		made.Close()
		return err
	}
	context, loaded = made, setup
	return nil
}

// FreeTrustedSetup closes the setup, after calls that are under way.
func FreeTrustedSetup() {
	lock.Lock()
	defer lock.Unlock()
	if loaded != nil {
		loaded.Close()
		context.Close()
		context, loaded = nil, nil
	}
}

func run(request pail.KZGRequest) (*pail.KZGResult, error) {
	lock.RLock()
	defer lock.RUnlock()
	if loaded == nil {
		return nil, ErrNotLoaded
	}
	return loaded.Run(request)
}

func valid(request pail.KZGRequest) (bool, error) {
	made, err := run(request)
	return err == nil && made.Valid, err
}

// flat is the memory of a slice of arrays of bytes.
func flat[T Bytes48 | Blob | Cell](all []T) []byte {
	if len(all) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&all[0])), len(all)*int(unsafe.Sizeof(all[0])))
}

var errNoBlob = errors.New("ckzg: the blob is nil")

func bytesOf(blob *Blob) ([]byte, error) {
	if blob == nil {
		return nil, errNoBlob
	}
	return blob[:], nil
}

// BlobToKZGCommitment is the commitment to a blob.
func BlobToKZGCommitment(blob *Blob) (made KZGCommitment, err error) {
	content, err := bytesOf(blob)
	if err != nil {
		return made, err
	}
	result, err := run(pail.KZGRequest{Operation: pail.KZGCommit, Blobs: content})
	if err == nil {
		copy(made[:], result.Commitments)
	}
	return made, err
}

// ComputeKZGProof is a proof that the blob's polynomial has a value at zBytes, and that value.
func ComputeKZGProof(blob *Blob, zBytes Bytes32) (proof KZGProof, y Bytes32, err error) {
	content, err := bytesOf(blob)
	if err != nil {
		return proof, y, err
	}
	result, err := run(pail.KZGRequest{Operation: pail.KZGProve, Blobs: content, Points: zBytes[:]})
	if err == nil {
		copy(proof[:], result.Proofs)
		copy(y[:], result.Values)
	}
	return proof, y, err
}

// ComputeBlobKZGProof is the proof of a blob by its commitment, which is not compared with the blob.
func ComputeBlobKZGProof(blob *Blob, commitmentBytes Bytes48) (proof KZGProof, err error) {
	content, err := bytesOf(blob)
	if err != nil {
		return proof, err
	}
	result, err := run(pail.KZGRequest{Operation: pail.KZGProveBlob, Blobs: content, Commitments: commitmentBytes[:]})
	if err == nil {
		copy(proof[:], result.Proofs)
	}
	return proof, err
}

// VerifyKZGProof tells whether the polynomial of a commitment has the value yBytes at zBytes.
func VerifyKZGProof(commitmentBytes Bytes48, zBytes, yBytes Bytes32, proofBytes Bytes48) (bool, error) {
	return valid(pail.KZGRequest{Operation: pail.KZGVerify, Commitments: commitmentBytes[:], Points: zBytes[:], Values: yBytes[:],
		Proofs: proofBytes[:]})
}

// VerifyBlobKZGProof tells whether a blob has a commitment.
func VerifyBlobKZGProof(blob *Blob, commitmentBytes, proofBytes Bytes48) (bool, error) {
	content, err := bytesOf(blob)
	if err != nil {
		return false, err
	}
	return valid(pail.KZGRequest{Operation: pail.KZGVerifyBlobs, Blobs: content, Commitments: commitmentBytes[:], Proofs: proofBytes[:]})
}

// VerifyBlobKZGProofBatch tells whether each of many blobs has its commitment.
func VerifyBlobKZGProofBatch(blobs []Blob, commitmentsBytes, proofsBytes []Bytes48) (bool, error) {
	return valid(pail.KZGRequest{Operation: pail.KZGVerifyBlobs, Blobs: flat(blobs), Commitments: flat(commitmentsBytes),
		Proofs: flat(proofsBytes)})
}

// cellsOf are the cells and proofs of one blob.
func cellsOf(result *pail.KZGResult, blob int, cells *[CellsPerExtBlob]Cell, proofs *[CellsPerExtBlob]KZGProof) {
	for i := range cells {
		at := blob*CellsPerExtBlob + i
		copy(cells[i][:], result.Cells[at*BytesPerCell:])
		if proofs != nil {
			copy(proofs[i][:], result.Proofs[at*BytesPerProof:])
		}
	}
}

// wipe zeroes cells that were copied.
func wipe(result *pail.KZGResult) {
	for i := range result.Cells {
		result.Cells[i] = 0
	}
}

// ComputeCells are the cells of a blob.
func ComputeCells(blob *Blob) (cells [CellsPerExtBlob]Cell, err error) {
	content, err := bytesOf(blob)
	if err != nil {
		return cells, err
	}
	result, err := run(pail.KZGRequest{Operation: pail.KZGCells, Blobs: content, CellsAlone: true})
	if err == nil {
		cellsOf(result, 0, &cells, nil)
		wipe(result)
	}
	return cells, err
}

// ComputeCellsAndKZGProofs are the cells of a blob and their proofs.
func ComputeCellsAndKZGProofs(blob *Blob) (cells [CellsPerExtBlob]Cell, proofs [CellsPerExtBlob]KZGProof, err error) {
	content, err := bytesOf(blob)
	if err != nil {
		return cells, proofs, err
	}
	result, err := run(pail.KZGRequest{Operation: pail.KZGCells, Blobs: content})
	if err == nil {
		cellsOf(result, 0, &cells, &proofs)
		wipe(result)
	}
	return cells, proofs, err
}

// ComputeCellsAndKZGProofsBatch is the same of many blobs at once, in less time than one after another. c-kzg has none of the kind.
func ComputeCellsAndKZGProofsBatch(blobs []Blob) ([][CellsPerExtBlob]Cell, [][CellsPerExtBlob]KZGProof, error) {
	result, err := run(pail.KZGRequest{Operation: pail.KZGCells, Blobs: flat(blobs)})
	if err != nil {
		return nil, nil, err
	}
	cells, proofs := make([][CellsPerExtBlob]Cell, len(blobs)), make([][CellsPerExtBlob]KZGProof, len(blobs))
	for i := range blobs {
		cellsOf(result, i, &cells[i], &proofs[i])
	}
	wipe(result)
	return cells, proofs, nil
}

// RecoverCellsAndKZGProofs are all cells of a blob and their proofs, from half of its cells or more; indices ascend.
func RecoverCellsAndKZGProofs(cellIndices []uint64, cells []Cell) (all [CellsPerExtBlob]Cell, proofs [CellsPerExtBlob]KZGProof, err error) {
	result, err := run(pail.KZGRequest{Operation: pail.KZGRecover, Starts: []uint64{0, uint64(len(cells))}, Indices: cellIndices,
		Cells: flat(cells)})
	if err == nil {
		cellsOf(result, 0, &all, &proofs)
		wipe(result)
	}
	return all, proofs, err
}

// VerifyCellKZGProofBatch tells whether each cell is that of its index of the blob of its commitment.
func VerifyCellKZGProofBatch(commitmentsBytes []Bytes48, cellIndices []uint64, cells []Cell, proofsBytes []Bytes48) (bool, error) {
	return valid(pail.KZGRequest{Operation: pail.KZGVerifyCells, Commitments: flat(commitmentsBytes), Indices: cellIndices,
		Cells: flat(cells), Proofs: flat(proofsBytes)})
}

func fromHex(to []byte, text []byte) error {
	digits := bytes.TrimPrefix(text, []byte("0x")) // a part of the caller's, and no copy
	if len(digits) != 2*len(to) {
		return fmt.Errorf("ckzg: a text of %d hexadecimal digits is not of %d bytes", len(digits), len(to))
	}
	_, err := hex.Decode(to, digits)
	for i := range to {
		if err != nil {
			to[i] = 0
		}
	}
	return err
}

// UnmarshalText reads hexadecimal digits, with or without 0x.
func (b *Bytes32) UnmarshalText(input []byte) error { return fromHex(b[:], input) }

// UnmarshalText reads hexadecimal digits, with or without 0x.
func (b *Bytes48) UnmarshalText(input []byte) error { return fromHex(b[:], input) }

// UnmarshalText reads hexadecimal digits, with or without 0x.
func (b *Blob) UnmarshalText(input []byte) error { return fromHex(b[:], input) }

// UnmarshalText reads hexadecimal digits, with or without 0x.
func (c *Cell) UnmarshalText(input []byte) error { return fromHex(c[:], input) }
