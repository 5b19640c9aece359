package agents

import (
	"fmt"
	"strconv"
	"strings"

	"track"
)

// ParseTokens reads counts of tokens, as in in=1200,out=300; nil for an empty text.
func ParseTokens(text string) (*track.Tokens, error) {
	if text == "" {
		return nil, nil
	}
	tokens := &track.Tokens{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is not NAME=NUMBER, as in in=1200,out=300", part)
		}
		switch name {
		case "in", "input":
			tokens.Input = &n
		case "out", "output":
			tokens.Output = &n
		case "cache_read":
			tokens.CacheRead = &n
		case "cache_write":
			tokens.CacheWrite = &n
		case "reasoning":
			tokens.Reasoning = &n
		default:
			return nil, fmt.Errorf("unknown %q: use in, out, cache_read, cache_write and reasoning", name)
		}
	}
	return tokens, nil
}
