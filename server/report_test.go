//go:build !race

package server_test

import (
	"crypto/rand"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"track"
	"track/access"
	"track/ask"
	"track/internal/lineagetest"
	"track/internal/trackertest"
	"track/server"
	"track/store"
	"track/tracker/seeds"
)

// askedReports are the reports and what is asked of them on the database of [serve] with a lineage.
func askedReports() map[string]string {
	return map[string]string{
		"report stability": "scenario=growth", "report scenario": "scenario=growth", "report improvement": "candidate=growth&baseline=other", "report params": "scenario=grid",
		"report lineage": "lineage=l", "report index": "",
	}
}

// askFor asks a question as its route says.
func (s *service) askFor(q ask.Question, params string, secret access.Secret, header ...string) (*http.Response, string) {
	s.t.Helper()
	if q.IsPosted() {
		return s.do(http.MethodPost, "/api/v1/"+q.Path, secret, params, append(header, form...)...)
	}
	return s.do(http.MethodGet, "/api/v1/"+q.Path+"?"+params, secret, "", header...)
}

// serveReports serves a database of which each report can be made.
func serveReports(t *testing.T, change func(*server.Config)) *service {
	t.Helper()
	s := serve(t, change)
	record(t, s.store, "other", 5)
	withSeries := trackertest.Seed("other", 7, map[string]float64{"a": 1})
	withSeries.Series = []track.Series{{Name: "u", Values: []float64{1, 3, 2}}}
	trackertest.Record(t, s.store, seeds.Options{}, withSeries)
	recordGrid(t, s.store)
	loop := lineagetest.New(t, s.store, nil)
	loop.Run("v001", 50, 60, 55)
	return s
}

// recordGrid records seeds of a scenario with two parameters.
func recordGrid(t *testing.T, st *store.Store) {
	t.Helper()
	trackertest.AddSpec(t, st, trackertest.Ranges("grid", [2]float64{0, 10}))
	for i := range 12 {
		seed := trackertest.Seed("grid", track.SeedNumber(i/4), map[string]float64{"a": float64(i)})
		seed.Configuration.Params = track.Params(fmt.Sprintf(`{"firms":%d,"theta":%d}`, i/2%2, i%2))
		trackertest.Record(t, st, seeds.Options{}, seed)
	}
}

// Each report is Markdown, or HTML if that is asked for, and nothing else. A browser shows it, and runs and loads
// nothing.
func TestReportFormats(t *testing.T) {
	s := serveReports(t, nil)
	secret := s.tokenFor(access.Read, access.Record)
	for _, q := range ask.Reports() {
		params, known := askedReports()[q.Name]
		if !known {
			t.Errorf("%s: no sample; add one", q.Name)
		}
		for accept, want := range map[string]string{
			"": "text/markdown", "*/*": "text/markdown", "text/markdown": "text/markdown", "text/html": "text/html",
			"application/xhtml+xml,text/html;q=0.9,*/*;q=0.8": "text/html", "application/json": "", "image/png": "",
		} {
			response, body := s.askFor(q, params, secret, "Accept", accept)
			if want == "" {
				if response.StatusCode != http.StatusNotAcceptable {
					t.Errorf("%s as %q: %d", q.Name, accept, response.StatusCode)
				}
				continue
			}
			begins := map[string]string{"text/markdown": "# ", "text/html": "<!DOCTYPE html>"}[want]
			if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != want+"; charset=utf-8" || !strings.HasPrefix(body, begins) {
				t.Errorf("%s as %q: %d, %s\n%.200s", q.Name, accept, response.StatusCode, response.Header.Get("Content-Type"), body)
			}
			if policy := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src") || !strings.HasSuffix(policy, "sandbox") {
				t.Errorf("%s: policy %q", q.Name, policy)
			}
		}
	}
}

// A report that judges seeds counts as an interim analysis, and needs the scope to record it. Others are read.
func TestReportScopes(t *testing.T) {
	s := serveReports(t, nil)
	reader, recorder := s.tokenFor(access.Read), s.tokenFor(access.Record)
	for _, q := range ask.Reports() {
		allowed, refused := reader, recorder
		if q.Writes {
			allowed, refused = recorder, reader
		}
		before := s.looks()
		if response, _ := s.askFor(q, askedReports()[q.Name], refused); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s with the other scope: %d", q.Name, response.StatusCode)
		}
		if after := s.looks(); after != before {
			t.Errorf("%s was refused, and recorded a look", q.Name)
		}
		response, _ := s.askFor(q, askedReports()[q.Name], allowed)
		if tag := response.Header.Get("ETag"); response.StatusCode != http.StatusOK || (tag == "") != q.Writes {
			t.Errorf("%s: %d, tag %q", q.Name, response.StatusCode, tag)
		}
	}
	if n := s.looks(); n == 0 {
		t.Error("no look is recorded")
	}
}

// Nothing in a request names a file: what the command line takes for files is no parameter (MLflow CVE-2023-1177).
func TestReportsNameNoFile(t *testing.T) {
	s := serveReports(t, nil)
	secret := s.tokenFor(access.Admin)
	for _, q := range ask.Reports() {
		for _, name := range []string{"output", "o", "check", "template", "db"} {
			response, body := s.askFor(q, strings.TrimPrefix(askedReports()[q.Name]+"&"+name+"=/etc/passwd", "&"), secret)
			if response.StatusCode != http.StatusBadRequest || !strings.Contains(body, "there is no such parameter") {
				t.Errorf("%s with %s: %d: %s", q.Name, name, response.StatusCode, body)
			}
		}
	}
}

// A token for some scenarios gets no report of others, nor pictures of them.
func TestBoundTokensAndReports(t *testing.T) {
	s := serveReports(t, nil)
	bound := s.token(access.Grant{Scopes: []access.Scope{access.Read, access.Record}, Scenarios: []access.Pattern{"growth"}})
	for _, q := range ask.Reports() {
		want := http.StatusForbidden
		if params := askedReports()[q.Name]; params == "scenario=growth" {
			want = http.StatusOK
		}
		if response, body := s.askFor(q, askedReports()[q.Name], bound); response.StatusCode != want {
			t.Errorf("%s: %d: %.200s", q.Name, response.StatusCode, body)
		}
	}
	for params, want := range map[string]int{"scenario=growth": 200, "scenario=other": 403} {
		if response, _ := s.do(http.MethodGet, "/api/v1/history?"+params, bound, "", "Accept", "image/svg+xml"); response.StatusCode != want {
			t.Errorf("a picture of %s: %d", params, response.StatusCode)
		}
	}
}

// A question whose answer has a picture gives it as SVG, with a tag of its own.
func TestPictures(t *testing.T) {
	secret, err := access.NewSecret(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := serveReports(t, func(c *server.Config) { c.Owner = secret }) // the use of another token is noted, which changes tags
	asked := map[string]string{
		"history": "scenario=growth", "matrix": "scenario=growth", "lineage history": "lineage=l", "lineage front": "lineage=l", "params": "scenario=grid&plot=theta", "series show": "scenario=other&seed=7&series=u", "series bands": "scenario=other&series=u",
	}
	for _, q := range ask.All() {
		if len(q.Media) == 0 {
			continue
		}
		params, known := asked[q.Name]
		if !known {
			t.Errorf("%s: no sample; add one", q.Name)
		}
		tags := map[string]bool{}
		for _, accept := range []string{"", "image/svg+xml", "image/*"} {
			response, body := s.askFor(q, params, secret, "Accept", accept)
			tags[response.Header.Get("ETag")] = true
			media := response.Header.Get("Content-Type")
			switch {
			case response.StatusCode != http.StatusOK:
				t.Errorf("%s as %q: %d: %s", q.Name, accept, response.StatusCode, body)
			case accept == "" && media != "application/json":
				t.Errorf("%s is %s", q.Name, media)
			case accept != "":
				if err := checkXML(body); err != nil || media != "image/svg+xml" || !strings.HasPrefix(body, "<svg ") {
					t.Errorf("%s as %s: %v", q.Name, media, err)
				}
			}
		}
		if len(tags) != 2 || tags[""] { // image/* is SVG
			t.Errorf("%s: tags %v", q.Name, tags)
		}
	}
	for _, params := range []string{"scenario=grid", "scenario=grid&plot=theta&heatmap=theta,firms"} {
		if response, body := s.do(http.MethodGet, "/api/v1/params?"+params, secret, "", "Accept", "image/svg+xml"); response.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d: %s", params, response.StatusCode, body)
		}
	}
	if response, _ := s.do(http.MethodGet, "/api/v1/seeds", secret, "", "Accept", "image/svg+xml"); response.StatusCode != http.StatusNotAcceptable {
		t.Errorf("a list as a picture: %d", response.StatusCode)
	}
}

func checkXML(text string) error {
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// The description has each report and picture with its media types.
func TestOpenAPIDescribesMedia(t *testing.T) {
	s := serve(t, nil)
	_, body := s.do(http.MethodGet, "/api/v1/openapi.json", s.tokenFor(access.Read), "")
	var described struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct{ Content map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(body), &described); err != nil {
		t.Fatal(err)
	}
	for _, route := range server.Routes(ask.All()) {
		operation, ok := described.Paths[route.Pattern][strings.ToLower(route.Method)]
		if !ok {
			t.Errorf("%s %s is not described", route.Method, route.Pattern)
		}
		if route.Question == nil {
			continue
		}
		content := operation.Responses["200"].Content
		for _, media := range route.Question.Media {
			if _, ok := content[media]; !ok {
				t.Errorf("%s %s: no %s", route.Method, route.Pattern, media)
			}
		}
		if _, ok := content["application/json"]; ok != (route.Question.Ask != nil) {
			t.Errorf("%s %s: JSON is described: %t", route.Method, route.Pattern, ok)
		}
	}
}
