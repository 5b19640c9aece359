// Package claudesettings puts hooks into the settings of Claude Code and takes them out. It edits the text: everything
// else in the file keeps its order, its formatting and its bytes.
package claudesettings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"regexp"
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
