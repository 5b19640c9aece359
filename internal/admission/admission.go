// Package admission decides which texts of a fact may be recorded. It is the only way into a database: free text is
// masked, and names that look like secrets, or that have hidden characters, are refused.
package admission

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"track"
	"track/internal/masking"
)

// Alike reports whether two texts, each masked by some rules, can be the same text. Both are masked by today's rules
// first. A mask stands for a part of a word, so the words are compared one by one.
func (r *Rules) Alike(a, b string) bool {
	if a == b {
		return true
	}
	a, _ = r.Text(a)
	b, _ = r.Text(b)
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && !alikeWords(x[i], y[i]) {
			return false
		}
	}
	return true
}

// alikeWords reports whether there is a word that both can be masked from: what stands before the first mask in both,
// and behind the last, does not contradict the other.
func alikeWords(a, b string) bool {
	beforeA, behindA, maskedA := aroundMasks(a)
	beforeB, behindB, maskedB := aroundMasks(b)
	switch {
	case maskedA && maskedB:
		return (strings.HasPrefix(beforeA, beforeB) || strings.HasPrefix(beforeB, beforeA)) &&
			(strings.HasSuffix(behindA, behindB) || strings.HasSuffix(behindB, behindA))
	case maskedA:
		return len(b) > len(beforeA)+len(behindA) && strings.HasPrefix(b, beforeA) && strings.HasSuffix(b, behindA)
	case maskedB:
		return len(a) > len(beforeB)+len(behindB) && strings.HasPrefix(a, beforeB) && strings.HasSuffix(a, behindB)
	}
	return false
}

const mask = "[masked:"

// aroundMasks returns what stands before the first mask of a word, and behind the last.
func aroundMasks(word string) (before, behind string, masked bool) {
	first, last := strings.Index(word, mask), strings.LastIndex(word, mask)
	if first < 0 {
		return word, "", false
	}
	_, behind, masked = strings.Cut(word[last:], "]")
	return word[:first], behind, masked
}

// Normal returns a name in Unicode's form NFC: a letter with an accent is one name, whether the accent is a character
// of its own or not.
func Normal(name string) string { return norm.NFC.String(name) }

// NormalParams returns parameters whose names and values are in the form of [Normal].
func NormalParams(p track.Params) (track.Params, error) {
	if norm.NFC.IsNormalString(string(p)) {
		return p, nil
	}
	return track.NewParams([]byte(Normal(string(p)))) // in canonical order
}

// normalize brings the names of a seed into the form of [Normal]. Two metrics that become one are a problem.
func normalize(s *track.Seed) *track.FieldError {
	if isNormal(s) {
		return nil
	}
	s.Scenario, s.Configuration.Label = Normal(s.Scenario), Normal(s.Configuration.Label)
	var err error
	if s.Configuration.Params, err = NormalParams(s.Configuration.Params); err != nil {
		return &track.FieldError{Field: "configuration.params", Message: err.Error()}
	}
	values := make(map[string]float64, len(s.Values))
	for name, value := range s.Values {
		values[Normal(name)] = value
	}
	if len(values) < len(s.Values) {
		return &track.FieldError{Field: "values", Message: "two metrics have the same name, with letters that are composed differently"}
	}
	s.Values, s.Series = values, slices.Clone(s.Series)
	for i := range s.Series {
		s.Series[i].Name = Normal(s.Series[i].Name)
	}
	return s.Validate()
}

func isNormal(s *track.Seed) bool {
	for name := range s.Values {
		if !norm.NFC.IsNormalString(name) {
			return false
		}
	}
	return norm.NFC.IsNormalString(s.Scenario) && norm.NFC.IsNormalString(s.Configuration.Label) && norm.NFC.IsNormalString(string(s.Configuration.Params)) &&
		!slices.ContainsFunc(s.Series, func(list track.Series) bool { return !norm.NFC.IsNormalString(list.Name) })
}

// Masker takes secrets out of texts.
type Masker struct {
	Version     int // grows when the rules improve
	Mask        func(text string) (masked string, n int)
	MaskWords   func(words []string) (masked []string, n int)
	LooksSecret func(name string) (kind string, ok bool)
}

// Rules admit facts. They may be used by several goroutines.
type Rules struct {
	Masker
	// SecretNames admits names that look like secrets, and ledgers and contents in which something does.
	SecretNames bool

	mu   sync.Mutex
	good map[string]bool // names that were admitted before
}

// New returns the rules of package masking.
func New(secretNames bool) *Rules {
	return &Rules{
		Masker:      Masker{masking.Rules, masking.Mask, masking.MaskWords, masking.LooksSecret},
		SecretNames: secretNames,
	}
}

// Admit masks the free text of a fact, and returns how many secrets there were. The names of a seed are brought into
// the form of [Normal]. It returns an error if a name must not be recorded; then nothing of the fact may be.
func (r *Rules) Admit(fact track.Fact) (masked int, problem *track.FieldError) {
	v := visitor{rules: r}
	if seed, is := fact.(*track.Seed); is {
		if problem := normalize(seed); problem != nil {
			return 0, problem
		}
	}
	fact.EachText(&v)
	return v.masked, v.problem
}

// Name returns an error if a name must not be recorded.
func (r *Rules) Name(field, name string) *track.FieldError {
	if name == "" || r.isGood(name) {
		return nil
	}
	if err := track.CheckVisible(name); err != nil {
		return &track.FieldError{Field: field, Message: err.Error()}
	}
	if problem := r.checkSecret(field, name); problem != nil {
		return problem
	}
	r.remember(name)
	return nil
}

// Text returns a free text without its secrets, and how many it had.
func (r *Rules) Text(text string) (masked string, n int) {
	if text == "" {
		return text, 0
	}
	return r.Mask(text)
}

func (r *Rules) checkSecret(field, name string) *track.FieldError {
	if r.SecretNames {
		return nil
	}
	if kind, ok := r.LooksSecret(name); ok {
		return refusal(field, name, kind)
	}
	return nil
}

// refusal returns the error for a name that looks like a secret, of which it quotes as much as says which one is meant.
func refusal(field, name, kind string) *track.FieldError {
	return &track.FieldError{
		Field: field, Message: fmt.Sprintf("%s looks like a secret (%s): names identify records, so this one is refused instead of masked", hint(name), kind),
		Hint: &track.Hint{Text: "use another name, or record this one as it is", Args: []track.HintArg{{Name: "allow-secret-name"}}},
	}
}

// hint says which name is meant: by its length, and if that leaves enough unsaid, by its beginning.
func hint(name string) string {
	const shown, enough = 4, 20
	characters := []rune(name)
	if len(characters) < enough {
		return fmt.Sprintf("a text of %d characters", len(characters))
	}
	return fmt.Sprintf("a text of %d characters that begins with %q", len(characters), string(characters[:shown]))
}

// mostGood bounds the memory of a process that sees many names.
const mostGood = 10_000

func (r *Rules) isGood(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.good[name]
}

func (r *Rules) remember(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.good == nil || len(r.good) >= mostGood {
		r.good = map[string]bool{}
	}
	r.good[name] = true
}

// Unchanged returns an error for a text that must be stored as it is, because its hash is recorded elsewhere, and in
// which something looks like a secret.
func (r *Rules) Unchanged(field, text string) *track.FieldError {
	if r.SecretNames {
		return nil
	}
	kind, ok := r.LooksSecret(text)
	if !ok {
		return nil
	}
	if tree, err := readJSON(text); err == nil {
		ok = false // a value may look like a secret because of its name
		eachString(field, tree, func(_, s string, _ bool) {
			if found, is := r.LooksSecret(s); is {
				kind, ok = found, true
			}
		})
	}
	if !ok {
		return nil
	}
	return &track.FieldError{
		Field: field, Message: fmt.Sprintf("something in it looks like a secret (%s), and it cannot be masked because its hash is recorded", kind),
		Hint: &track.Hint{Text: "record it as it is", Args: []track.HintArg{{Name: "allow-secret-name"}}},
	}
}

// visitor admits the texts of one fact.
type visitor struct {
	rules   *Rules
	masked  int
	problem *track.FieldError // the first
}

func (v *visitor) refuse(problem *track.FieldError) {
	if v.problem == nil && problem != nil {
		v.problem = problem.Shorten()
	}
}

func (v *visitor) Name(field, name string) { v.refuse(v.rules.Name(field, name)) }

// Names checks each string by itself, and all of them as JSON, which shows a value with its name.
func (v *visitor) Names(field, document string) {
	if v.rules.isGood(document) {
		return
	}
	tree, err := readJSON(document)
	if err != nil {
		v.refuse(&track.FieldError{Field: field, Message: err.Error()})
		return
	}
	var problem *track.FieldError
	eachString(field, tree, func(path, name string, isValue bool) {
		if isValue {
			name = strings.Map(withoutBreaks, name)
		}
		if problem == nil {
			problem = v.rules.Name(path, name)
		}
	})
	if problem == nil {
		problem = v.rules.checkDocument(field, document, tree)
	}
	if problem == nil {
		v.rules.remember(document)
	}
	v.refuse(problem)
}

// checkDocument returns an error if something in a document looks like a secret next to its name. If it can, it says
// which value that is.
func (r *Rules) checkDocument(field, document string, tree any) *track.FieldError {
	problem := r.checkSecret(field, document)
	if problem == nil {
		return nil
	}
	var found *track.FieldError
	eachString(field, tree, func(path, value string, isValue bool) {
		name := path[strings.LastIndexByte(path, '.')+1:]
		pair, err := json.Marshal(map[string]string{name: value})
		if kind, ok := r.LooksSecret(string(pair)); ok && err == nil && found == nil && isValue && path != field {
			found = refusal(path, value, kind)
		}
	})
	return cmp.Or(found, problem)
}

// withoutBreaks takes out what a text of several lines has, and a name must not have.
func withoutBreaks(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return ' '
	}
	return r
}

func eachString(path string, value any, visit func(path, name string, isValue bool)) {
	switch value := value.(type) {
	case string:
		visit(path, value, true)
	case []any:
		for _, element := range value {
			eachString(path, element, visit)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			visit(path, name, false)
			eachString(path+"."+name, value[name], visit)
		}
	}
}

func (v *visitor) Free(_ string, text *string) {
	clean, n := v.rules.Text(*text)
	*text, v.masked = clean, v.masked+n
}

func (v *visitor) Setting(_, name string, text *string) {
	clean, n := v.rules.Setting(name, *text)
	*text, v.masked = clean, v.masked+n
}

// Setting returns a text that is called name without its secrets, and how many it had.
func (r *Rules) Setting(name, text string) (masked string, n int) {
	if text == "" {
		return text, 0
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 { // env.NAME
		name = name[i+1:]
	}
	clean, n := r.Mask(name + "=" + text)
	if value, whole := strings.CutPrefix(clean, name+"="); whole {
		return value, n
	}
	return "[masked:setting]", max(n, 1)
}

func (v *visitor) Document(_ string, document *string) {
	clean, n := v.rules.Document(*document)
	*document, v.masked = clean, v.masked+n
}

// Document returns a JSON value whose strings have no secrets, and how many they had.
func (r *Rules) Document(document string) (masked string, n int) {
	if document == "" {
		return document, 0
	}
	tree, err := readJSON(document)
	if err != nil {
		return r.Mask(document)
	}
	if tree = r.maskTree("", tree, &n); n == 0 {
		return document, 0
	}
	text, err := json.Marshal(tree, json.Deterministic(true))
	if err != nil { // it was read from JSON
		return r.Mask(document)
	}
	return string(text), n
}

// Details is [Rules.Document] for long documents of track's own, which hold no commands: it reads only those that look
// as if something in them were secret.
func (r *Rules) Details(document string) string {
	if _, n := r.Mask(document); n == 0 {
		return document
	}
	clean, _ := r.Document(document)
	return clean
}

// readJSON reads a JSON value. Numbers stay as they are written.
func readJSON(document string) (tree any, err error) {
	return tree, json.Unmarshal([]byte(document), &tree, json.WithUnmarshalers(json.UnmarshalFromFunc(keepNumber)))
}

// keepNumber reads a number as it is written.
func keepNumber(dec *jsontext.Decoder, v *any) error {
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	number, err := dec.ReadValue()
	*v = number.Clone()
	return err
}

// maskTree returns a JSON value without the secrets in its strings.
func (r *Rules) maskTree(name string, value any, n *int) any {
	switch value := value.(type) {
	case string:
		clean, found := r.Setting(name, value)
		*n += found
		return clean
	case map[string]any:
		for name, element := range value {
			value[name] = r.maskTree(name, element, n)
		}
	case []any:
		words := make([]string, 0, len(value))
		for _, element := range value {
			if word, ok := element.(string); ok {
				words = append(words, word)
			}
		}
		if len(words) == len(value) {
			clean, found := r.MaskWords(words)
			*n += found
			for i := range clean {
				value[i] = clean[i]
			}
			return value
		}
		for i := range value {
			value[i] = r.maskTree(name, value[i], n)
		}
	}
	return value
}
