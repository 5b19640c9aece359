package chart

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// indexed gives m a palette of at most n colours, which makes its file a third as large: the inks and the most
// frequent others. The rest, all of it at the edges of something, becomes the nearest of these.
func indexed(m *image.RGBA, n int) *image.Paletted {
	pixels := map[color.RGBA]int{}
	runs(m, func(from, to int, c color.RGBA) { pixels[c] += to - from })
	for _, t := range tones {
		if _, used := pixels[t.light]; used {
			pixels[t.light] += len(m.Pix) // before all others
		}
	}
	colours := slices.SortedFunc(maps.Keys(pixels), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(pixels[b], pixels[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range colours[:min(len(colours), n)] {
		palette = append(palette, c)
	}
	index := map[color.RGBA]uint8{}
	for _, c := range colours {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(m.Rect, palette)
	runs(m, func(from, to int, c color.RGBA) {
		i := index[c]
		for k := from; k < to; k++ {
			out.Pix[k] = i
		}
	})
	return out
}

// runs visits the pixels of m in their order, those of the same colour together. The picture is opaque.
func runs(m *image.RGBA, visit func(from, to int, c color.RGBA)) {
	at := func(i int) color.RGBA { return color.RGBA{m.Pix[4*i], m.Pix[4*i+1], m.Pix[4*i+2], m.Pix[4*i+3]} }
	from, n := 0, len(m.Pix)/4
	for i := 1; i <= n; i++ {
		if i == n || at(i) != at(from) {
			visit(from, i, at(from))
			from = i
		}
	}
}
