package lines

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/jsonio"
	"track/internal/sizes"
	"track/series"
)

// seedLine is a line of kind seed.
type seedLine struct {
	Kind          string            `json:"kind"`
	V             int               `json:"v"`
	Scenario      string            `json:"scenario"`
	Seed          seedNumber        `json:"seed"`
	Values        values            `json:"values"`
	Configuration configuration     `json:"configuration"`
	Outcome       string            `json:"outcome"`
	Message       string            `json:"message"`
	StartedAt     string            `json:"started_at"`
	Duration      *float64          `json:"duration_s"`
	Environment   track.Environment `json:"environment"`
	Series        jsontext.Value    `json:"series"`
	SeriesFile    string            `json:"series_file"`
	Artifacts     []artifact        `json:"artifacts"`
	Run           *run              `json:"run"`
	Recorded      jsontext.Value    `json:"recorded"`
}

type configuration struct {
	Label     string         `json:"label,omitempty"`
	Params    jsontext.Value `json:"params,omitempty"`
	Commit    string         `json:"commit,omitempty"`
	Dirty     bool           `json:"dirty,omitzero"`
	DiffHash  string         `json:"diff_hash,omitempty"`
	FilesHash string         `json:"files_hash,omitempty"`
	Unknown   string         `json:"state_unknown,omitempty"`
}

// ParseSeed reads a line of kind seed. Its error names the field. A series_file is looked for in the working directory.
func ParseSeed(text []byte) (track.Seed, *track.FieldError) {
	return parseSeed(text, outside{options: series.Options{Largest: sizes.Unpacked}})
}

// outside is what a line can name that is not in it.
type outside struct {
	dir     string         // of its files
	options series.Options // of files of series
	// recorded takes what another database recorded of a seed; nil if a line must not say that.
	recorded *track.SeedRecord
}

func parseSeed(text []byte, from outside) (track.Seed, *track.FieldError) {
	var l seedLine
	err := unmarshal(text, func(text []byte) error {
		l = seedLine{}
		return json.Unmarshal(text, &l, json.RejectUnknownMembers(true))
	})
	if err != nil {
		if newer := versionError(text); newer != nil {
			return track.Seed{}, newer
		}
		var semantic *json.SemanticError
		if kind := kindOf(text); errors.As(err, &semantic) && kind != "" && kind != "seed" {
			_, failure := seedLine{Kind: kind}.seed(from) // or its fields would be blamed
			return track.Seed{}, failure.Shorten()
		}
		return track.Seed{}, placed(fieldError(err))
	}
	seed, failure := l.seed(from)
	return seed, failure.Shorten()
}

// placed adds to the problem of a field that belongs into the configuration where it belongs.
func placed(problem *track.FieldError) *track.FieldError {
	switch problem.Field {
	case "label", "params", "commit", "dirty", "diff_hash", "files_hash", "state_unknown":
		problem.Message = "unknown field: it belongs into configuration"
		problem.Hint = &track.Hint{Text: fmt.Sprintf(`write "configuration":{"%s":…}`, problem.Field)}
	}
	return problem
}

func (l seedLine) seed(from outside) (track.Seed, *track.FieldError) {
	if newer := checkVersion(l.V); newer != nil {
		return track.Seed{}, newer
	}
	switch l.Kind {
	case "seed":
	case "execution", "sweep":
		return track.Seed{}, &track.FieldError{Field: "kind", Message: fmt.Sprintf("%q is no seed", l.Kind)}
	case "":
		return track.Seed{}, &track.FieldError{Field: "kind", Message: `missing: a line of a batch says "kind":"seed" or "kind":"execution"`}
	default:
		return track.Seed{}, &track.FieldError{Field: "kind", Message: fmt.Sprintf(`%q is not known: use "seed" or "execution"`, l.Kind)}
	}
	if l.Scenario == "" {
		return track.Seed{}, &track.FieldError{Field: "scenario", Message: "missing"}
	}
	if !l.Seed.given {
		return track.Seed{}, &track.FieldError{Field: "seed", Message: "missing"}
	}
	outcome, err := track.ParseOutcome(l.Outcome)
	if err != nil {
		return track.Seed{}, &track.FieldError{Field: "outcome", Message: err.Error()}
	}
	seed := track.Seed{
		Scenario: l.Scenario, Number: l.Seed.number, Outcome: outcome, Message: l.Message, Values: l.Values, Environment: l.Environment,
	}
	if seed.Configuration, err = l.Configuration.configuration(); err != nil {
		return seed, &track.FieldError{Field: "configuration.params", Message: err.Error()}
	}
	var problem *track.FieldError
	if seed.StartedAt, seed.Duration, problem = times("", l.StartedAt, l.Duration); problem != nil {
		return seed, problem
	}
	if seed.Run, problem = l.Run.run(); problem != nil {
		return seed, problem
	}
	if seed.Series, problem = l.series(from); problem != nil {
		return seed, problem
	}
	if seed.Artifacts, problem = l.artifacts(from); problem != nil {
		return seed, problem
	}
	if len(l.Recorded) == 0 {
		return seed, seed.Validate()
	}
	return seed, l.readRecorded(seed, from.recorded)
}

// readRecorded reads what another database recorded of a seed.
func (l seedLine) readRecorded(seed track.Seed, into *track.SeedRecord) *track.FieldError {
	if into == nil {
		return &track.FieldError{Field: "recorded", Message: "is not allowed here"}
	}
	if err := json.Unmarshal(l.Recorded, into, json.RejectUnknownMembers(true), json.WithUnmarshalers(recordedNumbers())); err != nil {
		problem := jsonio.FieldError(err)
		problem.Field = strings.TrimSuffix("recorded."+problem.Field, ".")
		return problem
	}
	if into.ID == "" || into.At.IsZero() {
		return &track.FieldError{Field: "recorded", Message: "needs id and at"}
	}
	for _, p := range into.Pruned {
		if p.Series != "" {
			seed.Series = append(seed.Series, track.Series{Name: p.Series})
		} else {
			seed.Artifacts = append(seed.Artifacts, track.Artifact{Name: p.File})
		}
	}
	return seed.Validate()
}

// series collects what the line carries and what the file holds that it names.
func (l seedLine) series(from outside) (all []track.Series, problem *track.FieldError) {
	if len(l.Series) > 0 && l.Series.Kind() != 'n' {
		if all, problem = series.ParseJSON(l.Series); problem != nil {
			return nil, &track.FieldError{Field: strings.TrimSuffix("series."+problem.Field, "."), Message: problem.Message}
		}
	}
	if l.SeriesFile != "" && from.dir == noFolder {
		return nil, &track.FieldError{Field: "series_file", Message: "lines that are sent name no files: give the numbers as series"}
	}
	if l.SeriesFile != "" {
		path := l.SeriesFile
		if !filepath.IsAbs(path) {
			path = filepath.Join(from.dir, path)
		}
		read, err := series.ReadFiles([]string{path}, from.options)
		if err != nil {
			problem = &track.FieldError{Field: "series_file", Message: err.Error()}
			if hints := track.Hints(err); len(hints) > 0 {
				problem.Hint = &hints[0]
			}
			return nil, problem
		}
		all = append(all, read...)
	}
	return all, nil
}

// seedNumber accepts a string, as the format has it, and an integer, as people write it.
type seedNumber struct {
	number track.SeedNumber
	given  bool
}

// MarshalJSONTo implements [json.MarshalerTo].
func (n seedNumber) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteToken(jsontext.String(n.number.String()))
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (n *seedNumber) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() == 'n' {
		return nil // as if it were not there
	}
	text := string(raw)
	if raw.Kind() == '"' {
		text = strings.Trim(text, `"`)
	}
	n.number, err = track.ParseSeedNumber(text)
	n.given = true
	return err
}

// fieldError puts an error of the JSON package into the words of a user.
func fieldError(err error) *track.FieldError {
	failure := jsonio.FieldError(err)
	var member *memberError
	if errors.As(err, &member) {
		failure.Field = strings.TrimPrefix(failure.Field+"."+member.name, ".")
	}
	return failure.Shorten()
}

func errorOffset(err error) int {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		return int(semantic.ByteOffset)
	case errors.As(err, &syntactic):
		return int(syntactic.ByteOffset)
	}
	return 0
}

// artifact is a file of a seed: its text, its bytes in base64, a file that holds it, or why it was left out. A
// string names a file.
type artifact struct {
	Name    string  `json:"name,omitempty"`
	Text    *string `json:"text,omitzero"`
	Base64  *string `json:"base64,omitzero"`
	File    string  `json:"file,omitempty"`
	LeftOut string  `json:"left_out,omitempty"`
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (a *artifact) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return json.UnmarshalDecode(dec, &a.File)
	}
	type plain artifact
	return json.UnmarshalDecode(dec, (*plain)(a), json.RejectUnknownMembers(true))
}

// artifacts returns the files of a seed. Paths are relative to a folder, and lead nowhere else.
func (l seedLine) artifacts(from outside) (list []track.Artifact, problem *track.FieldError) {
	for i, a := range l.Artifacts {
		made, err := a.artifact(from)
		if err != nil {
			return nil, &track.FieldError{Field: fmt.Sprintf("artifacts.%d", i), Message: err.Error()}
		}
		list = append(list, made)
	}
	return list, nil
}

func (a artifact) artifact(from outside) (made track.Artifact, err error) {
	made = track.Artifact{Name: a.Name, LeftOut: a.LeftOut}
	n := 0
	for _, given := range []bool{a.Text != nil, a.Base64 != nil, a.File != "", a.LeftOut != ""} {
		if given {
			n++
		}
	}
	switch {
	case n != 1:
		return made, errors.New("needs one of text, base64, file and left_out")
	case a.Text != nil:
		made.Content = *a.Text
	case a.Base64 != nil:
		content, err := base64.StdEncoding.DecodeString(*a.Base64)
		if err != nil {
			return made, fmt.Errorf("base64: %w", err)
		}
		made.Content = string(content)
	case a.File != "":
		if made.Name == "" {
			made.Name = filepath.ToSlash(filepath.Clean(a.File))
		}
		made.Content, err = readArtifact(from.dir, a.File)
	}
	return made, err
}

// readArtifact reads a file within a folder.
func readArtifact(dir, file string) (string, error) {
	if dir == noFolder {
		return "", errors.New("lines that are sent name no files: give text or base64")
	}
	if dir == "" {
		dir = "."
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s does not exist", file)
	case err != nil:
		return "", fmt.Errorf("%s cannot be read, or lies outside of the folder of the lines", file)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", file)
	case info.Size() > track.MaxArtifactBytes:
		return "", fmt.Errorf("%s has %d bytes; the files of a seed can have %d MiB together", file, info.Size(), track.MaxArtifactBytes>>20)
	}
	f, err := root.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, track.MaxArtifactBytes+1))
	return string(content), err
}

// linesOf returns artifacts as a line carries them: text as such, unless escaping makes it longer than base64.
func linesOf(list []track.Artifact) (all []artifact) {
	for _, a := range list {
		line := artifact{Name: a.Name, LeftOut: a.LeftOut}
		if a.LeftOut == "" {
			encoded := base64.StdEncoding.EncodedLen(len(a.Content))
			if utf8.ValidString(a.Content) && escapedLen(a.Content) <= max(encoded, 64) {
				line.Text = &a.Content
			} else {
				text := base64.StdEncoding.EncodeToString([]byte(a.Content))
				line.Base64 = &text
			}
		}
		all = append(all, line)
	}
	return slices.Clip(all)
}

// escapedLen returns at least how long a text is in JSON.
func escapedLen(text string) (n int) {
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\':
			n += 2
		case c < ' ':
			n += 6
		default:
			n++
		}
	}
	return n
}
