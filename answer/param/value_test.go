package param_test

import (
	"strings"
	"testing"
	"time"

	"track/answer/param"
)

// A length of time that no time.Duration holds was once taken as a negative one, and everything was older than that.
func TestAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"12h": 12 * time.Hour, "90d": 90 * 24 * time.Hour, "36500d": 36500 * 24 * time.Hour, "1ns": 1} {
		var age time.Duration
		if err := param.Age(&age).Set(text); err != nil || age != want {
			t.Errorf("%s: %v, %v", text, age, err)
		}
	}
	for _, text := range []string{"", "0", "0d", "0s", "00d", "-1h", "-1d", "1.5d", "40000d", "106752d", "213504d", "18446744073709551615d", "876601h", "yesterday"} {
		age := time.Duration(7)
		if err := param.Age(&age).Set(text); err == nil || !strings.Contains(err.Error(), "of at most 100 years") || age != 7 {
			t.Errorf("%s: %v, %v", text, age, err)
		}
	}
}
