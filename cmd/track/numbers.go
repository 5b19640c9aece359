package main

import (
	"track/reports"
	"track/scoring"
)

// Numbers look the same in tables and in reports.

func fixed(x float64, decimals int) string { return reports.Fixed(x, decimals) }

func counted(n int, thing string) string { return reports.Counted(n, thing) }

func percent(x float64) string { return reports.Percent(x) }

func plus(x float64) string { return reports.Signed(x) }

func pText(p float64) string { return reports.PValue(p) }

// valueCell shows a value of a metric as its format says.
func valueCell(x float64, format scoring.Format) shown { return shown{reports.Value(x, format), x} }
