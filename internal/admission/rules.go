// Package admission decides which texts of a fact may be recorded. It is the only way into a database: free text is
// masked, and names that look like secrets, or that have hidden characters, are refused.
package admission

import (
	"fmt"
	"sync"

	"track"
	"track/internal/masking"
)

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
