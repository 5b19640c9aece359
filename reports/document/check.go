package document

import (
	"errors"
	"fmt"
	"slices"

	"regexp"
)

// Pictures returns all pictures in their order, those within details and notes too.
func (d Document) Pictures() []Picture {
	var list []Picture
	walk(d.Blocks, func(b Block) error { //nolint:errcheck // there is none
		if p, ok := b.(Picture); ok {
			list = append(list, p)
		}
		return nil
	})
	return list
}

// Links returns where all links lead, in their order, those within details and notes too.
func (d Document) Links() []string {
	var list []string
	add := func(texts ...Text) {
		for _, text := range texts {
			for _, s := range text.merged() {
				if s.Href != "" {
					list = append(list, s.Href)
				}
			}
		}
	}
	walk(d.Blocks, func(b Block) error { //nolint:errcheck // there is none
		switch b := b.(type) {
		case Paragraph:
			add(b.Text)
		case List:
			add(b.Items...)
		case Table:
			for _, row := range b.Rows {
				add(row...)
			}
		case Details:
			add(b.Summary)
		}
		return nil
	})
	return list
}

// walk visits blocks and those within them, in their order, until one gives an error.
func walk(blocks []Block, visit func(Block) error) error {
	for _, b := range blocks {
		if err := visit(b); err != nil {
			return err
		}
		var within []Block
		switch b := b.(type) {
		case Details:
			within = b.Blocks
		case Note:
			within = b.Blocks
		}
		if err := walk(within, visit); err != nil {
			return err
		}
	}
	return nil
}

// check says what cannot be written.
func (d Document) check() error {
	names := map[string]bool{}
	err := walk(d.Blocks, func(b Block) error {
		switch b := b.(type) {
		case Paragraph, List, Code, Details:
			return nil
		case Heading:
			return b.check()
		case Table:
			return b.check()
		case Note:
			return b.check()
		case Picture:
			if names[b.Name] {
				return fmt.Errorf("two pictures are called %q", b.Name)
			}
			names[b.Name] = true
			return b.check()
		}
		return fmt.Errorf("unknown block %T", b)
	})
	if err != nil {
		return fmt.Errorf("document %q: %w", d.Title, err)
	}
	return nil
}

func (h Heading) check() error {
	if h.Level < 2 || h.Level > 6 {
		return fmt.Errorf("heading %q: level %d is not one of 2 to 6", h.Text, h.Level)
	}
	return nil
}

func (t Table) check() error {
	if len(t.Columns) == 0 {
		return errors.New("table without columns")
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table %q: row %d has %d cells for %d columns", t.Columns[0].Title, i+1, len(row), len(t.Columns))
		}
	}
	return nil
}

func (n Note) check() error {
	if !slices.Contains([]NoteKind{NoteInfo, noteImportant, NoteWarning, NoteCaution}, n.Kind) {
		return fmt.Errorf("unknown kind of note %q", n.Kind)
	}
	return nil
}

var fileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

func (p Picture) check() error {
	if !fileName.MatchString(p.Name) {
		return fmt.Errorf("picture %q: a name has letters, digits, _, - and . alone", p.Name)
	}
	if p.Chart == nil {
		return fmt.Errorf("picture %q has no chart", p.Name)
	}
	return nil
}
