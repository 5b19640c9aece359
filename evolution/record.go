package evolution

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Record is a decision with everything that it followed from.
type Record struct {
	Mutation string          `json:"mutation"`
	Attempt  int             `json:"attempt"`  // 0 for the first decision on the mutation
	Settings int             `json:"settings"` // number of the active settings
	Policy   string          `json:"policy"`   // the policy of the settings, unless Override
	Params   json.RawMessage `json:"params"`   // canonical JSON
	Override bool            `json:"override"` // the policy was named for this decision alone
	Score    ScoreUse        `json:"score"`
	Evidence Evidence        `json:"evidence"`
	Draw     Draw            `json:"draw"`
	Decision Decision        `json:"decision"`
}

// NewRecord decides on the mutation that the draw is for. Of its scores it says the kind, and the caller the rest.
func NewRecord(p Policy, e Evidence, draw Draw) (Record, error) {
	d, err := Decide(p, e, draw)
	if err != nil {
		return Record{}, err
	}
	params, err := Params(p)
	if err != nil {
		return Record{}, err
	}
	return Record{
		Mutation: draw.Mutation, Attempt: draw.Attempt, Policy: p.Name(), Params: params, Evidence: e.sorted(), Draw: draw, Decision: d,
		Score: ScoreUse{From: ScoreSource(e.scored()), Times: 1, Agreement: []Agreement{}},
	}, nil
}

// SameQuestion reports whether a record has this policy, these parameters and this evidence.
func (r Record) SameQuestion(p Policy, e Evidence) (bool, error) {
	params, err := Params(p)
	if err != nil || p.Name() != r.Policy || string(params) != string(r.Params) {
		return false, err
	}
	now, err := canonical(e.sorted())
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrEvidence, err)
	}
	then, err := canonical(r.Evidence.sorted())
	return string(now) == string(then), err
}

// VersionID identifies a version by its content: the SHA-256 in lowercase hexadecimal. Equal contents are one version.
func VersionID(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// VersionLabel returns the name of the n-th version of a lineage for people: v001, v002, …
func VersionLabel(n int) string { return fmt.Sprintf("v%03d", n) }

// mutationDomain keeps these hashes apart from all others.
const mutationDomain = "track/mutation/1\x00"

// mutationID derives the id of a mutation from its parents (one, or two for a crossover, in either order), its child
// and its operator, so that a loop that runs again finds the same mutation:
//
//	"m-" + the first 16 hexadecimal digits of
//	SHA-256("track/mutation/1" 0x00 || for f in [operator, child, parents sorted…]: u32be(len f) || f)
func mutationID(parents []string, child, operator string) string {
	sorted := slices.Sorted(slices.Values(parents))
	b := []byte(mutationDomain)
	for _, field := range append([]string{operator, child}, sorted...) {
		b = appendField(b, field)
	}
	sum := sha256.Sum256(b)
	return "m-" + hex.EncodeToString(sum[:8])
}

// repeatedKeyError is the error of an object in which this key is duplicated.
type repeatedKeyError string

func (e repeatedKeyError) Error() string { return string(e) + ": is duplicated" }

// canonical writes a value as canonical JSON (RFC 8785): keys in the order of their UTF-16 code units, numbers in the
// shortest form that reads back as the same float64, no white space. Numbers are taken as float64: larger whole numbers
// belong in strings.
func canonical(v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return canonicalize(plain)
}

// canonicalize rewrites JSON text as canonical JSON. It refuses an object with a duplicated key, and a number beyond
// float64.
func canonicalize(text []byte) ([]byte, error) {
	value := jsontext.Value(text).Clone()
	if err := value.Canonicalize(); err != nil {
		syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
		if ok && errors.Is(err, jsontext.ErrDuplicateName) {
			return nil, repeatedKeyError(syntactic.JSONPointer.LastToken())
		}
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	if bytes.Contains(value, []byte("1.7976931348623157e+308")) { // what a number beyond float64 becomes
		return value, checkRange(text)
	}
	return value, nil
}

// checkRange returns an error if a number in a JSON text is beyond float64.
func checkRange(text []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil // the end: the text has been read before
		}
		if token.Kind() != '0' {
			continue
		}
		if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
			path := slices.Collect(decoder.StackPointer().Tokens())
			return errors.New(strings.Join(append(path, "number "+token.String()+" is beyond float64"), ": "))
		}
	}
}
