package spec

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlTree reads one YAML document. Aliases are refused where they stand and never followed, so a file is never larger
// than it looks.
func yamlTree(data []byte) (node, *Problem) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, next yaml.Node
	switch err := decoder.Decode(&document); {
	case err == io.EOF:
		return node{}, emptyFile()
	case err != nil:
		return node{}, yamlSyntaxProblem(err)
	}
	switch err := decoder.Decode(&next); {
	case err == nil:
		return node{}, secondDocument(next.Line)
	case err != io.EOF:
		return node{}, yamlSyntaxProblem(err)
	}
	root := yamlNode(document.Content[0])
	if root.kind == kindNull {
		return node{}, emptyFile()
	}
	return root, nil
}

// yamlSyntaxProblem takes the line out of an error, which has it in its text only, and not always.
func yamlSyntaxProblem(err error) *Problem {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		if number, after, ok := strings.Cut(rest, ": "); ok {
			line, _ = strconv.Atoi(number)
			message = after
		}
	}
	if line > 0 && countsFromZero(message) {
		line++
	}
	return &Problem{
		Line:    line,
		Message: "not valid YAML: " + message,
		Hint:    "text with : # , [ ] { } in it, or with > | % @ & * at its beginning, belongs in quotes",
	}
}

// countsFromZero reports whether an error comes from the library's parser, which counts lines from 0; its scanner,
// which finds the other errors, counts from 1.
func countsFromZero(message string) bool {
	expected, ok := strings.CutPrefix(message, "did not find expected ")
	if !ok {
		return false
	}
	for _, prefix := range []string{"key", "node content", "'-' indicator", "',' or", "<"} {
		if strings.HasPrefix(expected, prefix) {
			return true
		}
	}
	return false
}

func yamlNode(y *yaml.Node) node {
	n := node{line: y.Line}
	switch tag := y.ShortTag(); {
	case y.Kind == yaml.AliasNode:
		n.kind, n.text = kindRefused, "aliases (*"+printable(y.Value)+") are not supported: write the value out"
	case y.Kind == yaml.MappingNode && tag == "!!map":
		n.kind, n.fields = kindMapping, yamlFields(y.Content)
	case y.Kind == yaml.SequenceNode && tag == "!!seq":
		n.kind = kindList
		for _, item := range y.Content {
			n.fields = append(n.fields, field{value: yamlNode(item)})
		}
	case y.Kind == yaml.ScalarNode:
		n.kind, n.text = yamlScalar(y, tag)
	default:
		n.kind, n.text = kindRefused, unknownTag(tag)
	}
	return n
}

// yamlFields takes keys and values in turn. A key that is not a text becomes an unknown key.
func yamlFields(content []*yaml.Node) []field {
	var fields []field
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i]
		f := field{key: key.Value, line: key.Line, value: yamlNode(content[i+1])}
		switch key.Kind {
		case yaml.AliasNode:
			f.key = "*" + key.Value
		case yaml.MappingNode:
			f.key = "{...}"
		case yaml.SequenceNode:
			f.key = "[...]"
		}
		fields = append(fields, f)
	}
	return fields
}

func yamlScalar(y *yaml.Node, tag string) (kind, string) {
	plain := y.Style&(yaml.TaggedStyle|yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch {
	case plain && decimal(y.Value): // even if it overflows, which makes it a text for the parser
		return kindNumber, y.Value
	case tag == "!!str" || tag == "!!timestamp": // a date is a text in YAML 1.2
		return kindText, y.Value
	case tag == "!!int" || tag == "!!float":
		return kindNumber, y.Value
	case tag == "!!bool":
		return kindBool, strings.ToLower(y.Value)
	case tag == "!!null":
		return kindNull, ""
	}
	return kindRefused, unknownTag(tag)
}

func unknownTag(tag string) string {
	return "the tag " + printable(tag) + " is not supported: leave it out"
}
