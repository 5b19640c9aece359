package store

import (
	"strconv"
	"strings"
)

// clauses builds a statement of constant fragments, with its arguments.
type clauses struct {
	text strings.Builder
	args []any
}

// add appends a fragment, whose placeholders count from $1, and its arguments.
func (c *clauses) add(fragment string, args ...any) {
	writeRenumbered(&c.text, fragment, len(c.args))
	c.args = append(c.args, args...)
}

// addList appends a fragment with one placeholder for each argument in the place of {list}. It has no other
// placeholders.
func (c *clauses) addList(fragment string, args ...any) {
	before, after, _ := strings.Cut(fragment, "{list}")
	c.text.WriteString(before)
	for i, arg := range args {
		if i > 0 {
			c.text.WriteString(", ")
		}
		c.add("$1", arg)
	}
	c.text.WriteString(after)
}

// statement returns the text, with the planner hints of the database, and the arguments.
func (c *clauses) statement() (text string, args []any) { return c.text.String(), c.args }

// nullText returns a text for a column in which unknown is NULL.
func nullText(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func anys[T any](list []T) []any {
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = v
	}
	return values
}

// writeRenumbered writes a fragment with every placeholder $n as $n+by.
func writeRenumbered(b *strings.Builder, fragment string, by int) {
	for {
		before, after, found := strings.Cut(fragment, "$")
		b.WriteString(before)
		if !found {
			return
		}
		digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
		n, err := strconv.Atoi(after[:digits])
		b.WriteByte('$')
		if err == nil { // else it is no placeholder
			b.WriteString(strconv.Itoa(n + by))
		}
		fragment = after[digits:]
	}
}
