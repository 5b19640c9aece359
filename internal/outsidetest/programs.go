// Package outsidetest lets tests read reports in a browser, and tables with DuckDB. A test is skipped if there is none,
// unless TRACK_OUTSIDE=required.
package outsidetest

import (
	"os"
	"testing"
)

// Missing skips a test that needs a program that is not installed. With TRACK_OUTSIDE=required, as in CI, the test
// fails.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("TRACK_OUTSIDE") == "required" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format+": make tools installs it", args...)
}
