// Package chart draws charts as SVG. No library for Go describes its charts: these say in words what they
// show, for screen readers and for text, and follow the light or dark scheme of the page.
//
// The same chart gives the same bytes. An SVG needs neither script nor network, follows the reader's light or dark
// scheme, and says in its title and description what it shows: n, ranges, gaps, and how the points were reduced.
//
// Values that are not finite are never drawn: they leave a gap and are counted in the description. Names and labels
// may hold anything; what does not fit is shortened in the middle.
package chart

import (
	"fmt"
	"io"
)

// Chart is a [Line], [Band] or [History] of series, or one of those for reports: [HeatMap], [Distribution], [Forest],
// [Paired], [Lineage], [TaskScores], [Front], [Bars], [Tree].
type Chart interface {
	figure() figure
}

// SVG writes c as a document of its own, which can also stand inside HTML.
func SVG(w io.Writer, c Chart) error {
	f := c.figure()
	canvas := newVector(f.height())
	desc := f.draw(canvas)
	return written(canvas.encode(w, f.name(), desc))
}

// Inline writes c as a part of a page that has the [StyleSheet].
func Inline(w io.Writer, c Chart) error {
	f := c.figure()
	canvas := newVector(f.height())
	desc := f.draw(canvas)
	return written(canvas.write(w, f.name(), desc, ""))
}

func written(err error) error {
	if err != nil {
		return fmt.Errorf("write SVG: %w", err)
	}
	return nil
}
