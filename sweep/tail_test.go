package sweep

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// However it is written, the tail is the end of the whole, from the start of a line where it was cut.
func TestTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept := &tail{most: rapid.IntRange(1, 20).Draw(t, "most")}
		var all []byte
		for _, part := range rapid.SliceOf(rapid.SliceOfN(rapid.SampledFrom([]byte("ab\n")), 0, 30)).Draw(t, "parts") {
			if n, err := kept.Write(part); n != len(part) || err != nil {
				t.Fatalf("wrote %d of %d, %v", n, len(part), err)
			}
			all = append(all, part...)
		}
		got := kept.text()
		if !bytes.HasSuffix(all, got) || len(got) > kept.most {
			t.Fatalf("%q is not the end of %q", got, all)
		}
		if len(all) <= kept.most && !bytes.Equal(got, all) {
			t.Fatalf("%q of %q is left", got, all)
		}
		if before := all[:len(all)-len(got)]; len(before) > 0 && len(got) > 0 && bytes.Contains(got, []byte("\n")) && before[len(before)-1] != '\n' && bytes.Contains(all[max(0, len(all)-kept.most):len(all)-1], []byte("\n")) {
			t.Fatalf("%q starts within a line of %q", got, all)
		}
		line, whole := kept.lastLine()
		want := bytes.TrimRight(all, " \n")
		want = want[bytes.LastIndexByte(want, '\n')+1:]
		if whole && !bytes.Equal(line, want) || !bytes.HasSuffix(want, line) && len(bytes.TrimSpace(kept.bytes)) > 0 {
			t.Fatalf("the last line is %q (whole %v), want %q", line, whole, want)
		}
	})
}
