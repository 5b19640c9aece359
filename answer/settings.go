package answer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/evolution"
)

// settingNames returns the settings of a lineage that can be set one by one.
func settingNames() []string {
	names := []string{"policy", "operators", "operator_choice", "forbidden", "scale", "minimize", "failures", "overfit"}
	for _, part := range settingParts(&evolution.Settings{}) {
		names = append(names, memberNames(part)...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == "forbidden_patterns" || name == "frozen" })
}

// settingParts returns the parts of settings whose members are set by their names in JSON.
func settingParts(s *evolution.Settings) []any { return []any{&s.Loop, &s.Rollback} }

// Setting is a setting of a lineage and its new value, as text.
type Setting struct{ Key, Value string }

// ParseSetting reads KEY=VALUE.
func ParseSetting(text string) (s Setting, err error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return s, fmt.Errorf("%s is not KEY=VALUE", text)
	}
	return Setting{key, value}, nil
}

// Change makes the setting in s.
func (a Setting) Change(s *evolution.Settings) (err error) {
	switch a.Key {
	case "policy":
		policy, err := ParsePolicy(a.Value)
		if err != nil {
			return err
		}
		s.Policy = policy.Name()
		s.Params, err = evolution.Params(policy)
		return err
	case "operators":
		s.Operators, err = ParseOperators(a.Value)
		return err
	case "forbidden":
		s.Loop.Forbidden, err = ParsePatterns(a.Value)
		return err
	case "operator_choice":
		if !slices.Contains(evolution.OperatorRules(), a.Value) {
			return fmt.Errorf("operator_choice=%s: use %s", a.Value, strings.Join(evolution.OperatorRules(), " or "))
		}
		s.OperatorChoice = evolution.OperatorRule(a.Value)
	case "scale", "minimize":
		return a.changeScale(s)
	case "failures":
		s.Failures = evolution.FailureRule(a.Value)
		return nil
	case "overfit":
		s.Overfit = evolution.OverfitAction(a.Value)
		return nil
	case "frozen":
		return errors.New("frozen cannot be set: freeze or unfreeze the lineage")
	}
	for _, part := range settingParts(s) {
		if slices.Contains(memberNames(part), a.Key) && slices.Contains(settingNames(), a.Key) {
			return a.changeMember(part)
		}
	}
	return fmt.Errorf("there is no setting %q: use keep_text, %s", a.Key, strings.Join(settingNames(), ", "))
}

// changeScale sets the scale of the scores, or its direction, which makes a scale of 0 to 100 one of any numbers.
func (a Setting) changeScale(s *evolution.Settings) (err error) {
	scale := &evolution.Scale{}
	if s.Scale != nil {
		*scale = *s.Scale
	}
	if a.Key == "minimize" {
		if scale.Minimize, err = strconv.ParseBool(a.Value); err != nil {
			return fmt.Errorf("minimize=%s: use true or false", a.Value)
		}
	} else {
		minimize := scale.Minimize
		if scale, err = parseScale(a.Value); err != nil {
			return fmt.Errorf("scale=%s: %w", a.Value, err)
		}
		if scale == nil {
			s.Scale = nil
			return nil
		}
		scale.Minimize = minimize
	}
	_, _, wasBounded := s.Scale.Ends()
	if _, _, bounded := scale.Ends(); bounded || wasBounded {
		*s = s.WithScale(*scale)
		return nil
	}
	s.Scale = scale
	return nil
}

// parseScale reads a scale: 0-100, which is nil, its ends as in 0-1 or -1..1, or unbounded, which may say how many
// points one unit is.
func parseScale(text string) (*evolution.Scale, error) {
	points, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "0-100":
		return nil, nil
	case text == "unbounded":
		return &evolution.Scale{}, nil
	case err == nil && points > 0:
		return &evolution.Scale{Points: points}, nil
	}
	first, last, found := strings.Cut(text, "..")
	if !found {
		first, last, _ = strings.Cut(text, "-")
	}
	lo, errLo := strconv.ParseFloat(first, 64)
	hi, errHi := strconv.ParseFloat(last, 64)
	scale, errRange := evolution.BoundedScale(lo, hi)
	if cmp.Or(errLo, errHi, errRange) != nil {
		return nil, errors.New("use a range as 0-1 or -1..1, 0-100, unbounded, or how many points one unit of any numbers is")
	}
	return scale, nil
}

// rangeText writes a scale as [parseScale] reads it.
func rangeText(s *evolution.Scale) string {
	if s == nil {
		return ""
	}
	lo, hi, bounded := s.Ends()
	switch {
	case bounded:
		return fmt.Sprintf("%v..%v", lo, hi)
	case s.Points == 0:
		return "unbounded"
	}
	return strconv.FormatFloat(s.Points, 'g', -1, 64)
}

// limitsOfLength may be off, which is 0.
var limitsOfLength = [...]string{"max_growth", "max_length"}

// changeMember sets a number of a struct by its name in JSON.
func (a Setting) changeMember(part any) error {
	if a.Value == "off" && slices.Contains(limitsOfLength[:], a.Key) {
		a.Value = "0"
	}
	text, err := json.Marshal(map[string]json.RawMessage{a.Key: json.RawMessage(a.Value)})
	if err == nil {
		err = json.Unmarshal(text, part)
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%s=%s: want %s", a.Key, a.Value, map[string]string{"int": "a whole number", "float64": "a number"}[kind.Type.String()])
	case err != nil || a.Value == "null":
		return fmt.Errorf("%s=%s is not a number", a.Key, a.Value)
	}
	return nil
}

// memberNames returns the names of a struct in JSON, in their order.
func memberNames(v any) (names []string) {
	text, _ := json.Marshal(v) // of plain values
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.Token()
		if err != nil {
			return names
		}
		name, ok := token.(string)
		if !ok {
			continue
		}
		names = append(names, name)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return names
		}
	}
}

// ParsePolicy reads NAME or NAME,param=number,….
func ParsePolicy(text string) (evolution.Policy, error) {
	name, rest, given := strings.Cut(text, ",")
	if name == "" {
		return nil, errors.New("no policy is named: use " + strings.Join(evolution.Policies(), ", "))
	}
	params := map[string]json.RawMessage{}
	for given {
		var assignment string
		assignment, rest, given = strings.Cut(rest, ",")
		key, value, ok := strings.Cut(assignment, "=")
		if _, twice := params[key]; !ok || twice || !json.Valid([]byte(value)) {
			return nil, fmt.Errorf("policy %s: %q is not a new param=number, as in confirm,n1=3,n2=8", text, assignment)
		}
		params[key] = json.RawMessage(value)
	}
	object, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return evolution.ParsePolicy(name, object)
}

// policyText writes a policy as [ParsePolicy] reads it.
func policyText(p evolution.Policy) string {
	if p == nil {
		return ""
	}
	var values map[string]json.RawMessage
	if params, err := evolution.Params(p); err == nil {
		_ = json.Unmarshal(params, &values) // of plain numbers
	}
	text := p.Name()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text += "," + name + "=" + string(values[name])
	}
	return text
}

func decodeStrictly(text string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the end")
	}
	return nil
}

// ParseOperators reads a JSON list of operators: {"name", "risk"}. Without a risk it is MEDIUM.
func ParseOperators(text string) (list []evolution.Operator, err error) {
	if err := decodeStrictly(text, &list); err != nil {
		return nil, fmt.Errorf(`not [{"name": NAME, "risk": "LOW"}, …]: %w`, err)
	}
	for i := range list {
		if list[i].Risk = evolution.Risk(strings.ToUpper(string(list[i].Risk))); list[i].Risk == "" {
			list[i].Risk = evolution.Medium
		}
	}
	settings := evolution.DefaultSettings()
	settings.Operators = list
	return list, settings.Validate()
}

// ParsePatterns reads one regular expression a line. Empty lines and those that begin with # are skipped.
func ParsePatterns(text string) ([]string, error) {
	list := []string{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := evolution.CheckForbidden("", []string{line}); err != nil {
			return nil, fmt.Errorf("line %d: %s is not a regular expression: %w", i+1, line, errors.Unwrap(err))
		}
		list = append(list, line)
	}
	return list, nil
}

// settingsTable shows settings, key by key.
func settingsTable(s evolution.Settings) Table {
	t := Table{Name: "settings", Title: fmt.Sprintf("settings, version %d", s.Number), Columns: columns("setting", "value").wrap("value")}
	add := func(key, value string) { t.Rows = append(t.Rows, []any{key, value}) }
	add("policy", s.Policy+" "+string(s.Params))
	add("operator_choice", cmp.Or(string(s.OperatorChoice), string(evolution.Roulette)))
	t.Rows = append(t.Rows, scoreSettingRows(s)...)
	add("scale", scaleText(s.Scale))
	add("failures", string(cmp.Or(s.Failures, evolution.FailuresAsWorst)))
	add("overfit", string(cmp.Or(s.Overfit, evolution.OverfitStop)))
	if s.Tasks != nil {
		add("tasks", tasksText(*s.Tasks))
	}
	for _, risk := range []evolution.Risk{evolution.Low, evolution.Medium, evolution.High} {
		var names []string
		for _, o := range s.Operators {
			if o.Risk == risk {
				names = append(names, o.Name)
			}
		}
		if len(names) > 0 {
			add("operators, "+string(risk), strings.Join(names, ", "))
		}
	}
	for _, part := range settingParts(&s) {
		text, _ := json.Marshal(part) // of plain values
		var values map[string]json.RawMessage
		_ = json.Unmarshal(text, &values)
		for _, name := range memberNames(part) {
			switch value := string(values[name]); {
			case name == "forbidden_patterns":
			case value == "0" && slices.Contains(limitsOfLength[:], name):
				add(name, "off")
			default:
				add(name, value)
			}
		}
	}
	for _, pattern := range s.Loop.Forbidden {
		add("forbidden", pattern)
	}
	return t
}

// tasksText says how many tasks there are, and on how many an accepted child is measured.
func tasksText(t evolution.TaskSettings) string {
	text := strconv.Itoa(len(t.Names))
	if t.Numbered {
		text += ", numbered"
	}
	if t.Measured > 0 && t.Measured < len(t.Names) {
		text += fmt.Sprintf(", the gain measured on the first %d", t.Measured)
	}
	return text
}

// scaleText says what scores may be.
func scaleText(s *evolution.Scale) string {
	lo, hi, bounded := s.Ends()
	switch {
	case s == nil:
		return "0-100"
	case bounded && s.Minimize:
		return fmt.Sprintf("%v..%v, less is better, one unit is %v points", lo, hi, s.Points)
	case bounded:
		return fmt.Sprintf("%v..%v, one unit is %v points", lo, hi, s.Points)
	case s.Points > 0 && s.Minimize:
		return fmt.Sprintf("unbounded, less is better, one unit is %v points", s.Points)
	case s.Points > 0:
		return fmt.Sprintf("unbounded, one unit is %v points", s.Points)
	case s.Minimize:
		return "unbounded, less is better"
	}
	return "unbounded"
}

// operatorsText writes operators as [ParseOperators] reads them.
func operatorsText(list []evolution.Operator) string {
	if list == nil {
		return ""
	}
	text, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return string(text)
}

// SpecRef names a version of a spec.
type SpecRef struct {
	Version int    `json:"version"`
	Hash    string `json:"hash"` // of the canonical document
}

// describe names a configuration for people: its hash, and what of its parts is known.
func describe(c track.RecordedConfiguration) string {
	parts := []string{track.ShortHash(c.Hash)}
	if c.Label != "" {
		parts = append(parts, "label "+c.Label)
	}
	if c.Revision != (track.Revision{}) {
		parts = append(parts, "revision "+c.Revision.String())
	}
	if c.Params != "" {
		parts = append(parts, "params "+ShortParams(c.Params))
	}
	return strings.Join(parts, ", ")
}
