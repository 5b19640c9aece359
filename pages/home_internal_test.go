package pages

import (
	"reflect"
	"strings"
	"testing"
)

// Means of different parameters are not joined: a line between them would look like a change over time.
func TestSparklineJoinsTheSameParameters(t *testing.T) {
	t.Parallel()
	s := newSparkline([]float64{0.5, 0.9, 0.6, 0.7}, []int{0, 1, 0, 2}, 3)
	if want := []string{"2,14 63.3,11"}; !reflect.DeepEqual(s.Lines, want) {
		t.Errorf("lines %q, want %q", s.Lines, want)
	}
	if want := []point{{"32.7", "2"}, {"94", "8"}}; !reflect.DeepEqual(s.Dots, want) || s.Last != want[1] {
		t.Errorf("dots %v and the last %v, want %v", s.Dots, s.Last, want)
	}
	if !strings.Contains(s.Text, "joined if their parameters are the same") || !strings.Contains(s.Text, "3 older configurations not drawn") {
		t.Error(s.Text)
	}
}
