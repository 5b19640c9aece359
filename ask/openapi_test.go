package ask_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"track/answer"
	"track/ask"
	"track/internal/sample"
	"track/server"
)

// Every answer is what the description of the server says, without a field that it does not name.
func TestAnswersFitOpenAPI(t *testing.T) {
	text, err := json.Marshal(server.OpenAPI(server.Routes(ask.All()), "", "test"))
	if err != nil {
		t.Fatal(err)
	}
	description, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	closeObjects(description)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", description); err != nil {
		t.Fatal(err)
	}
	st, names := sample.New(t)
	for _, q := range ask.All() {
		method := "get"
		if q.IsPosted() {
			method = "post"
		}
		path := strings.ReplaceAll("/api/v1/"+q.Path, "/", "~1")
		schema, err := compiler.Compile("openapi.json#/paths/" + path + "/" + method + "/responses/200/content/application~1json/schema")
		if err != nil {
			t.Errorf("%s: %v", q.Name, err)
			continue
		}
		for _, in := range sample.Questions()[q.Name] {
			params, err := url.ParseQuery(names.Replace(in))
			if err != nil {
				t.Fatal(err)
			}
			a, err := q.Ask(t.Context(), ask.Source{Store: st}, params)
			if err != nil {
				t.Fatal(err)
			}
			var body bytes.Buffer
			if err := answer.Encode(&body, a); err != nil {
				t.Fatal(err)
			}
			document, err := jsonschema.UnmarshalJSON(&body)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(document); err != nil {
				t.Errorf("%s %s: %v", q.Name, in, err)
			}
		}
	}
}

// closeObjects lets no object of a description have properties that it does not name.
func closeObjects(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			closeObjects(x)
		}
	case map[string]any:
		for _, x := range v {
			closeObjects(x)
		}
		if _, ok := v["properties"].(map[string]any); ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
	}
}
