package remote_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/ask"
	"track/remote"
)

// An answer of files counts if its last part is there, also behind a proxy that does not say how long it is.
func TestFilesAreWhole(t *testing.T) {
	const (
		file = "--x\r\nContent-Disposition: attachment; filename=%s\r\nContent-Type: application/octet-stream\r\n\r\na,b\n1,2\n"
		said = "\r\n--x\r\nContent-Type: application/json\r\n\r\n" + `{"bytes":8}`
		end  = "\r\n--x--\r\n"
	)
	full := errors.New("the disk is full")
	whole := fmt.Sprintf(file, "lineage.jsonl") + said + end
	for name, test := range map[string]struct {
		body    string
		writing error
		want    string // error; empty for none
		kind    error
	}{
		"whole":        {body: whole},
		"a problem":    {body: fmt.Sprintf(file, "f") + "\r\n--x\r\nContent-Type: application/problem+json\r\n\r\n" + `{"title":"","status":404,"detail":"","kind":"not_found","message":"gone"}` + end, want: "gone", kind: track.ErrNotFound},
		"a path":       {body: fmt.Sprintf(file, `"../f"`) + said + end, want: `name "../f"`},
		"a disk":       {body: whole, writing: full, want: "the disk is full", kind: full},
		"nothing":      {want: "cut off", kind: track.ErrDatabase},
		"without name": {body: "--x\r\n\r\na" + said + end, want: `name ""`},
	} {
		t.Run(name, func(t *testing.T) { wantFiles(t, test.body, test.writing, test.want, test.kind) })
	}
	for n := range len(whole) - len(end) {
		wantFiles(t, whole[:n], nil, "cut off", track.ErrDatabase)
	}
}

// wantFiles asks a server that answers with a body, which ends with the connection.
func wantFiles(t *testing.T, body string, writing error, want string, kind error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func(c net.Conn) { _ = c.Close() }(connection)
		_, _ = io.WriteString(connection, "HTTP/1.0 200 OK\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"+body)
	}))
	defer server.Close()
	client, err := remote.New(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	_, err = ask.ExportLineage().Ask(t.Context(), client.Source(), answer.LineageFileQuestion{}, func(string) (io.Writer, error) {
		if writing != nil {
			return failing{writing}, nil
		}
		return &text, nil
	})
	switch {
	case want == "" && (err != nil || text.String() != "a,b\n1,2\n"):
		t.Errorf("%q, %v", text.String(), err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)), kind != nil && !errors.Is(err, kind):
		t.Errorf("of %q: %v, not %q", body, err, want)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
