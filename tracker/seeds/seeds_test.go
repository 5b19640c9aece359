package seeds_test

import (
	"github.com/google/go-cmp/cmp"

	"track/internal/trackertest"
)

var approx = cmp.Comparer(trackertest.Near)
