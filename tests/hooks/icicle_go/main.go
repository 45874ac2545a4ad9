// SPDX-License-Identifier: Apache-2.0
// A host of ICICLE's Go packages, which test_icicle.py takes from a checkout: MODULE is the module of the checkout.
package main

import (
	"fmt"
	"os"

	"MODULE/wrappers/golang/core"
	"MODULE/wrappers/golang/curves/bn254"
	"MODULE/wrappers/golang/curves/bn254/g2"
	"MODULE/wrappers/golang/curves/bn254/msm"
	"MODULE/wrappers/golang/curves/bn254/ntt"
	"MODULE/wrappers/golang/curves/bn254/vecOps"
	"MODULE/wrappers/golang/runtime"
)

const n = 256

func good(what string, status runtime.EIcicleError) {
	check(what, status == runtime.Success)
}

func check(what string, right bool) {
	if !right {
		fmt.Println("wrong:", what)
		os.Exit(1)
	}
}

// Of order 2^28, the largest of the field. gnark asks for a domain of the size of each proving key, whose root is a power.
var root = []uint32{0x725b19f0, 0x9bd61b6e, 0x41112ed4, 0x402d111e, 0x8ef62abc, 0x00e0a7eb, 0xa58a7e85, 0x2a3c09f0}

// The sum of points with scalars 1, by additions.
func sums(points core.HostSlice[bn254.Affine]) {
	ones := make(core.HostSlice[bn254.ScalarField], n)
	sum := points[0].ToProjective()
	for i := range ones {
		ones[i].One()
		if i > 0 {
			point := points[i].ToProjective()
			sum = sum.Add(&point)
		}
	}
	config := core.GetDefaultMSMConfig()
	result := make(core.HostSlice[bn254.Projective], 1)
	good("msm", msm.Msm(ones, points, &config, result))
	check("sum of points", result[0].ProjectiveEq(&sum))
}

// The same multiplication from the host, and in a stream from the device, as gnark does it.
func streams(points core.HostSlice[bn254.Affine], scalars core.HostSlice[bn254.ScalarField]) {
	config := core.GetDefaultMSMConfig()
	expected := make(core.HostSlice[bn254.Projective], 1)
	good("msm", msm.Msm(scalars, points, &config, expected))
	stream, status := runtime.CreateStream()
	good("stream", status)
	var onDevice, result core.DeviceSlice
	var scalarsOnDevice core.DeviceSlice
	scalars.CopyToDeviceAsync(&scalarsOnDevice, stream, true)
	points.CopyToDeviceAsync(&onDevice, stream, true)
	_, status = result.Malloc(expected[0].Size(), 1)
	good("malloc", status)
	good("to Montgomery form", bn254.AffineToMontgomery(onDevice))
	good("from Montgomery form", bn254.AffineFromMontgomery(onDevice))
	config.StreamHandle, config.IsAsync = stream, true
	got := make(core.HostSlice[bn254.Projective], 1)
	for again := 0; again < 2; again++ {
		good("msm", msm.Msm(scalarsOnDevice, onDevice, &config, result))
		got.CopyFromDeviceAsync(&result, stream)
		good("synchronize", runtime.SynchronizeStream(stream))
		check("sum on the device", got[0].ProjectiveEq(&expected[0]))
	}
	good("destroy", runtime.DestroyStream(stream))
	good("free", onDevice.Free())
	good("free", scalarsOnDevice.Free())
	good("free", result.Free())
}

func transforms(scalars core.HostSlice[bn254.ScalarField]) {
	var primitive bn254.ScalarField
	primitive.FromLimbs(root)
	good("domain", ntt.InitDomain(primitive, core.GetDefaultNTTInitDomainConfig()))
	config := ntt.GetDefaultNttConfig()
	values := make(core.HostSlice[bn254.ScalarField], n)
	back := make(core.HostSlice[bn254.ScalarField], n)
	config.Ordering = core.KNR
	good("ntt", ntt.Ntt(scalars, core.KInverse, &config, values))
	config.Ordering = core.KRN
	good("ntt", ntt.Ntt(values, core.KForward, &config, back))
	for i := range back {
		check("there and back", back[i] == scalars[i])
	}
	good("vector", vecOps.VecOp(scalars, values, back, core.DefaultVecOpsConfig(), core.Mul))
	product := scalars[3].Mul(&values[3])
	check("products", product == back[3])
	good("release", ntt.ReleaseDomain())
}

func main() {
	good("load", runtime.LoadBackendFromEnvOrDefault())
	device := runtime.CreateDevice("CUDA", 0)
	check("alias", runtime.IsDeviceAvailable(&device))
	good("device", runtime.SetDevice(&device))
	points, scalars := bn254.GenerateAffinePoints(n), bn254.GenerateScalars(n)
	sums(points)
	streams(points, scalars)
	transforms(scalars)
	config := core.GetDefaultMSMConfig()
	result := make(core.HostSlice[g2.G2Projective], 1)
	good("g2", g2.G2Msm(scalars, g2.G2GenerateAffinePoints(n), &config, result))
	fmt.Println("right")
}
