package masking_test

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// family is a group of cases: the keys of a vendor, the command lines of a tool, a file format or a kind of value.
type family struct {
	name, group, origin string
	heldOut             bool
	templates           []string
}

var familyHeader = regexp.MustCompile(`^\[([a-z0-9-]+)\] (shape|command|file|value) (named|present|open)$`)

func readFamilies(t *testing.T, file string) (families []family) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for number, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			header := familyHeader.FindStringSubmatch(line)
			if header == nil {
				t.Fatalf("%s:%d: %q is not the beginning of a family", file, number+1, line)
			}
			families = append(families, family{name: header[1], group: header[2], origin: header[3]})
		case len(families) > 0 && (strings.HasPrefix(line, "+ ") || strings.HasPrefix(line, "~ ")):
			last := &families[len(families)-1]
			last.templates = append(last.templates, line[2:])
		default:
			t.Fatalf("%s:%d: %q is not a case", file, number+1, line)
		}
	}
	return families
}

// expanded is a text with secrets.
type expanded struct {
	text    string
	around  string // the text without its secrets
	secrets []string
}

var controls = strings.NewReplacer("⏎", "\n", "⇥", "\t", "␛", "\x1b")

// expand draws a text from a template. The same template and draw give the same text.
func expand(template string, draw int) (expanded, error) {
	hash := fnv.New64a()
	hash.Write([]byte(template))
	g := generator{rand.New(rand.NewPCG(hash.Sum64(), uint64(draw)))}
	var text, around strings.Builder
	var secrets []string
	for rest := controls.Replace(template); ; {
		plain, after, found := strings.Cut(rest, "⟦")
		made, err := g.fill(plain)
		if err != nil {
			return expanded{}, err
		}
		text.WriteString(made)
		around.WriteString(made + "\x00")
		if !found {
			return expanded{text.String(), around.String(), secrets}, nil
		}
		inner, tail, closed := strings.Cut(after, "⟧")
		if !closed {
			return expanded{}, fmt.Errorf("a secret is not closed: %s", template)
		}
		secret, err := g.fill(inner)
		if err != nil {
			return expanded{}, err
		}
		text.WriteString(secret)
		secrets = append(secrets, secret)
		rest = tail
	}
}

// leaks reports whether a masked text still holds a secret, or a piece of it that tells something.
func (e expanded) leaks(secret, masked string) bool {
	const piece = 8
	if len(secret) <= piece {
		return strings.Contains(masked, secret)
	}
	for i := 0; i+piece <= len(secret); i++ {
		if part := secret[i : i+piece]; strings.Contains(masked, part) && !strings.Contains(e.around, part) {
			return true
		}
	}
	return false
}

// generator makes up secrets.
type generator struct{ *rand.Rand }

var placeholder = regexp.MustCompile(`\{([A-Za-z0-9]+-?)(?::([^{}⏎]*))?\}`)

// fill replaces the generators of a template. What is in braces without being a generator stays.
func (g generator) fill(template string) (filled string, err error) {
	filled = placeholder.ReplaceAllStringFunc(template, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		made, ok := g.make(parts[1], parts[2])
		if !ok {
			if _, notNumber := strconv.Atoi(parts[2]); notNumber == nil {
				err = fmt.Errorf("%s: no such generator", found)
			}
			return found
		}
		return made
	})
	return filled, err
}

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	alnum  = lowers + uppers + digits
)

// alphabets are the generators of so many random characters.
var alphabets = map[string]string{
	"hex": digits + "abcdef", "HEX": digits + "ABCDEF", "digits": digits, "letters": lowers + uppers, "lower": lowers + digits, "upper": uppers + digits,
	"alnum": alnum, "b64": alnum + "+/", "b64url": alnum + "-_", "b32": uppers + "234567", "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

func (g generator) make(name, argument string) (made string, ok bool) {
	if alphabet, found := alphabets[name]; found {
		n, err := strconv.Atoi(argument)
		return g.draw(alphabet, n), err == nil
	}
	switch name {
	case "at":
		return "@", true
	case "cURL":
		return "curl", true
	case "dashes":
		return strings.Repeat("-", 5), true
	case "pick":
		choices := strings.Split(argument, "|")
		return choices[g.IntN(len(choices))], true
	case "uuid":
		const hex = digits + "abcdef"
		return g.draw(hex, 8) + "-" + g.draw(hex, 4) + "-4" + g.draw(hex, 3) + "-a" + g.draw(hex, 3) + "-" + g.draw(hex, 12), true
	case "jwt":
		header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))
		payload := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"` + g.draw(digits, 10) + `","exp":1` + g.draw(digits, 9) + `}`))
		return header + "." + payload + "." + g.draw(alphabets["b64url"], 43), true
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte(g.word(2) + ":" + g.password())), true
	}
	made = g.passwordOf(name)
	return made, made != ""
}

// passwordOf makes up a password of a kind that people choose.
func (g generator) passwordOf(kind string) string {
	const marks = "!@#$%^*()-_=+[]{}:,.?/~|"
	switch kind {
	case "password": // may stand anywhere without quotes
		return g.password()
	case "weak": // a word, perhaps with a digit
		return g.word(3) + []string{"", g.draw(digits, 1), g.draw(digits, 2)}[g.IntN(3)]
	case "strong": // needs quotes
		middle := []byte(g.draw(alnum+marks, 10+g.IntN(8)))
		middle[2], middle[5], middle[8] = g.draw(marks, 1)[0], g.draw(digits, 1)[0], g.draw(marks, 1)[0]
		return g.draw(alnum, 1) + string(middle) + g.draw(alnum, 1)
	case "symbol": // begins like a reference
		return g.draw("$%({", 1) + g.draw(alnum, 4+g.IntN(4)) + g.draw("!@#*-_.", 1) + g.draw(alnum, 5) + g.draw(digits, 1)
	case "slashpass": // not encoded in a URL, though it should be
		return g.draw(alnum, 5+g.IntN(4)) + g.draw("/#", 1) + g.draw(alnum, 5+g.IntN(4))
	case "urlpass":
		return g.draw(alnum, 5+g.IntN(4)) + []string{"%40", "%2F", "%23", "%3A"}[g.IntN(4)] + g.draw(alnum, 5)
	case "phrase":
		return strings.Join([]string{g.word(2), g.word(3), g.word(2), g.word(2)}, " ")
	case "phrase-":
		return strings.Join([]string{g.word(2), g.word(3), g.word(2), g.word(2)}, "-")
	case "mnemonic":
		words := make([]string, 12)
		for i := range words {
			words[i] = g.word(2 + g.IntN(2))
		}
		return strings.Join(words, " ")
	}
	return ""
}

func (g generator) password() string {
	switch g.IntN(4) {
	case 0:
		word := g.word(3)
		return strings.ToUpper(word[:1]) + word[1:] + g.draw(digits, 2+g.IntN(3)) + []string{"", "!", "."}[g.IntN(3)] + g.draw(lowers, 1)
	case 1:
		return g.word(2) + "-" + g.word(2) + "-" + g.draw(digits, 2)
	case 2:
		return g.draw(alnum, 11+g.IntN(8)) + g.draw(digits, 1)
	default:
		return g.draw(alnum, 4) + g.draw("_.-+~!", 1) + g.draw(alnum, 6) + g.draw(digits, 1)
	}
}

// word makes up a word of so many syllables, of two or three letters each.
func (g generator) word(syllables int) (word string) {
	for range syllables {
		word += g.draw("bdfgklmnprstvz", 1) + g.draw("aeiou", 1) + []string{"", "", "n", "r", "s"}[g.IntN(5)]
	}
	return word
}

func (g generator) draw(alphabet string, n int) string {
	drawn := make([]byte, n)
	for i := range drawn {
		drawn[i] = alphabet[g.IntN(len(alphabet))]
	}
	return string(drawn)
}
