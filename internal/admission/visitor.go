package admission

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

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
