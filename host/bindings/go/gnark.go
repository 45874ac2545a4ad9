// SPDX-License-Identifier: Apache-2.0
package pail

/*
#include "gnark.h"
*/
import "C"

import (
	"math/big"
	"math/bits"
	"unsafe"
)

// Gnark computes what a prover of gnark hands to an accelerator, on memory as gnark-crypto has it: an fr.Element is 32
// bytes, a G1Affine X then Y (zeros at infinity), a G1Jac X, Y, Z; in G2 A0 before A1. All of these are in Montgomery form,
// little-endian. Raw gives the bytes of a slice of them.
type Gnark struct {
	context *Context
	curve   Curve
}

// NewGnark keeps the context, which the caller closes.
func NewGnark(context *Context, curve Curve) (*Gnark, error) {
	if _, ok := fields[curve]; !ok {
		return nil, argument("curve %d is none that there is", curve)
	}
	return &Gnark{context, curve}, nil
}

// Raw is the memory of values, as it is: no copy. T is an array or a struct of uint64, without pointers.
func Raw[T any](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}

// PrepareG1 registers points, a []G1Affine, that a proving key has. They are not asked to be on the curve.
func (g *Gnark) PrepareG1(points []byte) (*Bases, error) {
	return g.context.NewBasesOf(points, g.curve, G1, Montgomery, ValidateNone)
}

// PrepareG2 registers a []G2Affine.
func (g *Gnark) PrepareG2(points []byte) (*Bases, error) {
	return g.context.NewBasesOf(points, g.curve, G2, Montgomery, ValidateNone)
}

// MultiExpG1 is the sum of scalars[i] * bases[i], a G1Jac with Z = 1, or (1, 1, 0). scalars is a []fr.Element, as long as
// the bases.
func (g *Gnark) MultiExpG1(bases *Bases, scalars []byte) ([]byte, error) {
	return g.multiExp(bases, scalars, G1)
}

// MultiExpG2 is the same in G2.
func (g *Gnark) MultiExpG2(bases *Bases, scalars []byte) ([]byte, error) {
	return g.multiExp(bases, scalars, G2)
}

func (g *Gnark) multiExp(bases *Bases, scalars []byte, group Group) ([]byte, error) {
	if len(scalars) != 32*bases.Len() {
		return nil, argument("scalars have %d bytes, and %d bases need %d", len(scalars), bases.Len(), 32*bases.Len())
	}
	sum, err := bases.MSMOf(scalars, 0, Montgomery)
	if err != nil {
		return nil, err
	}
	if len(sum) != PointBytes(g.curve, group) {
		return nil, argument("a sum of these bases has %d bytes, and not %d", len(sum), PointBytes(g.curve, group))
	}
	return g.jacobian(sum, group), nil
}

// jacobian is the one point that is converted here: results are canonical.
func (g *Gnark) jacobian(sum []byte, group Group) []byte {
	field := fields[g.curve]
	infinity := true
	for _, value := range sum {
		infinity = infinity && value == 0
	}
	made := make([]byte, 3*len(sum)/2)
	for at := 0; at < len(sum); at += field.width {
		copy(made[at:], field.montgomery(littleEndian(sum[at:at+field.width])))
	}
	one := field.montgomery(big.NewInt(1))
	if infinity {
		copy(made, one)
		copy(made[len(sum)/2:], one)
	} else {
		copy(made[len(sum):], one)
	}
	return made
}

// ComputeH is gnark's computeH: of the values a, b, c of three polynomials at the powers of the domain's generator, each a
// []fr.Element of at most cardinality, the coefficients of (a b - c) / (x^cardinality - 1). They are in bit-reversed order,
// as gnark has them and the points pk.G1.Z, of which there is one fewer: the last coefficient is zero. Values that are missing at the end are zeros. cardinality is a power of two.
func (g *Gnark) ComputeH(a, b, c []byte, cardinality uint64) ([]byte, error) {
	field := fields[g.curve]
	if cardinality == 0 || cardinality&(cardinality-1) != 0 || cardinality > 1<<C.PAIL_NTT_LOG_MAX {
		return nil, argument("the cardinality %d is no power of two up to 2^%d", cardinality, C.PAIL_NTT_LOG_MAX)
	}
	if len(a) != len(b) || len(a) != len(c) || len(a)%32 != 0 || uint64(len(a)/32) > cardinality {
		return nil, argument("a, b and c have %d, %d and %d bytes, in a domain of %d elements", len(a), len(b), len(c), cardinality)
	}
	if err := g.context.use(); err != nil {
		return nil, err
	}
	defer g.context.lock.RUnlock()
	domain := field.domain(g.curve, uint32(bits.TrailingZeros64(cardinality)))
	h := make([]byte, 32*cardinality)
	var why sentence
	status := C.bridge_compute_h(&g.context.state.c, at(h), at(a), at(b), at(c), C.uint64_t(len(a)/32), &domain, why.at())
	if err := why.check(status); err != nil {
		return nil, err
	}
	return h, nil
}

// numbers of a curve: p and r, and gnark-crypto's choice of a root of unity and of a coset.
type numbers struct {
	width int
	p, r  *big.Int
	root  *big.Int // of order 2^log
	log   uint32
	coset int64 // FrMultiplicativeGen
}

func decimal(text string) *big.Int {
	value, _ := new(big.Int).SetString(text, 10)
	return value
}

var fields = map[Curve]*numbers{
	BN254: {32, decimal("21888242871839275222246405745257275088696311157297823662689037894645226208583"),
		decimal("21888242871839275222246405745257275088548364400416034343698204186575808495617"),
		decimal("19103219067921713944291392827692070036145651957329286315305642004821462161904"), 28, 5},
	BLS12381: {48, decimal("4002409555221667393417789825735904156556882819939007885332058136124031650490837864442687629129015664037894272559787"),
		decimal("52435875175126190479447740508185965837690552500527637822603658699938581184513"),
		decimal("10238227357739495823651030575849232062558860180284477541189508159991286009131"), 32, 7},
}

func littleEndian(bytes []byte) *big.Int {
	reversed := make([]byte, len(bytes))
	for i, value := range bytes {
		reversed[len(bytes)-1-i] = value
	}
	return new(big.Int).SetBytes(reversed)
}

func toLittleEndian(value *big.Int, width int) []byte {
	made := value.FillBytes(make([]byte, width))
	for i, j := 0, width-1; i < j; i, j = i+1, j-1 {
		made[i], made[j] = made[j], made[i]
	}
	return made
}

// montgomery is value * 2^(8 width) modulo p.
func (n *numbers) montgomery(value *big.Int) []byte {
	moved := new(big.Int).Lsh(value, uint(8*n.width))
	return toLittleEndian(moved.Mod(moved, n.p), n.width)
}

func (n *numbers) generator(log uint32) *big.Int {
	return new(big.Int).Exp(n.root, new(big.Int).Lsh(big.NewInt(1), uint(n.log-log)), n.r)
}

func (n *numbers) domain(curve Curve, log uint32) C.bridge_domain {
	made := C.bridge_domain{curve: C.uint32_t(curve), log_n: C.uint32_t(log)}
	set := func(to *[C.PAIL_SCALAR_BYTES]C.uint8_t, value *big.Int) {
		for i, one := range toLittleEndian(value, len(to)) {
			to[i] = C.uint8_t(one)
		}
	}
	root, coset := n.generator(log), big.NewInt(n.coset)
	size := new(big.Int).Lsh(big.NewInt(1), uint(log))
	scale := new(big.Int).Exp(coset, size, n.r)
	scale.Sub(scale, big.NewInt(1)).ModInverse(scale, n.r)
	set(&made.root, root)
	set(&made.shift, coset)
	set(&made.scale, scale)
	return made
}
