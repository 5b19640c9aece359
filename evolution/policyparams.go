package evolution

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ParsePolicy reads a policy from its name and a JSON object of parameters; omitted parameters have their defaults; no
// object at all means all defaults. A parameter that is unknown, duplicated, not a number or outside its domain is a
// [*paramError] that names it.
func ParsePolicy(name string, params []byte) (Policy, error) {
	p, err := DefaultPolicy(name)
	if err != nil {
		return nil, err
	}
	switch p := p.(type) {
	case Confirm:
		return withParams(p, params)
	case Greedy:
		return withParams(p, params)
	case Threshold:
		return withParams(p, params)
	}
	return nil, fmt.Errorf("%w %q", errUnknownPolicy, name)
}

// Params returns all parameters of a policy, as canonical JSON (RFC 8785): what is stored with a decision.
func Params(p Policy) ([]byte, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	return canonical(p)
}

// withParams overrides parameters of p. encoding/json alone would take keys in any case, the last of two, and null.
func withParams[P Policy](p P, params []byte) (Policy, error) {
	if len(bytes.TrimSpace(params)) == 0 {
		return p, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(params, &given); err != nil || given == nil {
		return nil, &paramError{Policy: p.Name(), Problem: "parameters are not a JSON object"}
	}
	if _, err := canonicalize(params); err != nil {
		if key, ok := errors.AsType[repeatedKeyError](err); ok {
			return nil, &paramError{p.Name(), string(key), "is duplicated"}
		}
		return nil, &paramError{Policy: p.Name(), Problem: err.Error()}
	}
	names, err := paramNames(p)
	if err != nil {
		return nil, err
	}
	for _, key := range sortedKeys(given) {
		if !slices.Contains(names, key) {
			return nil, &paramError{p.Name(), key, "unknown; the parameters are " + strings.Join(names, ", ")}
		}
		if err := setParam(&p, key, given[key]); err != nil {
			return nil, err
		}
	}
	return p, p.validate()
}

func setParam[P Policy](p *P, key string, value json.RawMessage) error {
	one, err := json.Marshal(map[string]json.RawMessage{key: value})
	if err != nil {
		return &paramError{(*p).Name(), key, err.Error()}
	}
	if err := json.Unmarshal(one, p); err != nil || string(value) == "null" {
		want := "a number"
		if bytes.ContainsAny(value, ".eE") && json.Unmarshal(value, new(float64)) == nil {
			want = "a whole number, or is beyond float64" // a number, so the parameter is a count
		}
		return &paramError{(*p).Name(), key, fmt.Sprintf("%.40s is not %s", value, want)}
	}
	return nil
}

// paramNames returns the names of the parameters, sorted.
func paramNames(p Policy) ([]string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return sortedKeys(all), nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
