// Package claudesettings puts hooks into the settings of Claude Code and takes them out. It edits the text: everything
// else in the file keeps its order, its formatting and its bytes.
package claudesettings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

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

// Install returns settings in which each of [events] runs command, and nothing else differs. Existing hooks of track
// with another command get this one. An empty text stands for a missing file.
func Install(text []byte, command string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	for _, event := range events {
		var err error
		if text, err = installEvent(text, event, command); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func installEvent(text []byte, event, command string) ([]byte, error) {
	d, hooks, err := parse(text)
	if err != nil {
		return nil, err
	}
	if hooks == nil {
		return d.insertMember(d.root, "hooks", object{{event, []any{group(event, command)}}}), nil
	}
	list := hooks.member(event)
	if list == nil {
		return d.insertMember(hooks, event, []any{group(event, command)}), nil
	}
	for _, c := range d.commands(list) {
		if c.text == command {
			return text, nil
		}
		if ours.MatchString(c.text) {
			return splice(text, c.node.start, c.node.end, quoted(command)), nil
		}
	}
	return d.insertElement(list, group(event, command)), nil
}

// uninstall returns settings without the hooks of track, and how many there were. What was empty in the text of before
// is empty again; nil if that is not known.
func uninstall(text, before []byte) (without []byte, n int, err error) {
	empty := emptyIn(before)
	for {
		d, hooks, err := parse(text)
		if err != nil {
			return nil, n, err
		}
		next := d.removeFirst(hooks, empty)
		if next == nil {
			return text, n, nil
		}
		text = next
		n++
	}
}

// Commands returns the commands of track in settings, by event.
func Commands(text []byte) (map[string][]string, error) {
	found := map[string][]string{}
	d, hooks, err := parse(text)
	if err != nil || hooks == nil {
		return found, err
	}
	for _, event := range hooks.children {
		for _, c := range d.commands(event) {
			if ours.MatchString(c.text) {
				found[event.name] = append(found[event.name], c.text)
			}
		}
	}
	return found, nil
}

// emptyIn returns the objects and lists of hooks that are empty in settings, by their names, as they are written.
func emptyIn(settings []byte) map[string]string {
	empty := map[string]string{}
	d, hooks, err := parse(settings)
	if err != nil || hooks == nil {
		return empty
	}
	for _, n := range append(slices.Clone(hooks.children), hooks) {
		if len(n.children) == 0 {
			empty[n.name] = string(d.text[n.start:n.end])
		}
	}
	return empty
}

// removeFirst returns the text without the first hook of track and without what becomes empty, or nil if there is no
// such hook. What was empty before is written as it was.
func (d *document) removeFirst(hooks *node, empty map[string]string) []byte {
	if hooks == nil {
		return nil
	}
	for _, event := range hooks.children {
		for _, c := range d.commands(event) {
			if !ours.MatchString(c.text) {
				continue
			}
			if len(c.list.children) > 1 {
				return d.remove(c.list, c.hook)
			}
			path := []*node{d.root, hooks, event, c.group} // a group without hooks is none, whatever its matcher
			last := len(path) - 1
			for last > 1 && len(path[last-1].children) == 1 {
				last--
				if was, is := empty[path[last].name]; is {
					return splice(d.text, path[last].start, path[last].end, was)
				}
			}
			return d.remove(path[last-1], path[last])
		}
	}
	return nil
}

// commandNode is a command within settings, and what contains it.
type commandNode struct {
	text                    string
	group, list, hook, node *node
}

// commands returns the commands of an event.
func (d *document) commands(event *node) (found []commandNode) {
	if event.kind != '[' {
		return nil
	}
	for _, group := range event.children {
		list := group.member("hooks")
		if list == nil || list.kind != '[' {
			continue
		}
		for _, hook := range list.children {
			if command := hook.member("command"); command != nil && command.kind == '"' {
				found = append(found, commandNode{d.string(command), group, list, hook, command})
			}
		}
	}
	return found
}

// parse reads settings and finds their hooks, or nil.
func parse(text []byte) (d *document, hooks *node, err error) {
	if d, err = parseDocument(text); err != nil {
		return nil, nil, &SyntaxError{fmt.Sprintf("not JSON as Claude Code reads it: %v", err)}
	}
	if d.root.kind != '{' {
		return nil, nil, &SyntaxError{"the settings are not a JSON object"}
	}
	if hooks = d.root.member("hooks"); hooks == nil {
		return d, nil, nil
	}
	if hooks.kind != '{' {
		return nil, nil, &SyntaxError{`"hooks" is not a JSON object`}
	}
	for _, event := range hooks.children {
		if event.kind != '[' {
			return nil, nil, &SyntaxError{fmt.Sprintf("hooks.%s is not a JSON array", event.name)}
		}
	}
	return d, hooks, nil
}

func group(event, command string) object {
	hooks := member{"hooks", []any{object{{"type", "command"}, {"command", command}, {"timeout", timeout}}}}
	if toolEvents[event] {
		return object{{"matcher", "*"}, hooks}
	}
	return object{hooks}
}

func quoted(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be written
	return strings.TrimSuffix(b.String(), "\n")
}

func splice(text []byte, start, end int, with string) []byte {
	return append(append(append(make([]byte, 0, len(text)+len(with)), text[:start]...), with...), text[end:]...)
}

// document is a JSON text with the positions of its values.
type document struct {
	text []byte
	root *node
}

// node is a value: text[start:end]. A member of an object also has a name, which begins at nameStart.
type node struct {
	kind       byte // of jsontext: { [ " 0 t f n
	start, end int
	nameStart  int
	name       string
	children   []*node
}

// member returns the value of a member of an object, or nil if it has none of that name.
func (n *node) member(name string) *node {
	if n.kind != '{' {
		return nil
	}
	for _, child := range n.children {
		if child.name == name {
			return child
		}
	}
	return nil
}

func parseDocument(text []byte) (*document, error) {
	d := &document{text: text}
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	var err error
	if d.root, err = d.parseValue(decoder); err != nil {
		return nil, d.explain(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errors.New("something follows the settings")
		}
		return nil, d.explain(err)
	}
	return d, nil
}

// explain says on which line an error is.
func (d *document) explain(err error) error {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return err
	}
	line := 1 + bytes.Count(d.text[:min(len(d.text), int(syntactic.ByteOffset))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, syntactic.Err)
}

func (d *document) parseValue(decoder *jsontext.Decoder) (*node, error) {
	n := &node{kind: byte(decoder.PeekKind())}
	if n.kind != '{' && n.kind != '[' {
		value, err := decoder.ReadValue()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		n.end = int(decoder.InputOffset())
		n.start = n.end - len(value)
		return n, err
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	n.start = int(decoder.InputOffset()) - 1
	for decoder.PeekKind() != '}' && decoder.PeekKind() != ']' {
		child, err := d.parseMember(decoder, n.kind == '{')
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	_, err := decoder.ReadToken()
	n.end = int(decoder.InputOffset())
	return n, err
}

func (d *document) parseMember(decoder *jsontext.Decoder, isNamed bool) (*node, error) {
	if !isNamed {
		n, err := d.parseValue(decoder)
		if err == nil {
			n.nameStart = n.start
		}
		return n, err
	}
	name, err := d.parseValue(decoder)
	if err != nil {
		return nil, err
	}
	n, err := d.parseValue(decoder)
	if err == nil {
		n.nameStart, n.name = name.start, d.string(name)
	}
	return n, err
}

func (d *document) string(n *node) string {
	text, _ := jsontext.AppendUnquote(nil, d.text[n.start:n.end]) // the text has been read before
	return string(text)
}

// member is a member of an object that is to be written, and object is one, in order.
type member struct {
	name  string
	value any // string, int, object or []any
}
type object []member

// insertMember adds a member at the end of an object.
func (d *document) insertMember(to *node, name string, value any) []byte {
	return d.insert(to, func(style layout, depth int) string {
		return quoted(name) + ": " + style.write(value, depth)
	})
}

// insertElement adds an element at the end of an array.
func (d *document) insertElement(to *node, value any) []byte {
	return d.insert(to, func(style layout, depth int) string { return style.write(value, depth) })
}

func (d *document) insert(to *node, write func(style layout, depth int) string) []byte {
	style := d.layout()
	depth := d.depth(d.root, to, 0)
	if len(to.children) > 0 {
		last := to.children[len(to.children)-1]
		space := d.spaceBefore(last.nameStart)
		if !strings.Contains(space, "\n") {
			style.newline = "" // its neighbours are on one line
		}
		if space == "" && len(to.children) == 1 && style.newline == "" {
			space = " "
		}
		return splice(d.text, last.end, last.end, ","+space+write(style, depth+1))
	}
	inner := string(d.text[to.start+1 : to.end-1])
	if style.newline != "" && !strings.Contains(inner, "\n") {
		inner += style.newline + strings.Repeat(style.unit, depth)
	}
	if style.newline == "" {
		return splice(d.text, to.start+1, to.start+1, write(style, depth+1))
	}
	return splice(d.text, to.start+1, to.end-1, style.newline+strings.Repeat(style.unit, depth+1)+write(style, depth+1)+inner)
}

// remove returns the text without a child and the comma before it, or after it if it is the first.
func (d *document) remove(from, child *node) []byte {
	for i, c := range from.children {
		switch {
		case c != child:
		case i > 0:
			before := from.children[i-1].end
			return splice(d.text, before+bytes.IndexByte(d.text[before:], ','), child.end, "")
		case len(from.children) > 1:
			return splice(d.text, child.nameStart, from.children[1].nameStart, "")
		default:
			return splice(d.text, from.start+1, from.end-1, "")
		}
	}
	return d.text
}

func (d *document) spaceBefore(at int) string {
	start := at
	for start > 0 && strings.IndexByte(" \t\r\n", d.text[start-1]) >= 0 {
		start--
	}
	return string(d.text[start:at])
}

func (d *document) depth(n, to *node, depth int) int {
	if n == to {
		return depth
	}
	for _, child := range n.children {
		if to.start >= child.start && to.end <= child.end {
			return d.depth(child, to, depth+1)
		}
	}
	return depth
}

// layout is how a document is written; newline is empty if it is on one line.
type layout struct{ newline, unit string }

// layout looks at the first member of the document.
func (d *document) layout() layout {
	style := layout{"\n", "  "}
	if len(d.root.children) == 0 {
		return style
	}
	space := d.spaceBefore(d.root.children[0].nameStart)
	if !strings.Contains(space, "\n") {
		return layout{}
	}
	if strings.Contains(space, "\r\n") {
		style.newline = "\r\n"
	}
	if unit := space[strings.LastIndex(space, "\n")+1:]; unit != "" {
		style.unit = unit
	}
	return style
}

func (l layout) write(value any, depth int) string {
	switch value := value.(type) {
	case string:
		return quoted(value)
	case object:
		parts := make([]string, len(value))
		for i, m := range value {
			parts[i] = quoted(m.name) + ": " + l.write(m.value, depth+1)
		}
		return l.enclose("{", parts, "}", depth)
	case []any:
		parts := make([]string, len(value))
		for i, element := range value {
			parts[i] = l.write(element, depth+1)
		}
		return l.enclose("[", parts, "]", depth)
	}
	return fmt.Sprint(value)
}

func (l layout) enclose(open string, parts []string, end string, depth int) string {
	if l.newline == "" {
		return open + strings.Join(parts, ", ") + end
	}
	inner := l.newline + strings.Repeat(l.unit, depth+1)
	return open + inner + strings.Join(parts, ","+inner) + l.newline + strings.Repeat(l.unit, depth) + end
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
// backup, it returns the backup. Otherwise the last one tells which lists and objects were empty before, and stay.
func Restore(text []byte, backups [][]byte) ([]byte, error) {
	commands, err := Commands(text)
	if err != nil {
		return nil, err
	}
	var before []byte
	for _, backup := range backups {
		had, err := Commands(backup)
		if err != nil || len(had) > 0 {
			continue
		}
		before = backup
		if list := commands[events[0]]; len(list) == 1 {
			if again, err := Install(backup, list[0]); err == nil && bytes.Equal(again, text) {
				return backup, nil
			}
		}
	}
	without, _, err := uninstall(text, before)
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
