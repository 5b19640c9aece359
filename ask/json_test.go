package ask_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/answer"
	"track/internal/jsondoc"
)

var update = flag.Bool("update", false, "write what is generated")

const (
	jsonReference = "../docs/reference/json.md"
	generated     = "<!-- generated from the types of answers; make docs writes it -->\n"
	generatedEnd  = "<!-- end of what is generated -->\n"
)

// TestJSONReference holds docs/reference/json.md to the types of answers.
func TestJSONReference(t *testing.T) {
	want, err := jsondoc.Write("..", allAnswers(), func(v any) ([]byte, error) {
		var b bytes.Buffer
		err := answer.Encode(&b, v)
		return b.Bytes(), err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(jsonReference)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), generated)
	got, after, ends := strings.Cut(rest, generatedEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for what is generated", jsonReference)
	}
	if *update {
		if err := os.WriteFile(jsonReference, []byte(before+generated+"\n"+want+generatedEnd+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff("\n"+want, got); diff != "" {
		t.Errorf("%s (-types +file); make docs writes it:\n%s", jsonReference, diff)
	}
}
