package track

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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

const maxNameLength = 200

// CheckName returns why s cannot name a scenario, metric or label, or nil if it can. Names are for people and command
// lines: not empty, at most 200 bytes, valid UTF-8 without hidden characters (see [IsHidden]) or surrounding space.
func CheckName(s string) error {
	switch {
	case isPlainName(s): // as most are
		return nil
	case s == "":
		return errors.New("is empty")
	case len(s) > maxNameLength:
		return fmt.Errorf("is %d bytes long; at most %d are allowed", len(s), maxNameLength)
	case !utf8.ValidString(s):
		return fmt.Errorf("%q is not valid UTF-8", s)
	case strings.TrimSpace(s) != s:
		return fmt.Errorf("%q begins or ends with white space", s)
	}
	return CheckVisible(s)
}

// isPlainName reports whether s can be a name and has nothing but letters, digits and signs of ASCII.
func isPlainName(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != "" && len(s) <= maxNameLength
}

// CheckVisible returns an error that names the first hidden character of a text and its place.
func CheckVisible(s string) error {
	if i := strings.IndexFunc(s, IsHidden); i >= 0 {
		r, _ := utf8.DecodeRuneInString(s[i:])
		what := "an invisible character"
		if unicode.IsControl(r) {
			what = "a control character"
		}
		return fmt.Errorf("%q contains %s: %U at byte %d", s, what, r, i+1)
	}
	return nil
}

// IsHidden reports whether a character cannot be seen, or changes how others are seen: control characters, separators
// of lines, marks of the direction of writing, and spaces without width. The joiners of letters and of emoji are not
// hidden. Neither are private characters known, nor is the one that stands for unreadable bytes.
func IsHidden(r rune) bool {
	switch {
	case r < 0x7f:
		return r < 0x20
	case r < 0xa0:
		return true
	case r == 0xad, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x180e, r == 0x200b, r == 0x3164, r == 0xffa0, unicode.Is(unicode.Co, r), r == utf8.RuneError,
		r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return true
	}
	return r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe007f
}

// CheckScenarioName is [CheckName] for scenarios, in which @ is reserved for SCENARIO@CONFIGURATION.
func CheckScenarioName(s string) error {
	if strings.Contains(s, "@") {
		return fmt.Errorf("%q contains @, which separates a scenario from its configuration", s)
	}
	return CheckName(s)
}

// Fact is something that can be recorded.
type Fact interface {
	// EachText calls v with every text of the fact, and so says what each of them is. What v changes is changed in the
	// fact; lists and maps that the fact shares with others are copied first.
	EachText(v TextVisitor)
}

// TextVisitor is called with the texts of a fact. Fields are paths, as in [FieldError].
type TextVisitor interface {
	// Name is called with a text that identifies something. Masking it would merge what differs, so it never changes.
	Name(field, name string)
	// Names is called with a JSON value whose strings are names.
	Names(field, document string)
	// Free is called with a text for people, or of a program.
	Free(field string, text *string)
	// Setting is called with a text whose name says what it is, such as a variable of an environment.
	Setting(field, name string, text *string)
	// Document is called with a JSON value whose strings are free text. An array of strings may be a command.
	Document(field string, document *string)
}

// EachText implements [Fact].
func (c *Configuration) EachText(v TextVisitor) {
	v.Name("configuration.label", c.Label)
	v.Name("configuration.commit", c.Revision.Commit)
	v.Name("configuration.diff_hash", c.Revision.DiffHash)
	v.Name("configuration.files_hash", c.Revision.FilesHash)
	v.Name("configuration.state_unknown", c.Revision.Unknown)
	if c.Params != "" {
		v.Names("configuration.params", string(c.Params))
	}
}

// EachText implements [Fact].
func (s *Seed) EachText(v TextVisitor) {
	v.Name("scenario", s.Scenario)
	s.Configuration.EachText(v)
	v.Free("message", &s.Message)
	for name := range s.Values {
		v.Name("values", name)
	}
	for i := range s.Series {
		v.Name("series", s.Series[i].Name)
	}
	s.Artifacts = eachArtifact(v, s.Artifacts)
	s.Environment = s.Environment.eachText(v)
	if s.Run != nil {
		run := *s.Run
		v.Name("run.signal", run.Signal)
		v.Free("run.stderr", &run.Stderr)
		s.Run = &run
	}
}

// eachArtifact returns artifacts as v leaves them. A content that is not text stays as it is.
func eachArtifact(v TextVisitor, list []Artifact) []Artifact {
	changed := slices.Clone(list)
	for i := range changed {
		a := &changed[i]
		v.Name("artifacts", a.Name)
		v.Free("artifacts."+a.Name, &a.LeftOut)
		if utf8.ValidString(a.Content) {
			v.Free("artifacts."+a.Name, &a.Content)
		}
	}
	return changed
}

// eachText returns the environment as v leaves it.
func (e Environment) eachText(v TextVisitor) Environment {
	var changed Environment
	for name, value := range e {
		v.Name("environment", name)
		text := value
		if v.Setting("environment."+name, name, &text); text == value {
			continue
		}
		if changed == nil {
			changed = maps.Clone(e)
		}
		changed[name] = text
	}
	if changed == nil {
		return e
	}
	return changed
}

// EachText implements [Fact].
func (e *Execution) EachText(v TextVisitor) {
	for _, n := range [...]namedText{
		{"lineage", e.Lineage}, {"version", e.Version}, {"source", e.Source}, {"key", e.Key}, {"task", e.Task}, {"task_type", e.TaskType},
		{"session", e.Session}, {"model", e.Model}, {"priced", e.Priced},
	} {
		v.Name(n.field, n.text)
	}
	for _, r := range e.Requests {
		v.Name("requests.model", r.Model)
		v.Name("requests.message_id", r.Message)
		v.Name("requests.request_id", r.ID)
	}
	if e.Judge != nil {
		v.Name("judge.model", e.Judge.Model)
	}
	for name := range e.Truths {
		v.Name("truths", name)
	}
	v.Free("message", &e.Message)
	e.Prompt = eachPointer(v, "prompt", e.Prompt)
	e.Output = eachPointer(v, "output", e.Output)
	calls := make([]ToolCall, len(e.Calls))
	for i, c := range e.Calls {
		c.EachText(v)
		calls[i] = c
	}
	files := make([]WrittenFile, len(e.Files))
	for i, f := range e.Files {
		v.Free("files", &f.Name)
		v.Free("files", &f.Content)
		files[i] = f
	}
	e.Calls, e.Files = calls, files
}

// EachText implements [Fact].
func (c *ToolCall) EachText(v TextVisitor) {
	v.Name("calls.tool", c.Tool)
	v.Name("calls.key", c.Key)
	v.Free("calls.input", &c.Input)
	v.Free("calls.command", &c.Command)
	v.Free("calls.error", &c.Error)
	c.Output = eachPointer(v, "calls.output", c.Output)
}

func eachPointer(v TextVisitor, field string, text *string) *string {
	if text == nil {
		return nil
	}
	changed := *text
	v.Free(field, &changed)
	return &changed
}

// EachText implements [Fact].
func (r *Version) EachText(v TextVisitor) {
	for _, n := range [...]namedText{
		{"lineage", r.Lineage}, {"version", r.Name}, {"parent", r.Parent}, {"operator", r.Operator}, {"status", r.Status}, {"source", r.Source},
	} {
		v.Name(n.field, n.text)
	}
	r.Content = eachPointer(v, "content", r.Content)
	v.Free("note", &r.Note)
}

// EachText implements [Fact].
func (s *Sweep) EachText(v TextVisitor) {
	v.Name("scenario", s.Scenario)
	v.Document("plan", &s.Plan)
	v.Document("spec", &s.Spec)
	v.Free("changes", &s.Changes)
	v.Free("libraries", &s.Libraries)
	s.Environment = s.Environment.eachText(v)
	for i := range s.Planned {
		s.Planned[i].Configuration.EachText(v)
	}
}

// Series is what a seed measured over time or over a population.
type Series struct {
	Name   string
	Values []float64
}

// Hash identifies the numbers of a series: the SHA-256 over their little-endian IEEE 754 bits, every NaN taken as the
// same one.
func (s Series) Hash() [sha256.Size]byte {
	const batch = 4096
	h := sha256.New()
	buffer := make([]byte, 0, 8*min(batch, len(s.Values)))
	for i, value := range s.Values {
		if math.IsNaN(value) {
			value = math.NaN()
		}
		buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(value))
		if len(buffer) == cap(buffer) || i == len(s.Values)-1 {
			h.Write(buffer)
			buffer = buffer[:0]
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Version is a version of an agent's prompt, of a lineage. An unknown field is the zero value, or nil if zero means
// something else.
type Version struct {
	Lineage           string
	Name              string
	Parent            string   // version that it was made of
	Operator          string   // what made it of its parent
	Content           *string  // the prompt
	Masking           int      // version of the rules that masked the content; 0 if it is not masked yet
	Status            string   // in the words of the source
	Note              string   // for people
	Source            string   // name of the format that it was read from
	SourceScore       *float64 // as the source recorded it, in its own units; no score of a rubric
	SourceParentScore *float64 // of the parent when this version was made
	CreatedAt         time.Time
	RecordedAt        time.Time // when a database recorded it first; zero unless it is read from one
}

// Validate returns the first error in a version, or nil if it can be recorded.
func (v Version) Validate() *FieldError {
	for _, required := range [...]namedText{{"lineage", v.Lineage}, {"version", v.Name}} {
		if err := CheckName(required.text); err != nil {
			return &FieldError{Field: required.field, Message: err.Error()}
		}
	}
	if err := checkOptionalNames(namedText{"parent", v.Parent}, namedText{"operator", v.Operator}, namedText{"status", v.Status}, namedText{"source", v.Source}); err != nil {
		return err
	}
	if v.Parent == v.Name {
		return &FieldError{Field: "parent", Message: fmt.Sprintf("%s cannot be its own parent", v.Name)}
	}
	content := ""
	if v.Content != nil {
		content = *v.Content
	}
	for _, t := range [...]namedText{{"content", content}, {"note", v.Note}} {
		if !utf8.ValidString(t.text) {
			return &FieldError{Field: t.field, Message: "is not valid UTF-8"}
		}
	}
	for _, n := range [...]struct {
		field string
		score *float64
	}{{"score", v.SourceScore}, {"parent_score", v.SourceParentScore}} {
		if n.score != nil && !isFinite(*n.score) {
			return &FieldError{Field: n.field, Message: fmt.Sprintf("%v is not finite", *n.score)}
		}
	}
	return nil
}

// Artifact is a small file that belongs to a seed, such as a log of its run.
type Artifact struct {
	Name    string // a relative path with slashes, see [CheckArtifactName]
	Content string // the bytes; in text, secrets are masked
	LeftOut string // why the content is not kept; empty if it is
}

// The limits of what one seed can have.
const (
	maxArtifacts     = 64       // files, those that were left out included
	MaxArtifactBytes = 32 << 20 // of all contents together
)

// Hash identifies the content of an artifact.
func (a Artifact) Hash() [sha256.Size]byte {
	if a.LeftOut != "" {
		return sha256.Sum256([]byte(a.LeftOut))
	}
	return sha256.Sum256([]byte(a.Content))
}

// AppendDigest appends what enters the digest of a seed: the name, a byte that is 1 if the content was left out, and
// the hash of the content or of the reason.
func (a Artifact) AppendDigest(b []byte, hash [sha256.Size]byte) []byte {
	leftOut := byte(0)
	if a.LeftOut != "" {
		leftOut = 1
	}
	return append(append(append(b, a.Name...), leftOut), hash[:]...)
}

// CheckArtifactName returns why a path cannot name an artifact, or nil if it can. The path stays within the folder that
// it is relative to.
func CheckArtifactName(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, `\:`) {
		return fmt.Errorf(`%q is not a relative path such as logs/run.log, without "..", backslash and colon`, name)
	}
	return nil
}

// checkArtifacts returns what is wrong with the artifacts of a seed.
func checkArtifacts(list []Artifact) *FieldError {
	wrong := func(name string, err error) *FieldError {
		return &FieldError{Field: strings.TrimSuffix("artifacts."+name, "."), Message: err.Error()}
	}
	size := 0
	seen := map[string]bool{}
	for _, a := range list {
		if err := CheckArtifactName(a.Name); err != nil {
			return wrong("", fmt.Errorf("the name of a file %w", err))
		}
		if seen[a.Name] {
			return wrong(a.Name, errors.New("is duplicated"))
		}
		seen[a.Name] = true
		size += len(a.Content)
	}
	switch {
	case len(list) > maxArtifacts:
		return wrong("", fmt.Errorf("%d files; a seed can have %d", len(list), maxArtifacts))
	case size > MaxArtifactBytes:
		return wrong("", fmt.Errorf("%d bytes; the files of a seed can have %d MiB together", size, MaxArtifactBytes>>20))
	}
	return nil
}

// SortedArtifacts returns artifacts in the order of their names.
func SortedArtifacts(list []Artifact) []Artifact {
	return slices.SortedFunc(slices.Values(list), func(a, b Artifact) int { return strings.Compare(a.Name, b.Name) })
}
