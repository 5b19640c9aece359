package pages_test

import (
	"regexp"
	"testing"
)

var (
	// timed is what may hold a time as it is: an element of a time, code, and what a script reads.
	timed    = regexp.MustCompile(`(?s)<(time|pre|code|script|textarea)\b.*?</(time|pre|code|script|textarea)>|<span class="help".*?</span>|<[^>]*>`)
	bareTime = regexp.MustCompile(`.{0,40}(20\d\d-\d\d-\d\dT|20\d\d-\d\d-\d\d \d\d:\d\d|\d\d:\d\d UTC).{0,20}`)
)

// checkTimes reports times of a page that a script cannot show in the reader's zone.
func checkTimes(t *testing.T, page, body string) {
	t.Helper()
	for _, found := range bareTime.FindAllString(timed.ReplaceAllString(body, "¦"), -1) {
		t.Errorf("%s: a time that is no <time>: %q", page, found)
	}
}
