package ask_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"track/answer"
	"track/ask"
	"track/server"
)

var update = flag.Bool("update", false, "write what is generated")

const answerSchemas = "../docs/reference/answers.schema.json"

// TestAnswerSchemas holds docs/reference/answers.schema.json to the types of answers and to their comments.
func TestAnswerSchemas(t *testing.T) {
	want := writtenSchemas(t)
	if *update {
		if err := os.WriteFile(answerSchemas, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(answerSchemas)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-types +file); make docs writes it:\n%s", answerSchemas, diff)
	}
}

// Whatever an answer holds, its JSON fits its schema and has no field that the schema does not name.
func TestAnyAnswerFitsItsSchema(t *testing.T) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(writtenSchemas(t)))
	if err != nil {
		t.Fatal(err)
	}
	closeObjects(document)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("answers.json", document); err != nil {
		t.Fatal(err)
	}
	for _, a := range allAnswers() {
		for name := range strings.SplitSeq(a.Name, ", ") {
			schema, err := compiler.Compile("answers.json#/properties/" + strings.ReplaceAll(name, " ", "%20"))
			if err != nil {
				t.Fatal(err)
			}
			drawn := rapid.Custom(func(t *rapid.T) any {
				v := reflect.New(reflect.TypeOf(a.Value))
				drawInto(t, v.Elem(), 0)
				return v.Interface()
			})
			for seed := range 3 {
				var text bytes.Buffer
				if err := answer.Encode(&text, drawn.Example(seed)); err != nil {
					t.Fatal(err)
				}
				instance, err := jsonschema.UnmarshalJSON(&text)
				if err != nil {
					t.Fatal(err)
				}
				if err := schema.Validate(instance); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// writtenSchemas returns the schemas of all answers, those that describe the API, with the comments of the source.
// Each type takes a line.
func writtenSchemas(t *testing.T) []byte {
	t.Helper()
	never := func(context.Context, ask.Source, url.Values) (answer.Answer, error) { return nil, nil }
	var questions []ask.Question
	commands, types := map[string]any{}, map[string]reflect.Type{}
	for _, a := range allAnswers() {
		questions = append(questions, ask.Question{Name: a.Name, Path: a.Name, Zero: a.Value.(answer.Answer), Ask: never})
		collectTypes(reflect.TypeOf(a.Value), types)
		for name := range strings.SplitSeq(a.Name, ", ") {
			commands[name] = map[string]any{"$ref": "#/$defs/" + typeName(reflect.TypeOf(a.Value))}
		}
	}
	text, err := json.Marshal(server.OpenAPI(server.Routes(questions), "", ""))
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/")), &api); err != nil {
		t.Fatal(err)
	}
	comments, definitions := source{root: "..", packages: map[string]*packageSource{}}, map[string]any{}
	for name, schema := range api.Components.Schemas {
		of, isType := types[name]
		if isType {
			p, err := comments.of(of.PkgPath())
			if err != nil {
				t.Fatal(err)
			}
			schema["description"] = p.types[bareName(of)]
			if err := comments.describe(of, schema["properties"].(map[string]any)); err != nil {
				t.Fatal(err)
			}
		}
		if isType || name == "number" { // others belong to routes that are no answers
			definitions[name] = schema
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\"title\": \"what the commands of track answer with --format json; make docs writes it\",\n\"properties\": {\n")
	writeLines(t, &b, commands)
	fmt.Fprintf(&b, "},\n\"$defs\": {\n")
	writeLines(t, &b, definitions)
	fmt.Fprintf(&b, "}\n}\n")
	return b.Bytes()
}

// writeLines writes the members of an object in the order of their names, one a line.
func writeLines(t *testing.T, b *bytes.Buffer, members map[string]any) {
	t.Helper()
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			b.Truncate(b.Len() - 1) // the end of the line
			b.WriteString(",\n")
		}
		fmt.Fprintf(b, "%q: ", name)
		if err := encoder.Encode(members[name]); err != nil {
			t.Fatal(err)
		}
	}
}

// collectTypes collects the structs that a type refers to, by the names of their schemas.
func collectTypes(t reflect.Type, into map[string]reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		collectTypes(t.Elem(), into)
	case reflect.Struct:
		if _, known := into[typeName(t)]; known {
			return
		}
		into[typeName(t)] = t
		for i := range t.NumField() {
			collectTypes(t.Field(i).Type, into)
		}
	}
}

// typeName returns the name of the schema of a type.
func typeName(t reflect.Type) string {
	name := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:] + "." + t.Name()
	return strings.NewReplacer("[", "_", "]", "_", "/", "_", ",", "_", "*", "_").Replace(name)
}

// bareName returns the name of a type in its source, without the parameters of a generic one.
func bareName(t reflect.Type) string {
	bare, _, _ := strings.Cut(t.Name(), "[")
	return bare
}

// describe gives the properties of a struct the comments of its fields. Fields of embedded structs are its own.
func (s *source) describe(t reflect.Type, properties map[string]any) error {
	p, err := s.of(t.PkgPath())
	if err != nil {
		return err
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if (f.Anonymous && name == "" || strings.Contains(options, "embed")) && inner.Kind() == reflect.Struct {
			if err := s.describe(inner, properties); err != nil {
				return err
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		property, ok := properties[name].(map[string]any)
		if !ok {
			continue
		}
		told := []string{p.fields[bareName(t)][f.Name]}
		if inner.Kind() == reflect.String && inner.PkgPath() != "" {
			declared, err := s.of(inner.PkgPath())
			if err != nil {
				return err
			}
			if values := declared.values[inner.Name()]; len(values) > 0 {
				told = append(told, "one of "+strings.Join(values, ", "))
			}
		}
		if unit, ok := property["description"].(string); ok {
			told = append(told, unit)
		}
		if told = slices.DeleteFunc(told, func(s string) bool { return s == "" }); len(told) > 0 {
			property["description"] = strings.Join(told, "; ")
		}
	}
	return nil
}
