package chart

import (
	"io"
)

// Mark is a part of a chart that stands for one thing, such as the seed of a dot.
type Mark struct {
	Label string // of what it stands for
	Side  int    // of a pair: 0 for the baseline, 1 for the candidate
}

// linking is a canvas whose marks can be links.
type linking interface {
	link(m Mark, text string, draw func())
}

// marked draws a mark; on a canvas that has links it is one, and text is its name.
func marked(c canvas, m Mark, text string, draw func()) {
	if l, ok := c.(linking); ok && m.Label != "" {
		l.link(m, text, draw)
		return
	}
	draw()
}

// InlineLinked writes c like [Inline], with each mark that stands for one thing as a link to what href returns; empty
// for no link. One link can be reached with the tabulator: more than that would be in the way of a keyboard.
func InlineLinked(w io.Writer, c Chart, href func(Mark) string) error {
	f := c.figure()
	canvas := newVector(f.height())
	canvas.href = href
	desc := f.draw(canvas)
	return written(canvas.write(w, f.name(), desc, ""))
}

func (v *vector) link(m Mark, text string, draw func()) {
	var address string
	if v.href != nil {
		address = v.href(m)
	}
	if address == "" {
		draw()
		return
	}
	stop := ` tabindex="-1"`
	if v.nLinks == 0 {
		stop = ""
	}
	v.nLinks++
	v.body.WriteString(`<a href="` + escape(address) + `"` + stop + ` aria-label="` + escape(text) + `"><title>` + escape(text) + "</title>\n")
	draw()
	v.body.WriteString("</a>\n")
}
