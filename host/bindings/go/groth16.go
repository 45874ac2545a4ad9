// SPDX-License-Identifier: Apache-2.0
package pail

/*
#include "bridge.h"
#include <stdlib.h>
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Key is a Groth16 proving key that is registered with a context.
type Key struct {
	owned
	handle  *C.pail_groth16_key
	nPublic int
}

// OpenKey opens a .zkey file.
func (c *Context) OpenKey(path string) (*Key, error) {
	name, err := cString(path, "the path")
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	return c.key(name, nil)
}

// NewKey opens the bytes of a .zkey file.
func (c *Context) NewKey(zkey []byte) (*Key, error) {
	if len(zkey) == 0 {
		return nil, argument("the key has no bytes")
	}
	return c.key(nil, zkey)
}

func (c *Context) key(path *C.char, zkey []byte) (*Key, error) {
	if err := c.use(); err != nil {
		return nil, err
	}
	defer c.lock.RUnlock()
	var why sentence
	made := &Key{}
	status := C.bridge_key(&c.state.c, &made.handle, path, at(zkey), C.uint64_t(len(zkey)), why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	made.nPublic = int(C.bridge_key_public(made.handle))
	made.own(c.state.retain())
	runtime.SetFinalizer(made, (*Key).Close)
	return made, nil
}

// Close releases the key.
func (k *Key) Close() error {
	runtime.SetFinalizer(k, nil)
	return k.end(func() { C.bridge_key_close(k.handle) })
}

// Blinding is r and s of a proof that is to be the same each time: for tests. Such a proof tells of its witness.
type Blinding struct{ R, S [32]byte }

// Proof is a proof with what it says in public.
type Proof struct {
	proof C.pail_groth16_proof
	// Publics are canonical, little-endian, in the order of the circuit.
	Publics [][32]byte
}

// Prove proves; the witness is a .wtns file. blinding may be nil.
func (k *Key) Prove(path string, blinding *Blinding) (*Proof, error) {
	name, err := cString(path, "the path")
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	return k.prove(name, nil, blinding)
}

// ProveBytes proves; the witness is the bytes of a .wtns file.
func (k *Key) ProveBytes(wtns []byte, blinding *Blinding) (*Proof, error) {
	if len(wtns) == 0 {
		return nil, argument("the witness has no bytes")
	}
	return k.prove(nil, wtns, blinding)
}

func (k *Key) prove(path *C.char, wtns []byte, blinding *Blinding) (*Proof, error) {
	if err := k.use(); err != nil {
		return nil, err
	}
	defer k.lock.RUnlock()
	var why sentence
	var both *C.uint8_t
	if blinding != nil {
		secret := append(blinding.R[:], blinding.S[:]...)
		both = (*C.uint8_t)(&secret[0])
	}
	made := &Proof{Publics: make([][32]byte, k.nPublic)}
	status := C.bridge_prove(k.handle, &made.proof, made.publics(), path, at(wtns), C.uint64_t(len(wtns)), both, why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	return made, nil
}

func (p *Proof) publics() unsafe.Pointer {
	if len(p.Publics) == 0 {
		return nil
	}
	return unsafe.Pointer(&p.Publics[0])
}

// Verify says whether a proof is valid for this key. ErrData where something in it is no point or no public value.
func (k *Key) Verify(proof *Proof) (bool, error) {
	if err := k.use(); err != nil {
		return false, err
	}
	defer k.lock.RUnlock()
	var why sentence
	var valid C.uint32_t
	status := C.bridge_verify(k.handle, &valid, &proof.proof, proof.publics(), C.uint64_t(len(proof.Publics)), why.at())
	return valid == 1, why.check(status)
}

// JSON is the text of proof.json, as snarkjs writes it.
func (p *Proof) JSON() (string, error) {
	return text(func(to *C.char, room C.size_t, length *C.size_t, why *sentence) C.pail_status {
		return C.pail_groth16_proof_text(to, room, length, &p.proof, C.PAIL_GROTH16_SNARKJS, why.at(), C.BRIDGE_SENTENCE)
	})
}

// PublicJSON is the text of public.json, as snarkjs writes it.
func (p *Proof) PublicJSON() (string, error) {
	return text(func(to *C.char, room C.size_t, length *C.size_t, why *sentence) C.pail_status {
		return C.pail_groth16_public_text(to, room, length, p.publics(), C.uint64_t(len(p.Publics)), C.PAIL_GROTH16_SNARKJS,
			why.at(), C.BRIDGE_SENTENCE)
	})
}

func text(write func(*C.char, C.size_t, *C.size_t, *sentence) C.pail_status) (string, error) {
	var why sentence
	var length C.size_t
	if err := why.check(write(nil, 0, &length, &why)); err != nil {
		return "", err
	}
	made := make([]C.char, length+1)
	if err := why.check(write(&made[0], length+1, &length, &why)); err != nil {
		return "", err
	}
	return C.GoStringN(&made[0], C.int(length)), nil
}
