// SPDX-License-Identifier: Apache-2.0
// Package gnark compares pail.Gnark with gnark-crypto itself, over BN254. test_go.py puts both into one GOPATH, and makes the same
// test for BLS12-381 of it.
package gnark

import (
	"bytes"
	"math/big"
	"math/rand"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	curve "github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
	"pail"
)

var sizes = []int{1, 2, 3, 17, 64, 255, 256, 1000, 4096}

func good[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// elements are n of them: random, and those on the edge.
func elements[S any](n int, random *rand.Rand, set func(*S, *big.Int), modulus *big.Int) []S {
	made := make([]S, n)
	for i := range made {
		value := new(big.Int).Rand(random, modulus)
		switch i % 7 {
		case 3:
			value.SetInt64(int64(i % 2))
		case 5:
			value.Sub(modulus, big.NewInt(1))
		}
		set(&made[i], value)
	}
	return made
}

// group compares multiplications of one group; affine A, Jacobian J, scalars S.
func group[A, J, S any](t *testing.T, random *rand.Rand, multiply func([]S) []A, scalars func(int) []S,
	prepare func([]byte) (*pail.Bases, error), ours func(*pail.Bases, []byte) ([]byte, error),
	theirs func(*J, []A, []S) (*J, error), equal func(*J, *J) bool) (n int) {
	for _, size := range sizes {
		points := multiply(scalars(size)) // a scalar of 0 makes infinity
		bases := good[*pail.Bases](t)(prepare(pail.Raw(points)))
		for again := 0; again < 5; again++ {
			factors := scalars(size)
			got, want := make([]J, 1), new(J)
			copy(pail.Raw(got), good[[]byte](t)(ours(bases, pail.Raw(factors))))
			good[*J](t)(theirs(want, points, factors))
			if !equal(&got[0], want) {
				t.Fatalf("%d points: %v is not %v", size, got[0], *want)
			}
			n++
		}
		bases.Close()
	}
	return n
}

// quotients compares ComputeH with what the library's transforms make of the same values: the quotient in bit-reversed order.
func quotients[S any](t *testing.T, scalars func(int) []S, compute func(a, b, c []byte, size uint64) ([]byte, error),
	theirs func(a, b, c []S)) (n int) {
	for _, size := range []int{2, 8, 64, 1024} {
		for again := 0; again < 5; again++ {
			a, b, c := scalars(size), scalars(size), scalars(size)
			got := good[[]byte](t)(compute(pail.Raw(a), pail.Raw(b), pail.Raw(c), uint64(size)))
			theirs(a, b, c)
			if !bytes.Equal(got, pail.Raw(a)) {
				t.Fatalf("the quotient of %d values differs", size)
			}
			n++
		}
	}
	return n
}

var config = ecc.MultiExpConfig{}

func TestLibrary(t *testing.T) {
	random := rand.New(rand.NewSource(254))
	gnark := good[*pail.Gnark](t)(pail.NewGnark(good[*pail.Context](t)(pail.NewContext(nil)), pail.BN254))
	scalars := func(n int) []fr.Element {
		return elements(n, random, func(e *fr.Element, v *big.Int) { e.SetBigInt(v) }, fr.Modulus())
	}
	_, _, g1, g2 := curve.Generators()
	n := group(t, random, func(s []fr.Element) []curve.G1Affine { return curve.BatchScalarMultiplicationG1(&g1, s) }, scalars,
		gnark.PrepareG1, gnark.MultiExpG1,
		func(p *curve.G1Jac, a []curve.G1Affine, s []fr.Element) (*curve.G1Jac, error) {
			return p.MultiExp(a, s, config)
		},
		func(a, b *curve.G1Jac) bool { return a.Equal(b) })
	n += group(t, random, func(s []fr.Element) []curve.G2Affine { return curve.BatchScalarMultiplicationG2(&g2, s) }, scalars,
		gnark.PrepareG2, gnark.MultiExpG2,
		func(p *curve.G2Jac, a []curve.G2Affine, s []fr.Element) (*curve.G2Jac, error) {
			return p.MultiExp(a, s, config)
		},
		func(a, b *curve.G2Jac) bool { return a.Equal(b) })
	n += quotients(t, scalars, gnark.ComputeH, func(a, b, c []fr.Element) {
		domain := fft.NewDomain(uint64(len(a)))
		for _, values := range [][]fr.Element{a, b, c} {
			domain.FFTInverse(values, fft.DIF)
			domain.FFT(values, fft.DIT, fft.OnCoset())
		}
		var below, one fr.Element
		one.SetOne()
		below.Exp(domain.FrMultiplicativeGen, big.NewInt(int64(len(a)))).Sub(&below, &one).Inverse(&below)
		for i := range a {
			a[i].Mul(&a[i], &b[i]).Sub(&a[i], &c[i]).Mul(&a[i], &below)
		}
		domain.FFTInverse(a, fft.DIF, fft.OnCoset())
	})
	t.Logf("%d equal", n)
}
