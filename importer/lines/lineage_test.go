package lines_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track"
	"track/evolution"
	"track/importer/lines"
	"track/internal/property"
)

func ptr[T any](v T) *T { return &v }

// lineage is a small ledger with a root and a proposal.
func lineage(t testing.TB, name, note string) lines.Lineage {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	root, child := "one\n", "one\ntwo "+note
	creation := evolution.Creation{Seed: 1<<64 - 1, Subject: "agent", Root: &evolution.VersionRef{Label: "v001", ID: evolution.VersionID([]byte(root))}, Settings: evolution.DefaultSettings()}
	first, err := evolution.NewEntry(evolution.Entry{}, name, evolution.KindCreation, creation, "v001", at)
	if err != nil {
		t.Fatal(err)
	}
	p := evolution.Proposal{
		Number: 1, Parents: []evolution.VersionRef{*creation.Root}, Child: evolution.VersionRef{Label: "v002", ID: evolution.VersionID([]byte(child))},
		Operator: "o", Risk: evolution.Low, Note: note, CostUSD: ptr(0.1),
	}
	p.Mutation = p.ID()
	second, err := evolution.NewEntry(first, name, evolution.KindProposal, p, "v001", at.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return lines.Lineage{
		Name: name, KeepText: true, Head: "v001", End: evolution.Head{Number: 2, Hash: second.Hash}, Entries: []evolution.Entry{first, second},
		Versions: []track.Version{
			{Lineage: name, Name: "v001", Content: &root},
			{Lineage: name, Name: "v002", Parent: "v001", Operator: "o", Content: &child, Note: note, Source: "sepa", SourceScore: ptr(71.5), SourceParentScore: ptr(-0.25), CreatedAt: at},
			{Lineage: name, Name: "lost"},
		},
	}
}

func written(t testing.TB, x lines.Lineage) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := lines.WriteLineage(&b, x); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is written is read back as it was, whatever the texts, and written again as the same bytes.
func TestRoundTrip(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		note := rapid.StringN(0, 40, -1).Draw(rt, "note")
		x := lineage(t, "l", note)
		text := written(t, x)
		back, err := lines.ReadLineage("file", bytes.NewReader(text))
		if err != nil {
			rt.Fatal(err)
		}
		if again := written(t, back); !bytes.Equal(text, again) {
			rt.Fatalf("%s\nis written again as\n%s", text, again)
		}
		if diff := cmp.Diff(x.Versions, back.Versions); diff != "" {
			rt.Fatal(diff)
		}
		if d := evolution.ReplayLedger(back.Entries, back.End).Differences; len(d) > 0 {
			rt.Fatal(d)
		}
	})
}

// Every line that is left out, doubled or put elsewhere is refused, with the line; so is whatever else the file says.
func TestReadRefuses(t *testing.T) {
	good := strings.SplitAfter(strings.TrimSuffix(string(written(t, lineage(t, "l", "n"))), "\n"), "\n")
	good[len(good)-1] += "\n"
	join := func(lines ...[]string) string {
		var b strings.Builder
		for _, list := range lines {
			b.WriteString(strings.Join(list, ""))
		}
		return b.String()
	}
	last := len(good) - 1
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "file: ends before its last line"},
		"no first line":     {join(good[1:]), `file:1: kind: "version": an export begins`},
		"no version":        {join(good[:1], good[2:]), "file:6: end: 3 versions and 2 entries, but 2 and 2 came before"},
		"no entry":          {join(good[:4], good[5:]), "file:6: end: 3 versions and 2 entries, but 3 and 1 came before"},
		"no end":            {join(good[:last]), "file: ends before its last line"},
		"end doubled":       {join(good, good[last:]), fmt.Sprintf("file:%d: kind: comes after the end", len(good)+1)},
		"first doubled":     {join(good[:1], good), "file:2: kind: a second lineage"},
		"another format":    {strings.Replace(join(good), `"v":1`, `"v":9`, 1), "file:1: v: 9: this track reads lines up to version 1"},
		"another lineage":   {strings.Replace(join(good), `"entry":{"lineage":"l"`, `"entry":{"lineage":"k"`, 1), "file:5: entry.lineage"},
		"an unknown kind":   {join(good[:1], []string{`{"kind":"seed"}` + "\n"}, good[1:]), `file:2: kind: "seed": must be`},
		"an unknown field":  {strings.Replace(join(good), `"kind":"end"`, `"kind":"end","more":1`, 1), "more: unknown field"},
		"a wrong type":      {strings.Replace(join(good), `"source_score":71.5`, `"source_score":"71.5"`, 1), "file:3: source_score: must be a number, not a string"},
		"no JSON":           {join(good[:2], []string{"{\"kind\"\n"}, good[2:]), "file:3: kind: not JSON"},
		"a name of nothing": {strings.Replace(join(good), `"lineage":"l","keep_text"`, `"lineage":"","keep_text"`, 1), "file:1: lineage: is empty"},
		"a manifest":        {"{\n  \"format\": \"track/manifest/1\"\n}\n", "file:1: is a JSON document of several lines, such as a manifest"},
	} {
		_, err := lines.ReadLineage("file", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// The manifest names the bytes of the export, each version and each decision; any change of the lineage changes it.
func TestManifest(t *testing.T) {
	manifest := func(x lines.Lineage) lines.Manifest {
		var text bytes.Buffer
		if err := lines.WriteManifest(&text, x); err != nil {
			t.Fatal(err)
		}
		m, err := lines.ReadManifest("file", text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	x := lineage(t, "l", "n")
	m := manifest(x)
	if m.SHA256 != evolution.VersionID(written(t, x)) || m.End != x.End || len(m.Versions) != 3 || m.Versions[0].SHA256 != evolution.VersionID([]byte("one\n")) {
		t.Errorf("%+v", m)
	}
	x.Versions[0].Content = ptr("other\n")
	if manifest(x).SHA256 == m.SHA256 {
		t.Error("another content has the same manifest")
	}
	for _, bad := range []string{"", "[]", `{"format":"x"}`, `{"format":"track/manifest/1","more":1}`} {
		if _, err := lines.ReadManifest("file", []byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "file: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// What can be read can be written, and read again.
func FuzzReadLineage(f *testing.F) {
	f.Add(written(f, lineage(f, "l", "n")))
	f.Add([]byte(`{"kind":"lineage","v":1,"lineage":"l","keep_text":false}` + "\n" + `{"kind":"end","head":"","versions":0,"end":{"number":0,"hash":""}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, err := lines.ReadLineage("file", bytes.NewReader(text))
		if err != nil {
			return
		}
		_ = evolution.ReplayLedger(x.Entries, x.End)
		again := written(t, x)
		back, err := lines.ReadLineage("file", bytes.NewReader(again))
		if err != nil || !bytes.Equal(written(t, back), again) {
			t.Errorf("%v: %q is written as %q", err, text, again)
		}
	})
}
