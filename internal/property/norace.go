//go:build !race

package property

import "math"

const mostChecks = math.MaxInt
