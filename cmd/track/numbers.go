package main

import (
	"track/scoring"
	"track/scoring/format"
)

// valueCell returns a cell with a value of a metric, written as the metric's format says.
func valueCell(x float64, f scoring.Format) shown { return shown{format.Value(x, f), x} }
