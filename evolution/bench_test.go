package evolution_test

import "testing"

import "track/evolution"

// A decision with its noise takes less than 5 ms under every policy.
func BenchmarkDecide(b *testing.B) {
	for _, name := range evolution.Policies() {
		b.Run(name, func(b *testing.B) {
			p, draw := policy(b, name, ""), drawn(b, true)
			e := pairs(alternating(0.5, 10, 20)...)
			for b.Loop() {
				if _, err := evolution.Decide(p, e, draw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
