package sepa

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track/importer"
)

// record is a tool call, or what a hook saw.
type record struct {
	TS      string         `json:"ts"`
	Type    string         `json:"type"`
	Tool    string         `json:"tool"`
	Params  jsontext.Value `json:"params"`
	Output  jsontext.Value `json:"output"`
	Exit    jsontext.Value `json:"exit"`
	Success jsontext.Value `json:"success"`
	Version string         `json:"version"`
	Session string         `json:"session"`
	Prompt  string         `json:"prompt"`
}

var errNoRecord = errors.New("a fragment: it has neither tool nor prompt")

// parseRecord reads the record at the beginning of a text. rest is where what follows it begins; -1 where only space
// does. Duplicate names are refused: two records were mixed.
func parseRecord(text []byte) (r record, rest int, err error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowInvalidUTF8(true))
	if err := json.UnmarshalDecode(decoder, &r); err != nil {
		return r, -1, err
	}
	rest = int(decoder.InputOffset())
	if space := len(text[rest:]) - len(bytes.TrimLeft(text[rest:], " \t\r\n")); rest+space == len(text) {
		rest = -1
	} else {
		rest += space
	}
	switch {
	case r.Type == "prompt" && r.Session != "", r.Tool != "" && (r.Type == "pre" || r.Type == "post"):
		return r, rest, nil
	case r.Tool != "" && r.Type == "" && (len(r.Exit) > 0 || len(r.Success) > 0):
		return r, rest, nil
	}
	return r, rest, errNoRecord
}

// exit returns the exit status, which some writers put in quotes; nil where it is none.
func (r record) exit() *int {
	text := strings.Trim(string(r.Exit), `"`)
	n, err := strconv.Atoi(text)
	if err != nil || len(text) > 10 {
		return nil
	}
	if r.Type == "post" && n == 0 && importer.String(r.Output) == `""` {
		return nil // the hook did not see it
	}
	return &n
}

// failed says whether the record itself says that the call went wrong.
func (r record) failed() bool { return strings.Trim(string(r.Success), `"`) == "false" }
