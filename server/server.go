// Package server answers the questions of package ask over HTTP.
package server

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"time"

	"track/access"
	"track/ask"
	"track/pages"
	"track/store"
)

// Config says what a server serves, and to whom.
type Config struct {
	// Open opens the database, again after the schema was found to be another one.
	Open    func(ctx context.Context) (*store.Store, error)
	Now     func() time.Time
	Log     *slog.Logger
	Version string // of the program

	// Hosts are the names that requests may address the server by, without ports, in addition to localhost, 127.0.0.1 and
	// ::1. A page of another site whose name resolves to this machine is refused by it.
	Hosts []string
	// BasePath is what every path begins with, such as /track; empty for nothing.
	BasePath string
	// Owner is the secret of whoever started the server, who may do everything; empty for none.
	Owner access.Secret
	// OwnerName is recorded with what the owner changes.
	OwnerName string
	// TrustedProxies are the addresses whose headers are believed: X-Forwarded-For, -Proto and -Host, and SSOHeader.
	TrustedProxies []netip.Prefix
	// SSOHeader is the header in which a trusted proxy names who signed in there; empty for none. SSOScopes is what they
	// may do without a token.
	SSOHeader string
	SSOScopes []access.Scope
	// Rate is how many requests with tokens are answered a second, with bursts of twice as many; 0 for any number.
	Rate float64
	// Open to all: nobody needs a token. It is for loopback addresses alone.
	NoAuth bool
	// QueryTime is how long an answer may take; 0 for a minute. SQLTime is how long one to a query in SQL may take; 0
	// for ten seconds.
	QueryTime, SQLTime time.Duration
	// AliveEvery is how often a stream of events says that it goes on; 0 for 15 seconds.
	AliveEvery time.Duration
}

// The limits of what a request may cost.
const (
	maxHeader       = 64 << 10
	maxBody         = 1 << 20
	readHeaderTime  = 10 * time.Second
	readTime        = time.Minute
	idleTime        = 2 * time.Minute
	defaultAnswer   = time.Minute
	longAnswer      = time.Hour // of a question that reads the whole database
	answersPerCore  = 4
	waitingPerCore  = 64
	mostRecording   = 256
	mostExports     = 2 // answers at once that are files
	retryAfterQueue = "1"
)

// Server answers requests.
type Server struct {
	config   Config
	database database
	queue    queue
	// recording bounds the requests that record: they wait for their bodies and for the disk, and compute little.
	recording   queue
	long        chan struct{} // bounds the questions that read the whole database
	exports     chan struct{} // bounds the answers that are files
	queries     atOnce
	streamsOf   atOnce // of tokens
	streamsFrom atOnce // of addresses
	kept        keeper
	streams     *streams
	sessions    *sessions
	rate        requestRate
	metrics     metrics
	epoch       string // differs after each start
	began       time.Time
	handler     http.Handler
}

// New returns a server. It opens the database with the first request.
func New(config Config) *Server {
	if config.QueryTime == 0 {
		config.QueryTime = defaultAnswer
	}
	if config.SQLTime == 0 {
		config.SQLTime = defaultSQL
	}
	if config.AliveEvery == 0 {
		config.AliveEvery = aliveEvery
	}
	cores := runtime.GOMAXPROCS(0)
	s := &Server{config: config, epoch: rand.Text(), began: config.Now(), queue: newQueue(cores*answersPerCore, cores*waitingPerCore), recording: newQueue(mostRecording, 0), long: make(chan struct{}, 1), exports: make(chan struct{}, mostExports), queries: atOnce{own: mostOwnSQL, all: mostSQL}, streamsOf: atOnce{own: ownStreams, all: mostStreams}, streamsFrom: atOnce{own: hereStreams, all: mostStreams}}
	s.database.open = config.Open
	s.streams = newStreams(&follower{database: &s.database})
	s.sessions = newSessions(config.Now)
	s.rate = newRequestRate(config.Rate, config.Now)
	s.handler = s.newHandler(slices.Concat(Routes(ask.All()), PageRoutes()))
	return s
}

// Handler returns what answers requests.
func (s *Server) Handler() http.Handler { return s.handler }

// newHandler returns the handler of all routes, each behind the same doors.
func (s *Server) newHandler(routes []Route) http.Handler {
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(r.Method+" "+s.config.BasePath+r.Pattern, s.guard(r))
	}
	if base := s.config.BasePath; base != "" {
		home := http.RedirectHandler(base+"/", http.StatusTemporaryRedirect)
		mux.Handle("GET /{$}", home)
		mux.Handle("GET "+base, home)
	}
	known := s.notFound(mux, routes)
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, errors.New("a page of another site may not send requests that change something"))
	}))
	return s.behindProxies(s.logged(s.recovering(s.checkHost(crossOrigin.Handler(known)))))
}

// HTTP returns a server of the standard library with the limits of this one. Its shutdown ends the streams of events.
func (s *Server) HTTP() *http.Server {
	h := &http.Server{
		Handler: answering(s.handler), ConnContext: withHeld, ConnState: noteIdle, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: readHeaderTime, ReadTimeout: readTime, IdleTimeout: idleTime,
		WriteTimeout: s.config.QueryTime + readTime, ErrorLog: slog.NewLogLogger(s.config.Log.Handler(), slog.LevelWarn),
	}
	h.RegisterOnShutdown(s.streams.end)
	return h
}

// Watch notices until ctx ends if the database became one that cannot be served, and says so in the log. It begins with
// what every request needs, so that the first one need not wait for that.
func (s *Server) Watch(ctx context.Context, interval time.Duration) {
	_, _ = s.database.cursor(ctx) // a request meets the error again
	_ = pages.Prepare()           // the same
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for last := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		cursor, err := s.database.cursor(ctx)
		if err == nil && cursor == last {
			continue
		}
		last = cursor
		if err == nil {
			err = s.database.check(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.config.Log.ErrorContext(ctx, "the database cannot be served", "error", err)
		}
	}
}

// Close closes the database. No request may be under way.
func (s *Server) Close() error {
	s.streams.end()
	return s.database.end()
}
