package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"track"
	"track/evolution"
	"track/scoring/rubric"
)

// settingNames are the keys that track lineage set takes, but for keep_text, which is no part of the ledger.
func settingNames() []string {
	s := evolution.DefaultSettings()
	names := []string{"policy", "operators", "rubric", "forbidden"}
	for _, part := range []any{s.Loop, s.Rollback} {
		names = append(names, memberNames(part)...)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "forbidden_patterns" || name == "frozen" })
	slices.Sort(names)
	return names
}

// memberNames are the names of a struct in JSON, in its order.
func memberNames(v any) (names []string) {
	text, _ := json.Marshal(v) // of plain numbers
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	depth, key := 0, true
	for {
		token, err := decoder.Token()
		if err != nil {
			return names
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
			key = depth == 1
			continue
		case string:
			if depth == 1 && key {
				names, key = append(names, token), false
				continue
			}
		}
		key = depth == 1
	}
}

// changeSetting sets one KEY=VALUE.
func changeSetting(s *evolution.Settings, key, value string) (err error) {
	switch key {
	case "policy":
		if value == "" {
			return usage("policy= names no policy: use threshold, strict, poi, confirm, sprt, cs or anneal")
		}
		policy, err := parsePolicy(value)
		if err != nil {
			return err
		}
		s.Policy = policy.Name()
		s.Params, err = evolution.Params(policy)
		return err
	case "operators":
		s.Operators, err = readOperators(strings.TrimPrefix(value, "@"))
		return err
	case "forbidden":
		s.Loop.Forbidden, err = readPatterns(strings.TrimPrefix(value, "@"))
		return err
	case "rubric":
		s.Rubric = value
		if value != "" && value != track.RubricOwn && !slices.Contains(rubric.Names(), value) {
			return usage("rubric=%s: use rubric/1, rubric/2 or own, or nothing for the scores in force", value)
		}
		return nil
	case "frozen":
		return usage("frozen is no setting to set: use track lineage freeze NAME, or unfreeze")
	}
	for _, part := range []any{&s.Loop, &s.Rollback} {
		if slices.Contains(memberNames(part), key) && slices.Contains(settingNames(), key) {
			return setMember(part, key, value)
		}
	}
	return usage("there is no setting %q: use keep_text, %s", key, strings.Join(settingNames(), ", "))
}

// setMember sets a number of a struct by its name in JSON.
func setMember(part any, key, value string) error {
	text, err := json.Marshal(map[string]json.RawMessage{key: json.RawMessage(value)})
	if err == nil {
		err = json.Unmarshal(text, part)
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return usage("%s=%s: want %s", key, value, map[string]string{"int": "a whole number", "float64": "a number"}[kind.Type.String()])
	case err != nil || value == "null":
		return usage("%s=%s is not a number", key, value)
	}
	return nil
}

// parsePolicy reads NAME, NAME,param=number,… or @FILE: {"policy": NAME, "params": {…}}.
func parsePolicy(text string) (evolution.Policy, error) {
	if file, isFile := strings.CutPrefix(text, "@"); isFile {
		return readPolicy(file)
	}
	name, rest, given := strings.Cut(text, ",")
	params := map[string]json.RawMessage{}
	for given {
		var assignment string
		assignment, rest, given = strings.Cut(rest, ",")
		key, value, ok := strings.Cut(assignment, "=")
		if _, twice := params[key]; !ok || twice || !json.Valid([]byte(value)) {
			return nil, usage("policy %s: %q is not a new param=number, as in confirm,n1=3,n2=8", text, assignment)
		}
		params[key] = json.RawMessage(value)
	}
	object, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	policy, err := evolution.ParsePolicy(name, object)
	if err != nil {
		return nil, usage("%v", err)
	}
	return policy, nil
}

func readPolicy(file string) (evolution.Policy, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", notFound(err))
	}
	var given struct {
		Policy string          `json:"policy"`
		Params json.RawMessage `json:"params"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&given); err != nil || given.Policy == "" {
		return nil, fmt.Errorf(`%w: %s is not {"policy": NAME, "params": {…}}: %s`, track.ErrInvalid, file, orProblem(err, "policy is missing"))
	}
	policy, err := evolution.ParsePolicy(given.Policy, given.Params)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", track.ErrInvalid, file, err)
	}
	return policy, nil
}

func orProblem(err error, otherwise string) string {
	if err == nil {
		return otherwise
	}
	return err.Error()
}

// readOperators reads a JSON list of {"name", "risk"}.
func readOperators(file string) (list []evolution.Operator, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("operators: %w", notFound(err))
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf(`%w: %s is not [{"name": NAME, "risk": "LOW"}, …]: %w`, track.ErrInvalid, file, err)
	}
	for i := range list {
		if list[i].Risk = evolution.Risk(strings.ToUpper(string(list[i].Risk))); list[i].Risk == "" {
			list[i].Risk = evolution.Medium
		}
	}
	settings := evolution.DefaultSettings()
	settings.Operators = list
	if err := settings.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", track.ErrInvalid, file, err)
	}
	return list, nil
}

// readPatterns reads one regular expression a line; empty lines and those that begin with # are left out.
func readPatterns(file string) (list []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("forbidden: %w", notFound(err))
	}
	list = []string{}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := evolution.CheckChild("", "x", []string{line}); err != nil {
			return nil, fmt.Errorf("%w: %s, line %d: %s is no regular expression: %w", track.ErrInvalid, file, i+1, line, errors.Unwrap(err))
		}
		list = append(list, line)
	}
	return list, nil
}

// settingsGrid shows settings, key by key.
func settingsGrid(s evolution.Settings) grid {
	g := grid{title: fmt.Sprintf("settings, version %d", s.Number), columns: []string{"setting", "value"}}
	rubric := s.Rubric
	if rubric == "" {
		rubric = "that in force"
	}
	g.cells = append(g.cells, []any{"policy", s.Policy + " " + string(s.Params)}, []any{"rubric", rubric})
	for _, risk := range []evolution.Risk{evolution.Low, evolution.Medium, evolution.High} {
		var names []string
		for _, o := range s.Operators {
			if o.Risk == risk {
				names = append(names, o.Name)
			}
		}
		if len(names) > 0 {
			g.cells = append(g.cells, []any{"operators, " + string(risk), strings.Join(names, ", ")})
		}
	}
	for _, part := range []any{s.Loop, s.Rollback} {
		text, _ := json.Marshal(part) // of plain values
		var values map[string]json.RawMessage
		_ = json.Unmarshal(text, &values)
		for _, name := range memberNames(part) {
			if name != "forbidden_patterns" {
				g.cells = append(g.cells, []any{name, string(values[name])})
			}
		}
	}
	for _, pattern := range s.Loop.Forbidden {
		g.cells = append(g.cells, []any{"forbidden", pattern})
	}
	return g
}
