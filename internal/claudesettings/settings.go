// Package claudesettings puts hooks into the settings of Claude Code and takes them out. It edits the text of the
// hooks: everything else in the file keeps its order, its formatting and its bytes.
package claudesettings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// events are the hooks that track listens to, in the order in which they are put into settings.
var events = []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop", "SessionEnd"}

// toolEvents are the events that have a matcher of tools.
var toolEvents = map[string]bool{"PreToolUse": true, "PostToolUse": true, "PostToolUseFailure": true}

const timeout = 10 // seconds after which Claude Code gives up on a hook; track itself gives up after two

// ours matches the commands of earlier installations, whatever the path of the program and its flags.
var ours = regexp.MustCompile(`(?:^|[\s'"/\\])track(?:\.exe)?['"]? hook claude-code(?:\s|$)`)

// SyntaxError says what is wrong with the text of settings.
type SyntaxError struct{ Message string }

func (e *SyntaxError) Error() string { return e.Message }

// settings are a text with the position of its hooks. Everything else in the text stays as it is.
type settings struct {
	text       []byte
	begin, end int // of the hooks with their name; both 0 if there are none
	previous   int // end of the member before the hooks; 0 if they are the first
	next       int // beginning of the member behind the hooks; 0 if they are the last
	last       int // end of the last member; 0 if there is none
	open       int // behind the opening brace
	hooks      []event
}

// event has the groups of hooks that run at an event.
type event struct {
	name   string
	groups []jsontext.Value
}

// group is a group of hooks; what track does not know of it stays.
type group struct {
	Hooks []hook         `json:"hooks"`
	Rest  jsontext.Value `json:",embed"`
}

type hook struct {
	Type    string         `json:"type,omitzero"`
	Command string         `json:"command,omitzero"`
	Timeout int            `json:"timeout,omitzero"`
	Rest    jsontext.Value `json:",embed"`
}

// Install returns settings in which each of [events] runs command, and nothing else differs. Existing hooks of track
// with another command get this one. An empty text stands for a missing file.
func Install(text []byte, command string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	s, err := parse(text)
	if err != nil {
		return nil, err
	}
	isChanged := false
	for _, name := range events {
		i := slices.IndexFunc(s.hooks, func(e event) bool { return e.name == name })
		if i < 0 {
			i = len(s.hooks)
			s.hooks = append(s.hooks, event{name: name})
		}
		found := s.hooks[i].edit(func(h *hook) bool {
			isChanged = isChanged || h.Command != command
			h.Command = command
			return true
		})
		if found == 0 {
			added := group{Hooks: []hook{{"command", command, timeout, nil}}}
			if toolEvents[name] {
				added.Rest = jsontext.Value(`{"matcher":"*"}`)
			}
			s.hooks[i].groups, isChanged = append(s.hooks[i].groups, encode(added)), true
		}
	}
	if !isChanged {
		return text, nil
	}
	return s.write(), nil
}

// uninstall returns settings without the hooks of track, and how many there were. What becomes empty goes too.
func uninstall(text []byte) (without []byte, n int, err error) {
	s, err := parse(text)
	if err != nil {
		return nil, 0, err
	}
	var kept []event
	for _, e := range s.hooks {
		found := e.edit(func(*hook) bool { return false })
		if n += found; found == 0 || len(e.groups) > 0 {
			kept = append(kept, e)
		}
	}
	if n == 0 {
		return text, 0, nil
	}
	s.hooks = kept
	return s.write(), n, nil
}

// Commands returns the commands of track in settings, by event.
func Commands(text []byte) (map[string][]string, error) {
	found := map[string][]string{}
	s, err := parse(text)
	for _, e := range s.hooks {
		e.edit(func(h *hook) bool {
			found[e.name] = append(found[e.name], h.Command)
			return true
		})
	}
	return found, err
}

// edit calls change for each hook of track, and removes those for which it returns false, with a group that becomes
// empty. It returns how many there were.
func (e *event) edit(change func(*hook) (keep bool)) (n int) {
	var groups []jsontext.Value
	for _, raw := range e.groups {
		var g group
		if json.Unmarshal(raw, &g) != nil || !slices.ContainsFunc(g.Hooks, isOurs) {
			groups = append(groups, raw)
			continue
		}
		var hooks []hook
		for _, h := range g.Hooks {
			if !isOurs(h) || change(&h) {
				hooks = append(hooks, h)
			}
			n++
		}
		if g.Hooks = hooks; len(hooks) > 0 {
			groups = append(groups, encode(g))
		}
	}
	e.groups = groups
	return n
}

func isOurs(h hook) bool { return ours.MatchString(h.Command) }

func encode(value any) jsontext.Value {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // of what was decoded
	}
	return text
}

// parse reads settings and their hooks.
func parse(text []byte) (s settings, err error) {
	s.text = text
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	if kind := decoder.PeekKind(); kind != '{' {
		if _, err := decoder.ReadValue(); err != nil {
			return s, s.explain(err)
		}
		return s, &SyntaxError{"the settings are not a JSON object"}
	}
	_, _ = decoder.ReadToken()
	s.open = int(decoder.InputOffset())
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return s, s.explain(err)
		}
		key, end := name.String(), int(decoder.InputOffset())
		begin := end - len(encode(key))
		for begin > s.open && strings.IndexByte(" ,\t\r\n", text[begin-1]) < 0 { // escapes made the name longer
			begin--
		}
		value, err := decoder.ReadValue()
		if err != nil {
			return s, s.explain(err)
		}
		if s.end > 0 && s.next == 0 {
			s.next = begin
		}
		previous := s.last
		s.last = int(decoder.InputOffset())
		if key == "hooks" {
			s.previous, s.begin, s.end = previous, begin, s.last
			if s.hooks, err = parseHooks(value); err != nil {
				return s, err
			}
		}
	}
	if _, err := decoder.ReadToken(); err != nil {
		return s, s.explain(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return s, s.explain(cmp.Or(err, errors.New("something follows the settings")))
	}
	return s, nil
}

func parseHooks(value jsontext.Value) (list []event, err error) {
	if value.Kind() != '{' {
		return nil, &SyntaxError{`"hooks" is not a JSON object`}
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(value)) // of what was read before
	_, _ = decoder.ReadToken()
	for decoder.PeekKind() != '}' {
		name, _ := decoder.ReadToken()
		e := event{name: name.String()}
		groups, _ := decoder.ReadValue()
		if err := json.Unmarshal(groups, &e.groups); err != nil || groups.Kind() != '[' {
			return nil, &SyntaxError{fmt.Sprintf("hooks.%s is not a JSON array", e.name)}
		}
		list = append(list, e)
	}
	return list, nil
}

// explain says on which line an error is.
func (s *settings) explain(err error) error {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		line := 1 + bytes.Count(s.text[:min(len(s.text), int(syntactic.ByteOffset))], []byte("\n"))
		err = fmt.Errorf("line %d: %w", line, syntactic.Err)
	}
	return &SyntaxError{fmt.Sprintf("not JSON as Claude Code reads it: %v", err)}
}

// write returns the text with the hooks, in its own indentation; without the member if there are none.
func (s *settings) write() []byte {
	if len(s.hooks) == 0 {
		switch {
		case s.previous > 0:
			return splice(s.text, s.previous, s.end, "")
		case s.next > 0:
			return splice(s.text, s.begin, s.next, "")
		}
		closing := s.end + bytes.IndexByte(s.text[s.end:], '}')
		return splice(s.text, s.open, closing, "")
	}
	unit := "  "
	if found := indentation.FindSubmatch(s.text); found != nil {
		unit = string(found[1])
	}
	var hooks bytes.Buffer
	for i, e := range s.hooks {
		hooks.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		hooks.Write(append(encode(e.name), ':'))
		hooks.Write(encode(append([]jsontext.Value{}, e.groups...)))
	}
	value := jsontext.Value(hooks.String() + "}")
	_ = value.Indent(jsontext.WithIndentPrefix(unit), jsontext.WithIndent(unit)) // of what was decoded
	newline := "\n"
	if bytes.Contains(s.text, []byte("\r\n")) {
		newline = "\r\n"
	}
	member := `"hooks": ` + strings.ReplaceAll(string(value), "\n", newline)
	switch {
	case s.end > 0:
		return splice(s.text, s.begin, s.end, member)
	case s.last > 0:
		return splice(s.text, s.last, s.last, ","+newline+unit+member)
	}
	closing := s.open + bytes.IndexByte(s.text[s.open:], '}')
	return splice(s.text, s.open, closing, newline+unit+member+newline)
}

var indentation = regexp.MustCompile(`^\s*\{\r?\n([ \t]+)"`)

func splice(text []byte, start, end int, with string) []byte {
	return slices.Concat(text[:start], []byte(with), text[end:])
}

// Change is a change of a file of settings.
type Change struct {
	File   string // the file itself, not a link to it
	Backup string // where the text before will be kept; empty if there was no file, or an earlier backup holds it
	Before []byte
	After  []byte
}

// Plan computes a change of a file of settings, and writes nothing. change gets the text of the file, and the backups
// of it, the first one first.
func Plan(path string, change func(text []byte, backups [][]byte) ([]byte, error)) (c Change, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil { // the link stays one
		path = target
	}
	c.File = path
	isThere := true
	if c.Before, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
		isThere = false
	} else if err != nil {
		return c, err
	}
	backups, free, err := readBackups(path)
	if err != nil {
		return c, err
	}
	if c.After, err = change(c.Before, backups); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if isThere && !isKept(c.Before, backups) {
		c.Backup = free
	}
	return c, nil
}

// readBackups returns the backups of a file, and the name of the next one.
func readBackups(path string) (texts [][]byte, free string, err error) {
	for n := 1; ; n++ {
		name := path + backupSuffix
		if n > 1 {
			name = fmt.Sprintf("%s%s-%d", path, backupSuffix, n)
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return texts, name, nil
		}
		if err != nil {
			return nil, "", err
		}
		texts = append(texts, text)
	}
}

// isKept says whether a backup holds a text, or all of it but the hooks of track; it may be that nothing else is there.
func isKept(text []byte, backups [][]byte) bool {
	without, err := Restore(text, backups)
	if err == nil && string(bytes.TrimSpace(without)) == "{}" {
		return true
	}
	return slices.ContainsFunc(backups, func(backup []byte) bool {
		return bytes.Equal(backup, text) || err == nil && bytes.Equal(backup, without)
	})
}

const backupSuffix = ".track-backup"

// Restore returns settings without the hooks of track. If those hooks are all that distinguishes the text from a
// backup, it returns the backup.
func Restore(text []byte, backups [][]byte) ([]byte, error) {
	commands, err := Commands(text)
	if err != nil {
		return nil, err
	}
	for _, backup := range backups {
		had, err := Commands(backup)
		if err != nil || len(had) > 0 {
			continue
		}
		if list := commands[events[0]]; len(list) == 1 {
			if again, err := Install(backup, list[0]); err == nil && bytes.Equal(again, text) {
				return backup, nil
			}
		}
	}
	without, _, err := uninstall(text)
	return without, err
}

// Write keeps the text before as a backup, and then replaces the file in one step.
func (c Change) Write() error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(c.File); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o755); err != nil {
		return err
	}
	if c.Backup != "" {
		if err := newFile(c.Backup, c.Before, mode); err != nil {
			return err
		}
	}
	return replaceFile(c.File, c.After, mode)
}

// newFile writes a file that is not there. One that has come to be there stays what it is.
func newFile(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

func replaceFile(path string, text []byte, mode fs.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
