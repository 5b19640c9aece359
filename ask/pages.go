package ask

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"strconv"

	"track/answer"
	"track/answer/param"
)

// Pages asks for one page after the other, until as many items were listed as the question's parameter "limit"
// allows; 0 allows all. An answer that is no list is one page.
func (d Def[Q, A]) Pages(ctx context.Context, from Source, q Q) iter.Seq2[A, error] {
	if d.Stream != nil && from.Store != nil {
		return d.stream(ctx, from, q)
	}
	return func(yield func(A, error) bool) {
		params := d.bind(&q)
		left, err := limitOf(params)
		for err == nil {
			if err = setLimit(params, left); err != nil {
				break
			}
			var a A
			a, err = d.Ask(ctx, from, q)
			if !yield(a, err) || err != nil {
				return
			}
			list, ok := any(a).(answer.Listing)
			if !ok || list.NextPage() == "" {
				return
			}
			if left > 0 {
				if left -= list.Len(); left <= 0 {
					return
				}
			}
			err = setParam(params, "after", list.NextPage())
		}
		var none A
		yield(none, err)
	}
}

// errStopped ends a stream of which no more pages are wanted.
var errStopped = errors.New("stopped")

func (d Def[Q, A]) stream(ctx context.Context, from Source, q Q) iter.Seq2[A, error] {
	from.bound(&q)
	return func(yield func(A, error) bool) {
		err := Snapshot(ctx, from, func(from Source) error {
			return d.Stream(ctx, from.state, q, func(page A) error {
				if !yield(page, nil) {
					return errStopped
				}
				return nil
			})
		})
		if err != nil && !errors.Is(err, errStopped) {
			var none A
			yield(none, err)
		}
	}
}

// anyPages is [Def.Pages] without types.
func (d Def[Q, A]) anyPages(ctx context.Context, from Source, in url.Values) iter.Seq2[answer.Answer, error] {
	return func(yield func(answer.Answer, error) bool) {
		var q Q
		if err := d.Params(&q).Set(in); err != nil {
			yield(nil, err)
			return
		}
		for a, err := range d.Pages(ctx, from, q) {
			if !yield(a, err) {
				return
			}
		}
	}
}

// Whole asks for all pages that the limit allows, and returns them as one answer.
func (d Def[Q, A]) Whole(ctx context.Context, from Source, q Q) (whole A, err error) {
	first := true
	for a, err := range d.Pages(ctx, from, q) {
		if err != nil {
			return whole, err
		}
		if first {
			whole, first = a, false
			continue
		}
		any(&whole).(interface{ AppendPage(next any) }).AppendPage(a)
	}
	return whole, nil
}

// limitOf returns the parameter "limit"; 0 if there is none.
func limitOf(params param.List) (int, error) {
	limit, ok := params.Find("limit")
	if !ok || limit.Value.String() == "" {
		return 0, nil
	}
	return strconv.Atoi(limit.Value.String())
}

func setParam(params param.List, name, text string) error {
	p, _ := params.Find(name)
	return p.Set(text)
}

// setLimit asks for one page, of no more items than are left; 0 for all.
func setLimit(params param.List, left int) error {
	if _, ok := params.Find("after"); !ok { // the answer has no pages
		return nil
	}
	if left == 0 || left > answer.MaxPage {
		left = answer.MaxPage
	}
	return setParam(params, "limit", strconv.Itoa(left))
}
