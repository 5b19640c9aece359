package claudesettings

import (
	"fmt"
	"strings"
)

const contextLines = 3

// Diff returns the unified diff of two texts; empty where they are equal.
func Diff(fromName, toName, from, to string) string {
	if from == to {
		return ""
	}
	a, b := strings.SplitAfter(from, "\n"), strings.SplitAfter(to, "\n")
	edits := compare(trimEmpty(a), trimEmpty(b))
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", fromName, toName)
	for start := 0; start < len(edits); {
		if edits[start].sign == ' ' {
			start++
			continue
		}
		first, end := max(0, start-contextLines), start
		for i := start; i < len(edits) && i < end+2*contextLines+1; i++ {
			if edits[i].sign != ' ' {
				end = i
			}
		}
		end = min(len(edits), end+1+contextLines)
		writeHunk(&out, edits, first, end)
		start = end
	}
	return out.String()
}

func trimEmpty(lines []string) []string {
	if n := len(lines); n > 0 && lines[n-1] == "" {
		return lines[:n-1]
	}
	return lines
}

type edit struct {
	sign byte // ' ', '-' or '+'
	line string
}

func writeHunk(out *strings.Builder, edits []edit, first, end int) {
	position := func(signs string, edits []edit) (n int) {
		for _, e := range edits {
			if strings.IndexByte(signs, e.sign) >= 0 {
				n++
			}
		}
		return n
	}
	lines := func(signs string) string {
		before, n := position(signs, edits[:first]), position(signs, edits[first:end])
		if n > 0 {
			before++
		}
		return fmt.Sprintf("%d,%d", before, n)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", lines(" -"), lines(" +"))
	for _, e := range edits[first:end] {
		out.WriteByte(e.sign)
		out.WriteString(e.line)
		if !strings.HasSuffix(e.line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// compare finds the lines that a and b share, between the beginnings and ends that are equal. Settings have hundreds of lines; of more,
// everything between is taken as changed.
func compare(a, b []string) (edits []edit) {
	const mostCells = 4 << 20
	head, tail := 0, 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for _, line := range a[:head] {
		edits = append(edits, edit{' ', line})
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x)*len(y) > mostCells {
		for _, line := range x {
			edits = append(edits, edit{'-', line})
		}
		x = nil
	}
	edits = append(edits, longestCommon(x, y)...)
	for _, line := range a[len(a)-tail:] {
		edits = append(edits, edit{' ', line})
	}
	return edits
}

func longestCommon(x, y []string) (edits []edit) {
	lengths := make([][]int, len(x)+1) // of the longest common lines of x[i:] and y[j:]
	for i := range lengths {
		lengths[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			if x[i] == y[j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			edits = append(edits, edit{' ', x[i]})
			i++
			j++
		case i < len(x) && (j == len(y) || lengths[i+1][j] >= lengths[i][j+1]):
			edits = append(edits, edit{'-', x[i]})
			i++
		default:
			edits = append(edits, edit{'+', y[j]})
			j++
		}
	}
	return edits
}
