package sweep

import "bytes"

// tail keeps the last bytes that are written to it.
type tail struct {
	most  int
	bytes []byte // up to twice as many, so that they are moved seldom
	cut   bool
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if n > t.most {
		p, t.bytes, t.cut = p[n-t.most:], t.bytes[:0], true
	}
	if len(t.bytes)+len(p) > 2*t.most {
		keep := t.most - len(p)
		t.bytes = append(t.bytes[:0], t.bytes[len(t.bytes)-keep:]...)
		t.cut = true
	}
	t.bytes = append(t.bytes, p...)
	return n, nil
}

// text is what was kept; where something is cut off, it starts with a whole line if there is one.
func (t *tail) text() []byte {
	kept := t.bytes
	if len(kept) > t.most {
		kept = kept[len(kept)-t.most:]
	}
	if len(kept) < len(t.bytes) || t.cut {
		if _, whole, found := bytes.Cut(kept, []byte("\n")); found && len(whole) > 0 {
			return whole
		}
	}
	return kept
}

// lastLine is the last line that is not blank, and whether it is whole.
func (t *tail) lastLine() (line []byte, whole bool) {
	kept := bytes.TrimRight(t.bytes, " \t\r\n")
	start := bytes.LastIndexByte(kept, '\n') + 1
	return kept[start:], start > 0 || !t.cut
}
