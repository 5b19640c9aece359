package masking_test

import (
	"slices"
	"strings"
	"testing"

	"track/internal/masking"
)

func TestMaskWords(t *testing.T) {
	secret := "hun" + "ter2horse"
	for _, tt := range []struct{ words, want []string }{
		{[]string{"run", "--password", secret, "--seed", "{seed}"}, []string{"run", "--password", "[masked:password]", "--seed", "{seed}"}},
		{[]string{"run", "--password=" + secret, "x"}, []string{"run", "--password=[masked:password]", "x"}},
		{[]string{"sh", "-c", "PASSWORD=" + secret + " run"}, []string{"sh", "-c", "PASSWORD=[masked:password] run"}},
		{[]string{"run", "--api-key", secret + "A1", "--password", secret}, []string{"run", "--api-key", "[masked:key]", "--password", "[masked:password]"}},
	} {
		got, n := masking.MaskWords(slices.Clone(tt.words))
		if n == 0 || strings.Contains(strings.Join(got, " "), secret) || len(got) != len(tt.words) || !strings.HasPrefix(got[len(got)-1], tt.want[len(got)-1][:1]) {
			t.Errorf("%q: got %q (%d)", tt.words, got, n)
		}
		if again, n := masking.MaskWords(got); n != 0 || !slices.Equal(again, got) {
			t.Errorf("%q: masked again it is %q (%d)", got, again, n)
		}
	}
	plain := []string{"python", "simulate.py", "--seed", "{seed}", "--tokens", "4096", "a b", `c"d`}
	if got, n := masking.MaskWords(plain); n != 0 || !slices.Equal(got, plain) {
		t.Errorf("%q became %q", plain, got)
	}
}
