package sweep

import (
	"fmt"
	"slices"
	"strings"

	"regexp"
	"track"
)

// Command is a command line with placeholders: {seed}, {out} and {NAME} for each parameter. Doubled braces stand for
// themselves.
type Command struct {
	words    [][]piece
	usesSeed bool
}

// piece is literal text, or the name of what stands in its place.
type piece struct{ text, name string }

// The placeholders that are no parameters.
const (
	placeSeed = "seed"
	placeOut  = "out"
)

// placeholder is one, or a doubled brace. What looks like an expansion of a shell, ${HOME}, is left alone.
var placeholder = regexp.MustCompile(`\{\{|\}\}|\$\{|\{[A-Za-z_][A-Za-z0-9_.-]*\}`)

// parseCommand reads a command line whose parameters have these names.
func parseCommand(words, params []string) (Command, error) {
	var c Command
	if len(words) == 0 || words[0] == "" {
		return c, fmt.Errorf("%w: no command", track.ErrInvalid)
	}
	known := append([]string{placeSeed, placeOut}, params...)
	for _, word := range words {
		var pieces []piece
		literal := func(s string) { pieces = append(pieces, piece{text: s}) }
		end := 0
		for _, at := range placeholder.FindAllStringIndex(word, -1) {
			literal(word[end:at[0]])
			end = at[1]
			switch found := word[at[0]:at[1]]; found {
			case "{{", "}}":
				literal(found[:1])
			case "${":
				literal(found)
			default:
				name := found[1 : len(found)-1]
				if !slices.Contains(known, name) {
					return c, unknownPlaceholder(name, known)
				}
				c.usesSeed = c.usesSeed || name == placeSeed
				pieces = append(pieces, piece{name: name})
			}
		}
		literal(word[end:])
		c.words = append(c.words, pieces)
	}
	return c, nil
}

// unknownPlaceholder returns the error for a placeholder that has no value.
func unknownPlaceholder(name string, known []string) error {
	err := fmt.Errorf("%w: the command has a placeholder {%s}, and there is no parameter %s", track.ErrInvalid, name, name)
	text := fmt.Sprintf("known are {%s}, and {{%s}} is the text {%s}; or declare a parameter", strings.Join(known, "}, {"), name, name)
	return track.WithHint(err, track.Hint{Text: text}.With("param", name+"=VALUE"))
}

// UsesSeed reports whether the command line holds the seed. If not, the command has to read TRACK_SEED.
func (c Command) UsesSeed() bool { return c.usesSeed }

// Lines returns the words of the command line with each set of parameters in their place; {seed} and {out} stand as
// they are.
func (c Command) Lines(grid []track.Params) (lines [][]string, err error) {
	for _, params := range grid {
		values, err := words(params)
		if err != nil {
			return nil, err
		}
		values[placeSeed], values[placeOut] = "{seed}", "{out}"
		line := c.arguments(values)
		if len(lines) == 0 || !slices.Equal(line, lines[len(lines)-1]) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// arguments are the words of the command line with the values of the placeholders in their place.
func (c Command) arguments(values map[string]string) []string {
	words := make([]string, len(c.words))
	for i, pieces := range c.words {
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(p.text)
			if p.name != "" {
				b.WriteString(values[p.name])
			}
		}
		words[i] = b.String()
	}
	return words
}
