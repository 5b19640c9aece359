package files

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"track/reports"
	"track/reports/document"
)

// Pages are the pages of an index. Each is written when it is added, and then let go.
type Pages struct {
	index string
	write func([]File) error
	names []string
	taken map[string]bool
}

// NewPages returns the pages of the index of this name. Write takes the files of each page, and at last those of the
// index.
func NewPages(index string, write func([]File) error) *Pages {
	return &Pages{index: index, write: write, taken: map[string]bool{strings.ToLower(index): true}}
}

// Add writes a page of a report, and returns its name.
func (p *Pages) Add(kind, name, rest string, d document.Document) (page string, err error) {
	page = p.name(kind, name, rest)
	files, err := Of(reports.PartOf(p.index, d), page)
	if err != nil {
		return "", err
	}
	p.names = append(p.names, page)
	return page, p.write(files)
}

// AddIndex writes the index itself. It is an error if the index leads to anything but its pages.
func (p *Pages) AddIndex(d document.Document) error {
	for _, href := range d.Links() {
		if !slices.Contains(p.names, href) {
			return fmt.Errorf("the index leads to %q, which is not one of its pages", href)
		}
	}
	files, err := Of(d, p.index)
	if err != nil {
		return err
	}
	return p.write(files)
}

// IsPage reports whether a file may be a page of an index.
func IsPage(name string) bool {
	kind, _, _ := strings.Cut(name, "-")
	return slices.Contains([]string{"scenario", "stability", "lineage"}, kind) && kind != name && reports.IsPageName(name)
}

// name returns the name of the page of a report. It is the same each time and differs from those of other reports,
// even if the file system ignores case, and it has no characters with a meaning for a shell, a browser or a file
// system. A hash stands for what is changed.
func (p *Pages) name(kind, name, rest string) string {
	const most = 80
	safe := strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '-'
	}, name)
	safe = safe[:min(most, len(safe))]
	sum := sha256.Sum256([]byte(kind + "\x00" + name + "\x00" + rest))
	hash := hex.EncodeToString(sum[:])
	for digits := 0; ; digits += 10 {
		page := kind + "-" + safe + rest
		if digits == 0 && safe != name {
			continue
		}
		if digits > 0 {
			page += "~" + hash[:min(digits, len(hash))]
		}
		if page += path.Ext(p.index); !p.taken[page] {
			p.taken[page] = true
			return page
		}
	}
}
