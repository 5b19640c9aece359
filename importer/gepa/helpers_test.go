package gepa

import (
	"strconv"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

func indexOf(t *testing.T, id string) int {
	t.Helper()
	i, err := strconv.Atoi(id)
	if err != nil {
		t.Fatal(err)
	}
	return i
}
