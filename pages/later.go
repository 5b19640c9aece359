package pages

import (
	"slices"

	"track/answer"
)

const (
	shown = "shown" // the value of a parameter that unfolds something
	// laterParam shows all parts of a page at once.
	laterParam = "later.page"
	// longLedger and longTree are how many entries a ledger has that takes long to replay, and to draw.
	longLedger, longTree = 500, 2000
	// longPairs is how many pairs of values two sides have that take long to draw.
	longPairs = 10_000
	// longMeans is how many seeds the means of older configurations may need on a page that shows them at once.
	longMeans = 5000
)

// later says where a part of a page is that takes long.
type later struct {
	Part  string // address of the part alone, for a script
	Whole string // address of the page with the part
}

// addSentences adds a section without a title.
func (b *builder) addSentences(id string, list []answer.Sentence) {
	s := section{ID: id}
	for _, one := range list {
		s.Sentences = append(s.Sentences, sentenceOf(one))
	}
	b.view.Sections = append(b.view.Sections, s)
}

// later adds sections that take long. A script asks for them once the page is shown; without a script, a link leads to
// the page with them.
func (b *builder) later(id string, isLong bool, add func() error) error {
	return b.laterInstead(id, isLong, func() error {
		b.view.Sections = append(b.view.Sections, section{})
		return nil
	}, add)
}

// laterInstead is [builder.later] with a section that stands there until then: what is quick of the whole one.
func (b *builder) laterInstead(id string, isLong bool, addQuick, add func() error) error {
	part := b.request.In.Get(partParam)
	if isLong && part != id && part != panelPart && !IsFile(b.request.In) && b.request.In.Get(laterParam) != shown {
		err := addQuick()
		b.view.Sections[len(b.view.Sections)-1].Later = &later{b.here(partParam, id), b.here(laterParam, shown)}
		return err
	}
	from := len(b.view.Sections)
	err := add()
	if part == id {
		b.part = slices.Clone(b.view.Sections[from:])
	}
	return err
}
