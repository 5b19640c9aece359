package sweeps

// What the tests in sweeps_test see besides the exported names.

var ParsePrecision = parsePrecision

const (
	PrecisionPassWidth = precisionPassWidth
	PrecisionSE        = precisionSE
	PrecisionWidth     = precisionWidth
)
