package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track/internal/jsonio"
)

// lenient reads logs, which are other programs' to get right: invalid UTF-8 becomes U+FFFD, the last of two members
// counts.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Unmarshal reads a JSON value of a log leniently. A number that JSON does not have, such as NaN, is null: it costs
// that value, and no other.
func Unmarshal(text []byte, into any) error {
	err := json.Unmarshal(text, into, lenient)
	if err == nil {
		return nil
	}
	text, found := jsonio.NullNonFiniteIn(text)
	if found {
		err = json.Unmarshal(text, into, lenient)
	}
	const most = 100 // such values in strings
	var semantic *json.SemanticError
	for range most {
		if !errors.As(err, &semantic) {
			break
		}
		if text, found = nullWord(text, semantic.JSONPointer); !found {
			break
		}
		err = json.Unmarshal(text, into, lenient)
	}
	return err
}

// nullWord puts null in the place of a string at a pointer that is a number which JSON does not have.
func nullWord(text []byte, at jsontext.Pointer) (changed []byte, found bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(text), lenient)
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return text, false
		}
		if token.Kind() != '"' || decoder.StackPointer() != at || !jsonio.IsNonFinite(token.String()) {
			continue
		}
		end := decoder.InputOffset()
		begin := int64(bytes.LastIndexByte(text[:end-1], '"'))
		return slices.Concat(text[:begin], []byte("null"), text[end:]), true
	}
}

// Canonical returns a JSON value in one form for all ways to write it: members sorted, no white space, numbers with
// all their digits. Of what is not JSON it returns the text.
func Canonical(value jsontext.Value) string {
	canonical := value.Clone()
	if err := canonical.Canonicalize(jsontext.CanonicalizeRawInts(false), lenient); err != nil {
		return strings.ToValidUTF8(string(value), "\uFFFD")
	}
	return string(canonical)
}

// CanonicalText is [Canonical] of JSON that stands in a string.
func CanonicalText(text string) string { return Canonical(jsontext.Value(text)) }

// LeftOut stands for a text that is too long to be kept. It is no digest: what is left out was not masked.
func LeftOut(text string) string { return "[" + strconv.Itoa(len(text)) + " bytes left out]" }

// Digest stands for an identity that is too long for a name: different identities have different digests.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Shape identifies a JSON value without what its strings say: a digest of its structure, its numbers and the lengths of
// its strings. Nobody can guess a secret from it, and it does not depend on what is masked.
func Shape(value []byte) string {
	hash := sha256.New()
	decoder := jsontext.NewDecoder(bytes.NewReader(value), lenient)
	for {
		token, err := decoder.ReadToken()
		if err != nil { // the end; of a damaged value, the beginning counts
			return hex.EncodeToString(hash.Sum(nil))[:16]
		}
		text := token.String()
		if token.Kind() == '"' {
			text = strconv.Itoa(len(text))
		}
		hash.Write(append([]byte(text), 0))
	}
}

// String returns the text of a JSON string, and of any other value nothing.
func String(value jsontext.Value) string {
	if value.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil { // invalid UTF-8, which it replaces
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	return string(text)
}

// Time reads a time of RFC 3339; of anything else, and of a year beyond 1970 to 9999, it returns the zero time.
func Time(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

// TimeOrUTC is [Time], and reads a time without a zone as UTC.
func TimeOrUTC(text string) time.Time {
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return Time(t.Format(time.RFC3339Nano))
		}
	}
	return Time(text)
}

// UnixSeconds returns the time so many seconds after 1970, to the microsecond; of a year beyond 9999 the zero time.
func UnixSeconds(s float64) time.Time {
	const longest = 250_000_000_000 // seconds, beyond the year 9890
	if !(s > 0 && s < longest) {
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(s * 1e6))).UTC()
}

// Seconds returns a duration, in the microseconds of the store; nil of what cannot be one.
func Seconds(s float64) *time.Duration {
	const longest = 100 * 365 * 24 * 3600
	if !(s >= 0 && s <= longest) {
		return nil
	}
	d := time.Duration(math.Round(s*1e6)) * time.Microsecond
	return &d
}

// Between returns the time from start to end; nil where one is unknown or the clock went backwards.
func Between(start, end time.Time) *time.Duration {
	if start.IsZero() || end.IsZero() || end.Before(start) {
		return nil
	}
	d := end.Sub(start)
	return &d
}

// Reason puts an error into a few words of a Skip.
func Reason(err error) string {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return "not JSON: " + strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		if at := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", "."); at != "" {
			return abbreviate(at, 100) + " is not what this format has there"
		}
		return "a line of this format holds something else"
	}
	return err.Error()
}
