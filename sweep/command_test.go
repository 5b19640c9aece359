package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track"
	"track/internal/property"
)

func TestCommand(t *testing.T) {
	values := map[string]string{"seed": "7", "out": "/tmp/a b", "theta": "{seed}", "a.b-c_1": "$(rm x)\n"}
	for _, tt := range []struct {
		word, want string
	}{
		{"{seed}", "7"},
		{"--seed={seed}", "--seed=7"},
		{"{seed}{seed}{out}", "77/tmp/a b"},
		{"{theta}", "{seed}"}, // a value is no template
		{"{a.b-c_1}!", "$(rm x)\n!"},
		{"{{seed}}", "{seed}"},
		{"{{{seed}}}", "{7}"},
		{"{{{{", "{{"},
		{"${HOME}", "${HOME}"},
		{"${seed}", "${seed}"}, // of the shell as well
		{"{{}}", "{}"},
		{"{}", "{}"},
		{"{ seed }", "{ seed }"},
		{`{"seed": {seed}}`, `{"seed": 7}`},
		{"{1}", "{1}"},
		{"{", "{"},
		{"}", "}"},
		{"", ""},
	} {
		c, err := parseCommand([]string{"sim", tt.word}, []string{"theta", "a.b-c_1"})
		if err != nil {
			t.Errorf("%q: %v", tt.word, err)
			continue
		}
		if got := c.arguments(values); !slices.Equal(got, []string{"sim", tt.want}) {
			t.Errorf("%q gives %q, want %q", tt.word, got, tt.want)
		}
	}
}

func TestCommandUsesSeed(t *testing.T) {
	for word, want := range map[string]bool{"{seed}": true, "x{seed}y": true, "{{seed}}": false, "${seed}": false, "{out}": false} {
		if c, err := parseCommand([]string{"sim", word}, nil); err != nil || c.UsesSeed() != want {
			t.Errorf("%q: %v, error %v, want %v", word, c.UsesSeed(), err, want)
		}
	}
}

func TestCommandRefused(t *testing.T) {
	for _, words := range [][]string{nil, {""}, {"", "x"}} {
		if _, err := parseCommand(words, nil); !errors.Is(err, track.ErrInvalid) || !strings.Contains(err.Error(), "no command") {
			t.Errorf("%q: %v", words, err)
		}
	}
	_, err := parseCommand([]string{"sim", "--x={theta}"}, []string{"rho"})
	if !errors.Is(err, track.ErrInvalid) || !strings.Contains(err.Error(), "{theta}") {
		t.Errorf("unknown placeholder: %v", err)
	}
	if hints := fmt.Sprint(track.Hints(err)); !strings.Contains(hints, "{seed}, {out}, {rho}") || !strings.Contains(hints, "{{theta}}") {
		t.Errorf("hints %q", hints)
	}
}

// Text without braces stands for itself, and so does any text with its braces doubled.
func TestAnyCommand(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "words")
		words[0] = "sim" + words[0]
		doubled := make([]string, len(words))
		for i, word := range words {
			// ${ is left alone, and doubling its brace would be ${ and then a brace.
			words[i] = strings.ReplaceAll(word, "$", "")
			doubled[i] = strings.NewReplacer("{", "{{", "}", "}}").Replace(words[i])
		}
		c, err := parseCommand(doubled, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.arguments(map[string]string{"seed": "1"}); !slices.Equal(got, words) || c.UsesSeed() {
			t.Fatalf("%q gives %q", doubled, got)
		}
		if plain := slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(w, "{}") }); len(plain) > 0 && plain[0] != "" {
			c, err := parseCommand(plain, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.arguments(nil); !slices.Equal(got, plain) {
				t.Fatalf("%q gives %q", plain, got)
			}
		}
	})
}

func TestLookUp(t *testing.T) {
	for word, want := range map[string]error{"sh": nil, "no-such-program-here": track.ErrNotFound, "./no-such-file": track.ErrNotFound, "{theta}": nil} {
		c, err := parseCommand([]string{word, "{seed}"}, []string{"theta"})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.lookUp(); !errors.Is(err, want) || want != nil && len(track.Hints(err)) == 0 {
			t.Errorf("%s: %v, want %v", word, err, want)
		}
	}
}
