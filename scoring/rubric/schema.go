package rubric

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"

	"go.yaml.in/yaml/v3"
)

// Schema is the part of JSON Schema (2020-12) that [ParseFormat] knows. Numbers are float64.
type Schema struct {
	Types      []string // null, boolean, object, array, number, integer, string; none for any
	Required   []string
	Properties map[string]*Schema
	Items      *Schema
	Enum       []any // nil for any; values as encoding/json decodes them
	Minimum    *float64
	Maximum    *float64
	Additional *Schema // of the properties that Properties does not name; nil for any
	Closed     bool    // no properties but those of Properties (additionalProperties: false)
}

var schemaTypes = [...]string{"null", "boolean", "object", "array", "number", "integer", "string"}

func (p *formatParser) schema(field string, n *yaml.Node) *Schema {
	if n.Kind != yaml.MappingNode {
		p.problem(field, "line %d: must be an object", n.Line)
		return nil
	}
	s := &Schema{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		at := below(field, key)
		switch key {
		case "type":
			s.Types = p.types(at, value)
		case "required":
			if value.Kind != yaml.SequenceNode || len(value.Content) > 0 { // an empty list is a valid one here
				s.Required = p.strings(at, value)
			}
		case "properties":
			s.Properties = p.properties(at, value)
		case "items":
			s.Items = p.schema(at, value)
		case "enum":
			s.Enum = p.enum(at, value)
		case "minimum":
			s.Minimum = p.bound(at, value)
		case "maximum":
			s.Maximum = p.bound(at, value)
		case "additionalProperties":
			if value.ShortTag() == "!!bool" {
				s.Closed = value.Value == "false"
			} else {
				s.Additional = p.schema(at, value)
			}
		case "title", "description", "$schema", "$comment":
		default:
			p.problem(at, "unknown keyword: use type, required, properties, items, enum, minimum, maximum and additionalProperties")
		}
	}
	return s
}

func (p *formatParser) types(field string, n *yaml.Node) []string {
	list := []string{n.Value}
	if n.Kind != yaml.ScalarNode {
		list = p.strings(field, n)
	}
	for _, name := range list {
		if !slices.Contains(schemaTypes[:], name) {
			p.problem(field, "line %d: unknown type %q", n.Line, excerpt(name))
		}
	}
	return list
}

func (p *formatParser) properties(field string, n *yaml.Node) map[string]*Schema {
	if n.Kind != yaml.MappingNode {
		p.problem(field, "line %d: must be an object", n.Line)
		return nil
	}
	list := map[string]*Schema{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		list[key] = p.schema(below(field, key), n.Content[i+1])
	}
	return list
}

func (p *formatParser) enum(field string, n *yaml.Node) []any {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.problem(field, "line %d: must be a list of at least one value", n.Line)
		return nil
	}
	list := []any{}
	for i, item := range n.Content {
		list = append(list, p.value(fmt.Sprintf("%s[%d]", field, i), item))
	}
	return list
}

func (p *formatParser) bound(field string, n *yaml.Node) *float64 {
	x, ok := p.number(n)
	if !ok {
		p.problem(field, "line %d: must be a finite number", n.Line)
		return nil
	}
	return &x
}

// value is a node as encoding/json would decode it.
func (p *formatParser) value(field string, n *yaml.Node) any {
	switch n.Kind {
	case yaml.SequenceNode:
		list := []any{}
		for i, item := range n.Content {
			list = append(list, p.value(fmt.Sprintf("%s[%d]", field, i), item))
		}
		return list
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			object[n.Content[i].Value] = p.value(below(field, n.Content[i].Value), n.Content[i+1])
		}
		return object
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) != nil {
			p.problem(field, "line %d: not a boolean", n.Line)
		}
		return b
	case "!!int", "!!float":
		x, ok := p.number(n)
		if !ok {
			p.problem(field, "line %d: must be a finite number", n.Line)
		}
		return x
	}
	return n.Value
}

// mismatch says where a value, as encoding/json decodes it, is not what the schema asks for; empty where it is.
func (s *Schema) mismatch(at string, v any) string {
	if len(s.Types) > 0 && !slices.ContainsFunc(s.Types, func(name string) bool { return hasType(v, name) }) {
		return fmt.Sprintf("%s is not of type %v", at, s.Types)
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(allowed any) bool { return reflect.DeepEqual(allowed, v) }) {
		return at + " is none of the allowed values"
	}
	switch v := v.(type) {
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			return fmt.Sprintf("%s is %v, below %v", at, v, *s.Minimum)
		}
		if s.Maximum != nil && v > *s.Maximum {
			return fmt.Sprintf("%s is %v, above %v", at, v, *s.Maximum)
		}
	case []any:
		for i, item := range v {
			if s.Items == nil {
				break
			}
			if why := s.Items.mismatch(fmt.Sprintf("%s[%d]", at, i), item); why != "" {
				return why
			}
		}
	case map[string]any:
		return s.objectMismatch(at, v)
	}
	return ""
}

func (s *Schema) objectMismatch(at string, object map[string]any) string {
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return at + "." + name + " is missing"
		}
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names) // so that the first mismatch is always the same
	for _, name := range names {
		property, known := s.Properties[name]
		switch {
		case !known && s.Closed:
			return at + "." + excerpt(name) + " is not allowed"
		case !known:
			property = s.Additional
		}
		if property == nil {
			continue
		}
		if why := property.mismatch(at+"."+excerpt(name), object[name]); why != "" {
			return why
		}
	}
	return ""
}

func hasType(v any, name string) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}
