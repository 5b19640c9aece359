package sepa

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"regexp"
	"track/importer"
)

// versionName is how the versions of a prompt are called.
var versionName = regexp.MustCompile(`^v\d{1,9}[\w.-]{0,50}$`)

// parseScores finds the versions in a scores.yaml, wherever they stand, in their order. What cannot be used is among
// the items.
func parseScores(text []byte) []importer.Item {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		items := []importer.Item{importer.Skipf(0, "not YAML: %v: its versions are looked for line by line", err)}
		return append(items, scanScores(string(text))...)
	}
	var items []importer.Item
	walk(&document, nil, &items)
	return items
}

func walk(node *yaml.Node, path []string, items *[]importer.Item) {
	const deepest = 20
	if len(path) > deepest {
		return
	}
	if node.Kind != yaml.MappingNode {
		for _, child := range node.Content {
			walk(child, path, items)
		}
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if fields := scalars(value); versionName.MatchString(key.Value) && isVersion(fields) {
			version := newVersion(key.Value, fields)
			if len(path) != 1 || path[0] != "versions" {
				version.Note = strings.TrimSpace(version.Note + " (stood under " + strings.Join(append(path, ""), ".") + key.Value + ")")
			}
			*items = append(*items, importer.Item{Line: key.Line, Version: &version})
			continue
		}
		walk(value, append(path[:len(path):len(path)], importer.Name(key.Value)), items)
	}
}

func scalars(node *yaml.Node) map[string]string {
	fields := map[string]string{}
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if value := node.Content[i+1]; value.Kind == yaml.ScalarNode && value.Tag != "!!null" {
			fields[node.Content[i].Value] = value.Value
		} else if value.Kind == yaml.ScalarNode {
			fields[node.Content[i].Value] = ""
		}
	}
	return fields
}

func isVersion(fields map[string]string) bool {
	_, scored := fields["score"]
	_, created := fields["created"]
	_, parent := fields["parent"]
	return scored || created || parent
}

func newVersion(name string, fields map[string]string) importer.Version {
	return importer.Version{
		Name: name, Parent: versionNamed(fields["parent"]), Operator: importer.Name(fields["mutation"]), Score: score(fields["score"]),
		ParentScore: score(fields["parent_score"]), Status: importer.Name(fields["status"]), Note: fields["notes"],
		CreatedAt: importer.Time(fields["created"]),
	}
}

// versionNamed returns a name if it can be that of a version.
func versionNamed(text string) string {
	if strings.ContainsAny(text, "[]{}, ") {
		return ""
	}
	return importer.Name(text)
}

func score(text string) *float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

var (
	yamlKey   = regexp.MustCompile(`^(\s*)(v\d{1,9}[\w.-]{0,50}):\s*$`)
	yamlField = regexp.MustCompile(`^(\s*)(\w{1,50}):\s+"?([^"#]*?)"?\s*(?:#.*)?$`)
)

// scanScores finds versions in a text that is no YAML as a whole: a line with a name, and the fields that are
// indented deeper below it.
func scanScores(text string) []importer.Item {
	var items []importer.Item
	name, at, indent := "", 0, ""
	fields := map[string]string{}
	end := func() {
		if name != "" && isVersion(fields) {
			version := newVersion(name, fields)
			items = append(items, importer.Item{Line: at, Version: &version})
		} else if name != "" {
			items = append(items, importer.Skipf(at, "%s has no field of a version", name))
		}
		name, fields = "", map[string]string{}
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if key := yamlKey.FindStringSubmatch(line); key != nil {
			end()
			name, at, indent = key[2], number, key[1]
		} else if field := yamlField.FindStringSubmatch(line); field != nil && name != "" && len(field[1]) > len(indent) {
			if value := field[3]; value != "null" && value != "~" {
				fields[field[2]] = value
			} else {
				fields[field[2]] = ""
			}
		} else if strings.TrimSpace(line) != "" {
			end()
		}
	}
	end()
	return items
}

// sizeError says that a file is larger than what it should hold.
func sizeError(most int) error { return fmt.Errorf("larger than %d MiB", most>>20) }
