// SPDX-License-Identifier: Apache-2.0
package pail

import (
	"bytes"
	"math/big"
	"math/bits"
	"math/rand"
	"os"
	"strings"
	"testing"
)

// As gnark-crypto declares them.
type (
	frElement [4]uint64
	g1Affine  struct{ X, Y frElement }
	g1Jac     struct{ X, Y, Z frElement }
)

func toElements(bytes []byte, modulus *big.Int) []frElement {
	made := make([]frElement, len(bytes)/32)
	for i := range made {
		value := littleEndian(bytes[32*i : 32*i+32])
		value.Lsh(value, 256).Mod(value, modulus)
		copy(Raw(made[i:i+1]), toLittleEndian(value, 32))
	}
	return made
}

func fromElement(element frElement, modulus *big.Int) *big.Int {
	inverse := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 256), modulus)
	value := littleEndian(Raw([]frElement{element}))
	return value.Mul(value, inverse).Mod(value, modulus)
}

func TestGnarkMultiExpG1(t *testing.T) {
	gnark := good[*Gnark](t)(NewGnark(newContext(t, nil), BN254))
	field := fields[BN254]
	text := string(read(t, os.Getenv("CASES")))
	one := toElements(small(1), field.p)[0]
	seen := map[bool]int{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Split(line, " ")
		coordinates, expected := toElements(fromHex(t, words[1]), field.p), toElements(fromHex(t, words[3]), field.p)
		points := make([]g1Affine, len(coordinates)/2)
		for i := range points {
			points[i] = g1Affine{coordinates[2*i], coordinates[2*i+1]}
		}
		scalars := toElements(fromHex(t, words[2]), field.r)
		if len(scalars) != len(points) {
			continue
		}
		bases := good[*Bases](t)(gnark.PrepareG1(Raw(points)))
		sum := good[[]byte](t)(gnark.MultiExpG1(bases, Raw(scalars)))
		bases.Close()
		want := g1Jac{expected[0], expected[1], one}
		infinity := expected[0] == frElement{} && expected[1] == frElement{}
		if infinity {
			want = g1Jac{X: one, Y: one}
		}
		if !bytes.Equal(sum, Raw([]g1Jac{want})) {
			t.Fatalf("%s: %x", words[0], sum)
		}
		seen[infinity]++
	}
	if seen[true] == 0 || seen[false] < 20 {
		t.Fatal(seen)
	}
}

// Generators of both groups of both curves: k G + (r - k) G is infinity, and k G + l G is (k + l) G.
func TestGnarkGroups(t *testing.T) {
	for curve, field := range fields {
		gnark := good[*Gnark](t)(NewGnark(newContext(t, nil), curve))
		scalars := func(values ...*big.Int) (made []byte) {
			for _, value := range values {
				made = append(made, Raw(toElements(toLittleEndian(value, 32), field.r))...)
			}
			return made
		}
		for group, prepare := range map[Group]func([]byte) (*Bases, error){G1: gnark.PrepareG1, G2: gnark.PrepareG2} {
			multiExp := map[Group]func(*Bases, []byte) ([]byte, error){G1: gnark.MultiExpG1, G2: gnark.MultiExpG2}[group]
			var point []byte
			for _, coordinate := range generatorCoordinates[curve][group] {
				point = append(point, field.montgomery(coordinate)...)
			}
			one := append(field.montgomery(big.NewInt(1)), make([]byte, len(point)/2-field.width)...)
			bases := good[*Bases](t)(prepare(append(append([]byte{}, point...), point...)))
			k, l := big.NewInt(123456789), new(big.Int).Rsh(field.r, 3)
			sum := good[[]byte](t)(multiExp(bases, scalars(k, l)))
			same := good[[]byte](t)(multiExp(bases, scalars(new(big.Int), new(big.Int).Add(k, l))))
			if !bytes.Equal(sum, same) || !bytes.Equal(sum[len(point):], one) {
				t.Fatalf("%d %d: %x is not %x", curve, group, sum, same)
			}
			sum = good[[]byte](t)(multiExp(bases, scalars(new(big.Int).Sub(field.r, k), new(big.Int).Add(k, big.NewInt(1)))))
			if !bytes.Equal(sum, append(append([]byte{}, point...), one...)) {
				t.Fatalf("%d %d: %x is not the generator", curve, group, sum)
			}
			sum = good[[]byte](t)(multiExp(bases, scalars(k, new(big.Int).Sub(field.r, k))))
			if !bytes.Equal(sum, append(append(append([]byte{}, one...), one...), make([]byte, len(one))...)) {
				t.Fatalf("%d %d: %x is not infinity", curve, group, sum)
			}
			_, err := multiExp(bases, scalars(k))
			fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "2 bases need 64")
			other := map[Group]func(*Bases, []byte) ([]byte, error){G2: gnark.MultiExpG1, G1: gnark.MultiExpG2}[group]
			_, err = other(bases, scalars(k, l))
			fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "bytes, and not")
			bases.Close()
		}
	}
}

func hexadecimal(texts ...string) (made []*big.Int) {
	for _, text := range texts {
		value, _ := new(big.Int).SetString(text, 16)
		made = append(made, value)
	}
	return made
}

// EIP-197 and the specification of BLS12-381; c0 before c1.
var generatorCoordinates = map[Curve]map[Group][]*big.Int{
	BN254: {
		G1: hexadecimal("1", "2"),
		G2: hexadecimal("1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed",
			"198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2",
			"12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
			"90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"),
	},
	BLS12381: {
		G1: hexadecimal("17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
			"08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"),
		G2: hexadecimal("024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
			"13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e",
			"0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801",
			"0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be"),
	},
}

// interpolated is the value at x of the polynomial with the values given at the powers of root: Lagrange's formula.
func interpolated(values []*big.Int, root, x, r *big.Int) *big.Int {
	sum, size := new(big.Int), int64(len(values))
	vanishing := new(big.Int).Exp(x, big.NewInt(size), r)
	vanishing.Sub(vanishing, big.NewInt(1)).Mul(vanishing, new(big.Int).ModInverse(big.NewInt(size), r))
	power := big.NewInt(1)
	for _, value := range values {
		term := new(big.Int).Sub(x, power)
		term.Mod(term, r).ModInverse(term, r).Mul(term, power).Mul(term, value).Mul(term, vanishing)
		sum.Add(sum, term).Mod(sum, r)
		power = new(big.Int).Mod(new(big.Int).Mul(power, root), r)
	}
	return sum
}

// a(x) b(x) - c(x) = h(x) (x^n - 1) at an x of which nobody knew.
func TestGnarkComputeH(t *testing.T) {
	random := rand.New(rand.NewSource(5))
	for curve, field := range fields {
		gnark := good[*Gnark](t)(NewGnark(newContext(t, nil), curve))
		half := new(big.Int).Exp(field.root, new(big.Int).Lsh(big.NewInt(1), uint(field.log-1)), field.r)
		if half.Cmp(new(big.Int).Sub(field.r, big.NewInt(1))) != 0 {
			t.Fatal("the root has another order")
		}
		for _, sizes := range [][2]int{{1, 1}, {2, 1}, {8, 8}, {64, 41}, {256, 0}, {1024, 1000}} {
			size, n := sizes[0], sizes[1]
			values, raw := [3][]*big.Int{}, [3][]byte{}
			for i := 0; i < size; i++ {
				for k := range values {
					value := new(big.Int)
					if i < n && k < 2 {
						value.Rand(random, field.r)
					} else if k == 2 {
						value.Mul(values[0][i], values[1][i]).Mod(value, field.r)
					}
					values[k] = append(values[k], value)
					if i < n {
						raw[k] = append(raw[k], Raw(toElements(toLittleEndian(value, 32), field.r))...)
					}
				}
			}
			h := good[[]byte](t)(gnark.ComputeH(raw[0], raw[1], raw[2], uint64(size)))
			if !bytes.Equal(h[len(h)-32:], make([]byte, 32)) { // pk.G1.Z has no point for it
				t.Fatalf("curve %d, %d of %d: the last coefficient is not zero", curve, n, size)
			}
			log := bits.TrailingZeros(uint(size))
			root, x := field.generator(uint32(log)), new(big.Int).Rand(random, field.r)
			left := new(big.Int).Mul(interpolated(values[0], root, x, field.r), interpolated(values[1], root, x, field.r))
			left.Sub(left, interpolated(values[2], root, x, field.r)).Mod(left, field.r)
			right := new(big.Int)
			for i := size - 1; i >= 0; i-- {
				place := int(bits.Reverse32(uint32(i)) >> (32 - log))
				elements := make([]frElement, 1)
				copy(Raw(elements), h[32*place:32*place+32])
				right.Mul(right, x).Add(right, fromElement(elements[0], field.r)).Mod(right, field.r)
			}
			vanishing := new(big.Int).Exp(x, big.NewInt(int64(size)), field.r)
			right.Mul(right, vanishing.Sub(vanishing, big.NewInt(1))).Mod(right, field.r)
			if left.Cmp(right) != 0 {
				t.Fatalf("curve %d, %d of %d: %d is not %d", curve, n, size, left, right)
			}
		}
		_, err := gnark.ComputeH(nil, nil, nil, 3)
		fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "cardinality 3")
		_, err = gnark.ComputeH(small(1, 2), small(1), small(1), 4)
		fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "64, 32 and 32 bytes")
		_, err = gnark.ComputeH(bytes.Repeat([]byte{255}, 64), small(1, 2), small(1, 2), 4)
		fails(t, err, ErrData, "PAIL_ERR_DATA", "")
	}
	_, err := NewGnark(newContext(t, nil), 9)
	fails(t, err, ErrArgument, "PAIL_ERR_ARGUMENT", "curve 9")
}
