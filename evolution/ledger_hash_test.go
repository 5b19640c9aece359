package evolution

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"track/internal/property"
)

// The body of an entry is set into its canonical text. That must give what marshalling the whole entry gives.
func TestCanonicalEntry(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		text := rapid.String()
		body := rapid.SampledFrom([]any{nil, 1.5, "body", []any{}, map[string]any{"body": nil, "b": 1e300, "a": []any{"<&>", "\u2028"}}}).Draw(t, "body")
		raw, err := json.Marshal(map[string]any{text.Draw(t, "key"): body, "body": text.Draw(t, "text"), "number": rapid.Float64().Draw(t, "number")})
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{
			Lineage: text.Draw(t, "lineage"), Number: rapid.Int().Draw(t, "n"), Kind: Kind(text.Draw(t, "kind")), Mutation: text.Draw(t, "mutation"),
			At: time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "at"), 0).UTC(), HeadBefore: text.Draw(t, "before"), HeadAfter: text.Draw(t, "after"), Body: raw,
			Prev: text.Draw(t, "prev"),
		}
		if rapid.Bool().Draw(t, "spaced") {
			e.Body = append(append([]byte(" "), raw...), '\n')
		}
		want, wantErr := canonical(e)
		got, err := e.canonical()
		if string(got) != string(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("got %s %v\nwant %s %v", got, err, want, wantErr)
		}
	})
	for _, body := range []string{"", "{", `{"a":1,"a":2}`, `{"a":1e999}`, "null", "\xff"} {
		e := Entry{Body: json.RawMessage(body)}
		want, wantErr := canonical(e)
		got, err := e.canonical()
		if (err == nil) != (wantErr == nil) || err == nil && string(got) != string(want) {
			t.Errorf("%q: got %s %v, want %s %v", body, got, err, want, wantErr)
		}
	}
}
