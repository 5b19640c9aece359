package reportfiles

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Outdated says how the file on disk differs from the file that would be written now; empty if it does not.
func (f File) Outdated() (why string, err error) {
	data, err := os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.Path + " is missing", nil
	case err != nil:
		return "", problem(f.Path, err)
	case !bytes.Equal(data, f.Data):
		return f.Path + " is not what the database says: " + firstDifference(data, f.Data), nil
	}
	return "", nil
}

// firstDifference returns the first line that differs, around its first differing character.
func firstDifference(there, now []byte) string {
	const most, before = 160, 40
	a, b := bytes.Split(there, []byte("\n")), bytes.Split(now, []byte("\n"))
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("line %d differs\n  file      %s\n  database  %s", i+1, fileEnds, cutLine(string(b[i]), most))
		case i >= len(b):
			return fmt.Sprintf("line %d differs\n  file      %s\n  database  %s", i+1, cutLine(string(a[i]), most), fileEnds)
		case !bytes.Equal(a[i], b[i]):
			file, database := []rune(string(a[i])), []rune(string(b[i]))
			from, where := 0, ""
			if n := equalRunes(file, database); n >= most-1 {
				from, where = n-before, fmt.Sprintf(" from character %d on", n+1)
			}
			return fmt.Sprintf("line %d differs%s\n  file      %s\n  database  %s", i+1, where, window(file, from, most), window(database, from, most))
		}
	}
	return "the file differs"
}

const fileEnds = "(nothing: the file ends)"

// equalRunes counts the runes that both begin with.
func equalRunes(a, b []rune) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// window returns a part of a line, with … for what is left out.
func window(line []rune, from, most int) string {
	if from == 0 {
		return cutLine(string(line), most)
	}
	return "…" + cutLine(string(line[from:]), most-1)
}

// cutLine shortens a line.
func cutLine(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
