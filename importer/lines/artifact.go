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
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

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
