package server

import (
	"net/http"
	"slices"

	"track/access"
	"track/answer"
	"track/ask"
)

// apiPath is what the paths of version 1 of the API begin with.
const apiPath = "/api/v1/"

// Route is something that the server answers.
type Route struct {
	Method, Pattern string
	// Scope is what a token must allow; empty if no token is needed.
	Scope    access.Scope
	Summary  string
	Question *ask.Question // that the route asks; nil for a route of the server itself
	page     bool          // an answer for a browser, errors included
	stream   string        // media type of an answer that goes on until the client goes; empty for others
	parts    []part        // of the path and of the query, of a route of the server itself
	bytes    bool          // an answer of any bytes, of a route of the server itself
	zero     any           // an answer in JSON that says nothing, of a route of the server itself; nil for other answers
	body     int64         // that a request may have in bytes; 0 for maxBody
	serve    func(s *Server, w http.ResponseWriter, r *http.Request) error
}

// part is a parameter of a route of the server itself.
type part struct {
	name, in, help, kind string
	required             bool
}

// Routes returns all routes, each question's and each report's among them: one that changes nothing is asked by GET,
// unless a parameter can be too long for that, and the others by POST.
func Routes(questions []ask.Question) []Route {
	routes := []Route{
		{Method: http.MethodGet, Pattern: "/healthz", Summary: "say that the server is there", serve: (*Server).health},
		{Method: http.MethodGet, Pattern: "/readyz", Summary: "say whether the database can be asked", serve: (*Server).ready},
		{Method: http.MethodGet, Pattern: apiPath + "openapi.json", Scope: access.Read, Summary: "describe the API", serve: (*Server).writeOpenAPI},
		{Method: http.MethodGet, Pattern: "/metrics", Scope: access.Read, Summary: "give figures of the server for Prometheus", serve: (*Server).writeMetrics},
	}
	routes = append(routes, Route{
		Method: http.MethodPost, Pattern: LinesPath, Scope: access.Record, Summary: "record lines of JSON, as track record batch does", body: maxLinesBody, serve: (*Server).recordLines,
	})
	spool := part{name: "ulid", in: "path", help: "the ULID of the spool, which the client makes", kind: "string", required: true}
	from := part{name: "from", in: "query", help: "how many lines of the spool come before these", kind: "integer"}
	routes = append(routes, Route{
		Method: http.MethodGet, Pattern: spoolPath, Scope: access.Record, Summary: "say how far the lines of a spool are recorded",
		parts: []part{spool}, zero: answer.SpoolPosition{}, serve: (*Server).spoolPosition,
	}, Route{
		Method: http.MethodPost, Pattern: spoolLinesPath, Scope: access.Record, Summary: "record lines of a spool, and none of them twice",
		parts: []part{spool, from}, zero: answer.SentLines{}, body: maxLinesBody, serve: (*Server).recordSpool,
	}, Route{
		Method: http.MethodGet, Pattern: artifactPath, Scope: access.Read, Summary: "give the content of a file of a seed", bytes: true,
		parts: []part{
			{name: "scenario", in: "query", help: "SCENARIO[@CONFIGURATION] of the seed", kind: "string", required: true},
			{name: "seed", in: "query", help: "the number of the seed", kind: "string", required: true},
			{name: "name", in: "query", help: "the name of the file", kind: "string", required: true},
		}, serve: (*Server).sendArtifact,
	}, Route{
		Method: http.MethodGet, Pattern: apiPath + "events", Scope: access.Read, Summary: "say what was recorded since the last event, as server-sent events", stream: "text/event-stream", serve: (*Server).writeEvents,
	})
	for _, q := range slices.Concat(questions, ask.Reports(), ask.Exports()) {
		routes = append(routes, questionRoute(q))
	}
	return routes
}

// isLong reports whether an answer may take longer than others.
func (r Route) isLong() bool {
	return r.Question != nil && (r.Question.Long || r.Question.WriteFiles != nil && !r.Question.Small)
}

func questionRoute(q ask.Question) Route {
	r := Route{
		Method: http.MethodGet, Pattern: apiPath + q.Path, Scope: q.Scope, Summary: q.Help, Question: &q,
		serve: func(s *Server, w http.ResponseWriter, r *http.Request) error { return s.answer(w, r, q) },
	}
	if q.WriteFiles != nil {
		r.serve = func(s *Server, w http.ResponseWriter, r *http.Request) error { return s.sendFiles(w, r, q) }
	}
	if q.IsPosted() {
		r.Method = http.MethodPost
	}
	if q.Notes { // somebody looked: that is a fact
		r.Scope = access.Record
	}
	return r
}
