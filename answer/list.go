package answer

import (
	"fmt"

	"track/answer/param"
)

// MaxPage is the largest number of items in one page of a list.
const MaxPage = 1000

// List is the part of an answer that can be long: a page of items and, if more follow, where the next page begins.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"` // parameter "after" of the next page; empty on the last
}

// Listing is an answer that holds a [List].
type Listing interface {
	Answer
	Len() int
	Item(i int) any
	NextPage() string
}

// Len returns the number of items on this page.
func (l List[T]) Len() int { return len(l.Items) }

// Item returns item i of this page.
func (l List[T]) Item(i int) any { return l.Items[i] }

// NextPage returns where the next page begins; empty if this is the last.
func (l List[T]) NextPage() string { return l.Next }

// Page returns the list itself.
func (l List[T]) Page() List[T] { return l }

// AppendPage adds the items of an answer of the same type, the page that follows.
func (l *List[T]) AppendPage(next any) {
	page := next.(interface{ Page() List[T] }).Page()
	l.Items, l.Next = append(l.Items, page.Items...), page.Next
}

// Page says which page of a list is asked for.
type Page struct {
	Limit int    // largest number of items, from 1; 0 for all
	After string // [List.Next] of the page before; empty for the first page
}

// Params declares the parameters of a page; limit is the default.
func (p *Page) Params(limit int) param.List {
	p.Limit = limit
	return param.List{
		{Name: "limit", Unit: "N", Help: "list at most `N`; 0 lists all", Value: param.Whole(&p.Limit, 0)},
		{Name: "after", Unit: "CURSOR", Help: "continue after the page that ended with this `CURSOR`", Value: param.Text(&p.After)},
	}
}

// UnknownCursor returns the error for a page that begins after something unknown: it must not look like the end of
// the list.
func (p Page) UnknownCursor() error {
	return &param.Error{Param: "after", Message: fmt.Sprintf("%q is not the end of a page of this list", p.After)}
}

// PageLimit returns how many items to read for one page: at most [MaxPage].
func (p Page) PageLimit() int {
	if p.Limit == 0 || p.Limit > MaxPage {
		return MaxPage
	}
	return p.Limit
}
