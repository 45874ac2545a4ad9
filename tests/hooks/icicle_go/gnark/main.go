// SPDX-License-Identifier: Apache-2.0

//go:build icicle

// Proofs by gnark's accelerated prover, and by its own with the same key. Each is verified, and refused with other
// inputs. It is for a folder of a checkout of gnark: docs/from/icicle.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/backend/accelerated/icicle"
	accelerated "github.com/consensys/gnark/backend/accelerated/icicle/groth16"
	bls12381 "github.com/consensys/gnark/backend/accelerated/icicle/groth16/bls12-381"
	bn254 "github.com/consensys/gnark/backend/accelerated/icicle/groth16/bn254"
	"github.com/consensys/gnark/backend/groth16"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/logger"
)

// Squares in a chain, and a product of two bits for each four of them: 5/4 constraints a step.
type chain struct {
	Steps  int               `gnark:"-"`
	Commit bool              `gnark:"-"`
	X      frontend.Variable `gnark:",public"`
	Y      frontend.Variable
}

func (c *chain) Define(api frontend.API) error {
	x, sum := c.Y, frontend.Variable(0)
	bits := api.ToBinary(c.X, 64)
	for i := 0; i < c.Steps; i++ {
		x = api.Add(api.Mul(x, x), i)
		if i%4 == 0 {
			sum = api.Add(sum, api.Mul(bits[i/4%64], bits[(i/4+7)%64]))
		}
	}
	api.AssertIsDifferent(api.Add(x, sum), 0)
	if !c.Commit {
		return nil
	}
	commitment, err := api.(frontend.Committer).Commit(c.Y, bits[0])
	if err == nil {
		api.AssertIsDifferent(commitment, 0)
	}
	return err
}

func must(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

func resident() string {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if text, found := strings.CutPrefix(line, "VmRSS:"); found {
			return strings.TrimSpace(text)
		}
	}
	return "unknown"
}

type prover struct {
	curve   ecc.ID
	threads int
	system  constraint.ConstraintSystem
	key     groth16.VerifyingKey
}

func (p *prover) inputs(i int) (full, public witness.Witness) {
	full, err := frontend.NewWitness(&chain{X: 0x123456789abcdef ^ i, Y: i + 3}, p.curve.ScalarField())
	must(err)
	public, err = full.Public()
	must(err)
	return full, public
}

// Seconds of one proof.
func (p *prover) one(i int, prove func(witness.Witness) (groth16.Proof, error)) float64 {
	full, public := p.inputs(i)
	start := time.Now()
	proof, err := prove(full)
	took := time.Since(start).Seconds()
	must(err)
	must(groth16.Verify(proof, p.key, public))
	if _, other := p.inputs(i + 1); groth16.Verify(proof, p.key, other) == nil {
		must(fmt.Errorf("a proof is valid with other inputs"))
	}
	return took
}

func (p *prover) run(name string, count int, prove func(witness.Witness) (groth16.Proof, error)) {
	var group sync.WaitGroup
	var lock sync.Mutex
	var all []float64
	numbers := make(chan int, count)
	for i := range count {
		numbers <- i
	}
	close(numbers)
	for range p.threads {
		group.Go(func() {
			for i := range numbers {
				took := p.one(i, prove)
				lock.Lock()
				if all = append(all, took); len(all)%50 == 0 {
					fmt.Printf("  %d proofs, resident %s\n", len(all), resident())
				}
				lock.Unlock()
			}
		})
	}
	group.Wait()
	if count == 0 {
		return
	}
	first := all[0]
	slices.Sort(all)
	fmt.Printf("%s: %d valid proofs, first %.3f s, best %.3f s, median %.3f s, resident %s\n", name, count, first, all[0],
		all[count/2], resident())
}

func main() {
	name := flag.String("curve", "bn254", "bn254 or bls12_381")
	steps := flag.Int("steps", 1000, "of the circuit: 5/4 constraints each")
	proofs := flag.Int("proofs", 3, "by the accelerated prover")
	own := flag.Int("own", 1, "proofs by gnark's own prover")
	threads := flag.Int("threads", 1, "that prove at the same time")
	commit := flag.Bool("commit", false, "the circuit has a commitment")
	pin := flag.Bool("pin", false, "as many proofs again, with the key kept on the device")
	flag.Parse()
	logger.Disable()
	curve, err := ecc.IDFromString(*name)
	must(err)
	system, err := frontend.Compile(curve.ScalarField(), r1cs.NewBuilder, &chain{Steps: *steps, Commit: *commit})
	must(err)
	key, verifying, err := accelerated.Setup(system)
	must(err)
	var plain groth16.ProvingKey
	switch k := key.(type) {
	case *bn254.ProvingKey:
		plain = &k.ProvingKey
	case *bls12381.ProvingKey:
		plain = &k.ProvingKey
	}
	fmt.Printf("%s, %d constraints, %d processors\n", *name, system.GetNbConstraints(), runtime.GOMAXPROCS(0))
	p := prover{curve: curve, threads: *threads, system: system, key: verifying}
	p.run("accelerated", *proofs, func(w witness.Witness) (groth16.Proof, error) {
		return accelerated.Prove(system, key, w)
	})
	if *pin {
		key.(interface{ FreeGPUResources() }).FreeGPUResources()
		p.run("accelerated, pinned", *proofs, func(w witness.Witness) (groth16.Proof, error) {
			return accelerated.Prove(system, key, w, icicle.WithPinKeysToGPU(true))
		})
	}
	p.run("gnark's own", *own, func(w witness.Witness) (groth16.Proof, error) { return groth16.Prove(system, plain, w) })
}
