package pages

import "testing"

func TestBytesText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.00 KiB", 11292672: "10.8 MiB", 512 << 20: "512 MiB", 1020 << 20: "1020 MiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := threeDigits(2095.6936); got != "2096" {
		t.Errorf("a rate is %s, want 2096", got)
	}
}
