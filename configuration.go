package track

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Revision is a state of source code.
type Revision struct {
	Commit   string `json:"commit,omitempty"`    // as git names it, or as somebody declared it; empty if unknown
	Dirty    bool   `json:"dirty,omitzero"`      // the tracked files differed from the commit
	DiffHash string `json:"diff_hash,omitempty"` // hex SHA-256 of the changes, if Dirty and known
	// FilesHash is the hex SHA-256 of files that the run depends on and that are not part of the commit, as
	// [track/internal/provenance.Files] computes it; empty if there are none.
	FilesHash string `json:"files_hash,omitempty"`
	// Unknown marks a revision whose state of the code is unknown: it may differ from Commit in any way. Each sweep, or
	// seed that was recorded alone, has another mark, so that it is never equal to another revision. The seed's
	// environment says why. Empty if the state is known.
	Unknown string `json:"state_unknown,omitempty"`
}

// String returns the revision for people: the beginning of the commit, and what differs from it.
func (r Revision) String() string {
	commit := r.Commit
	if len(commit) > 7 {
		commit = commit[:7]
	}
	switch {
	case r.Dirty && len(r.DiffHash) >= 4:
		commit += "+" + r.DiffHash[:4]
	case r.Dirty:
		commit += "+dirty"
	}
	if len(r.FilesHash) >= 4 {
		commit = strings.TrimPrefix(commit+"+files:"+r.FilesHash[:4], "+")
	}
	if r.Unknown != "" {
		commit = strings.TrimPrefix(commit+", state of the code unknown ("+r.Unknown[:min(len(r.Unknown), 8)]+")", ", ")
	}
	return commit
}

// ShortHash is the part of a hash that people read; it is long enough to select by.
func ShortHash(hash string) string { return hash[:min(len(hash), 10)] }

// Configuration is what was run: a label for people, the parameters, and the revision of the code. Together they are
// its identity.
type Configuration struct {
	Label    string   `json:"label,omitempty"`
	Params   Params   `json:"params"`
	Revision Revision `json:",embed"`
}

// RecordedConfiguration is a configuration with its identity, as it is read back.
type RecordedConfiguration struct {
	Hash          string `json:"hash"` // [Configuration.Hash]
	Configuration `json:",embed"`
}

// Hash identifies the configuration: the hex SHA-256 of the canonical JSON (RFC 8785) of an object with the fields
// commit, dirty, diff_hash, files_hash, state_unknown, label and params, without the empty ones.
func (c Configuration) Hash() string {
	fields := struct {
		Revision `json:",embed"`
		Label    string         `json:"label,omitempty"`
		Params   jsontext.Value `json:"params,omitempty"`
	}{c.Revision, c.Label, nil}
	if c.Params != "" && c.Params != "{}" {
		fields.Params = jsontext.Value(c.Params)
	}
	text, err := json.Marshal(fields)
	if err == nil {
		err = (*jsontext.Value)(&text).Canonicalize()
	}
	if err != nil { // Params come from NewParams, the rest are strings
		panic(fmt.Sprintf("configuration %q: %v", c.Label, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Params are the parameters of a run: a JSON object in canonical form (RFC 8785); the empty string is the empty object.
type Params string

// NewParams reads a JSON object. It refuses duplicate names, integers that no float64 holds exactly and numbers beyond
// float64: canonical JSON would round them, and two configurations would become one.
func NewParams(object []byte) (Params, error) {
	value := jsontext.Value(object).Clone()
	if value.Kind() != '{' {
		return "", errors.New("params must be a JSON object")
	}
	if err := checkNumbers(value); err != nil {
		return "", err
	}
	if err := value.Canonicalize(); err != nil {
		return "", fmt.Errorf("params: %w", err)
	}
	if string(value) == "{}" {
		return "", nil
	}
	return Params(value), nil
}

// MarshalJSON returns the canonical JSON object.
func (p Params) MarshalJSON() ([]byte, error) { return p.JSON(), nil }

// UnmarshalJSON reads a JSON object, see [NewParams].
func (p *Params) UnmarshalJSON(text []byte) (err error) {
	*p, err = NewParams(text)
	return err
}

// JSON returns the canonical JSON object.
func (p Params) JSON() jsontext.Value {
	if p == "" {
		return jsontext.Value("{}")
	}
	return jsontext.Value(p)
}

func checkNumbers(object jsontext.Value) error {
	var walk func(path string, value any) error
	walk = func(path string, value any) error {
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				if err := walk(path+"."+name, value[name]); err != nil {
					return err
				}
			}
		case []any:
			for i, element := range value {
				if err := walk(path+"["+strconv.Itoa(i)+"]", element); err != nil {
					return err
				}
			}
		case jsontext.Value:
			if !exact(string(value)) {
				return fmt.Errorf("%s: %s is not exact in float64; write it as a string", path, value)
			}
		}
		return nil
	}
	var tree any
	keepNumbers := json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
		if dec.PeekKind() != '0' {
			return errors.ErrUnsupported
		}
		number, err := dec.ReadValue()
		*v = number.Clone()
		return err
	})
	if err := json.Unmarshal(object, &tree, json.WithUnmarshalers(keepNumbers)); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	return walk("params", tree)
}

// exact reports whether canonical JSON keeps each digit of an integer, or whether any other number is within float64.
// Canonical JSON writes the shortest digits that read back as the same float64: for 2^60 they are the digits of another
// integer.
func exact(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	isInteger := strings.Trim(text, "-0123456789") == ""
	return !isInteger || strconv.FormatFloat(x, 'f', -1, 64) == text
}
