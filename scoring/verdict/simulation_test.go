package verdict_test

import "math/rand/v2"

// rng makes simulations repeatable.
func rng() *rand.Rand { return rand.New(rand.NewPCG(20, 26)) }
