package provenance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

const (
	packedProbe = 4 << 10  // bytes; room for some lines of packed-refs
	packedBlock = 16 << 10 // bytes; at least twice packedProbe and some more, so that each probe narrows the search
)

// packedRef looks a ref up in packed-refs: lines of `ID NAME`, among comments (`#`) and the ids that tags peel to (`^`).
// There may be a hundred thousand.
func (r repository) packedRef(name string) (string, error) {
	f, size, err := openRegular(filepath.Join(r.common, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errUnborn
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errDamaged, err)
	}
	defer f.Close()

	start, end, err := narrowPacked(f, size, name)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errDamaged, err)
	}
	part, err := readPart(f, start, end, maxPackedRefs)
	if errors.Is(err, errTooLarge) {
		return "", errNeedsGit
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errDamaged, err)
	}
	if id, ok := findPacked(part, name); ok {
		return id, nil
	}
	return "", errUnborn
}

// narrowPacked returns the part of packed-refs that has the ref, if any has: whole lines, a block of them or little more where
// the first line says that the refs are sorted, as all but very old versions of git do; else the whole file.
func narrowPacked(r io.ReaderAt, size int64, name string) (start, end int64, err error) {
	start, end = 0, size
	probe := make([]byte, packedProbe)
	n, err := r.ReadAt(probe[:min(packedProbe, size)], 0)
	if err != nil && err != io.EOF {
		return 0, 0, err
	}
	if !packedSorted(probe[:n]) {
		return start, end, nil
	}
	for end-start > packedBlock {
		middle := start + (end-start)/2
		n, err := r.ReadAt(probe[:min(packedProbe, end-middle)], middle)
		if err != nil && err != io.EOF {
			return 0, 0, err
		}
		offset, found, ok := firstPacked(probe[:n])
		if !ok {
			break
		}
		if found <= name {
			start = middle + int64(offset)
		} else {
			end = middle + int64(offset)
		}
	}
	return start, end, nil
}

func packedSorted(packed []byte) bool {
	line, _, _ := bytes.Cut(packed, []byte("\n"))
	traits, ok := bytes.CutPrefix(line, []byte("# pack-refs with:"))
	for _, trait := range bytes.Fields(traits) {
		if ok && string(trait) == "sorted" {
			return true
		}
	}
	return false
}

// firstPacked returns where the first whole line of a ref starts, and its name. What comes before the first newline is the
// rest of some line.
func firstPacked(probe []byte) (offset int, name string, ok bool) {
	for {
		i := bytes.IndexByte(probe[offset:], '\n')
		if i < 0 {
			return 0, "", false
		}
		offset += i + 1
		line, _, whole := bytes.Cut(probe[offset:], []byte("\n"))
		if !whole {
			return 0, "", false
		}
		if id, name, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\r")), []byte(" ")); ok {
			if _, ok := objectID(id); ok {
				return offset, string(name), true
			}
		}
	}
}

// findPacked searches lines of packed-refs for a name, which is faster than to parse every line.
func findPacked(packed []byte, name string) (id string, ok bool) {
	needle := []byte(" " + name)
	for from := 0; ; {
		i := bytes.Index(packed[from:], needle)
		if i < 0 {
			return "", false
		}
		start, end := from+i, from+i+len(needle)
		if endOfLine(packed[end:]) {
			line := packed[bytes.LastIndexByte(packed[:start], '\n')+1 : start]
			if id, ok := objectID(line); ok {
				return id, true
			}
		}
		from = end
	}
}

func endOfLine(rest []byte) bool {
	rest = bytes.TrimPrefix(rest, []byte("\r"))
	return len(rest) == 0 || rest[0] == '\n'
}
