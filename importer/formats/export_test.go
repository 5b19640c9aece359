package formats

// What the tests in formats_test see besides the exported names.

var Read = read
