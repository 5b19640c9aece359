package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/access"
	"track/internal/provenance"
	"track/remote"
	"track/server"
	"track/store"
)

// serveOptions say where a server listens, and to whom.
type serveOptions struct {
	address      string
	hosts        cli.StringSlice
	basePath     string
	certificate  string
	key          string
	insecureHTTP bool
	noAuth       bool
	proxies      cli.StringSlice
	ssoHeader    string
	ssoScopes    string
	rate         float64
	logFormat    string
	connections  int
	answerTime   time.Duration
	sqlTime      time.Duration
}

// The times of a server.
const (
	stopTime   = 10 * time.Second // for requests that are under way when it stops
	watchEvery = time.Second      // that another schema is noticed
)

func (p *program) serveCommand() *cli.Command {
	var o serveOptions
	return p.admitting(&cli.Command{
		Name: "serve", Usage: "answer over HTTP, for a team", UsageText: "track serve [FLAGS]",
		Description: `Answers every question of the command line under /api/v1/, from one database. Everybody needs a token (track token add). The one of whoever
starts the server is made at the start; the track of the same user finds it by itself. Listens on this machine alone, unless --addr names
another address, which needs TLS or --insecure-http. Ends with SIGTERM or Ctrl-C, after the requests that are under way.

Examples:
   track serve
   track stability growth_plus --server http://127.0.0.1:7717
   track serve --addr :7717 --tls-cert cert.pem --tls-key key.pem --allowed-host track.example.org`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Usage: "listen on `HOST:PORT`", Value: "127.0.0.1:7717", Destination: &o.address},
			&cli.StringSliceFlag{Name: "allowed-host", Usage: "answer requests to this `NAME` too; may be repeated", Destination: &o.hosts},
			&cli.StringFlag{Name: "base-path", Usage: "serve below this `PATH`, such as /track, behind a proxy", Destination: &o.basePath},
			&cli.StringFlag{Name: "tls-cert", Usage: "serve HTTPS with the certificates in `FILE`, read again when it changes", Destination: &o.certificate},
			&cli.StringFlag{Name: "tls-key", Usage: "use the private key in `FILE`", Destination: &o.key},
			&cli.BoolFlag{Name: "insecure-http", Usage: "listen beyond this machine without TLS: tokens can be read on the way", Destination: &o.insecureHTTP},
			&cli.BoolFlag{Name: "no-auth", Usage: "ask nobody for a token; on loopback alone: every user of this machine may do everything", Destination: &o.noAuth},
			&cli.StringSliceFlag{Name: "trusted-proxy", Usage: "believe the X-Forwarded headers of `ADDRESS`, or of a network as in 10.0.0.0/8; may be repeated", Destination: &o.proxies},
			&cli.StringFlag{Name: "sso-header", Usage: "take who signed in at a trusted proxy from this `HEADER`, such as X-Forwarded-User", Destination: &o.ssoHeader},
			&cli.StringFlag{Name: "sso-scope", Usage: "let people who signed in at the proxy do this: a `LIST` of read, record, spec, decide, admin", DefaultText: "read", Destination: &o.ssoScopes},
			&cli.Float64Flag{Name: "rate", Usage: "answer `N` requests a second of all tokens together, with bursts of twice as many; 0 is no bound", Destination: &o.rate},
			&cli.StringFlag{Name: "log", Usage: "write the log as `FORMAT`: text or json", Value: "text", Destination: &o.logFormat},
			&cli.IntFlag{Name: "max-connections", Usage: "hold `N` connections at once; for another, the one that waits longest for a request is closed", Value: 4096, Destination: &o.connections},
			&cli.DurationFlag{Name: "answer-time", Usage: "give up an answer after `TIME`", Value: time.Minute, Destination: &o.answerTime},
			&cli.DurationFlag{Name: "sql-time", Usage: "give up a query in SQL after `TIME`", Value: 10 * time.Second, Destination: &o.sqlTime},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track serve takes no arguments")
			}
			return p.serve(c.Context, o)
		},
	})
}

// check refuses what would be open to others by mistake.
func (o serveOptions) check() error {
	host, _, err := net.SplitHostPort(o.address)
	if err != nil {
		return usage("--addr %s is not HOST:PORT, such as 127.0.0.1:7717", o.address)
	}
	switch {
	case (o.certificate == "") != (o.key == ""):
		return usage("--tls-cert and --tls-key belong together")
	case o.noAuth && !isLoopback(host):
		return usage("--no-auth with --addr %s: without tokens a server listens on a loopback address alone, such as 127.0.0.1:7717", o.address)
	case !isLoopback(host) && o.certificate == "" && !o.insecureHTTP:
		return usage("--addr %s: give --tls-cert and --tls-key, or --insecure-http if something in front of the server encrypts", o.address)
	case o.basePath != "" && (!strings.HasPrefix(o.basePath, "/") || strings.HasSuffix(o.basePath, "/") || strings.ContainsAny(o.basePath, "{}?# ")):
		return usage("--base-path %s: begin it with a slash, and end it without one, as in /track", o.basePath)
	case o.logFormat != "text" && o.logFormat != "json":
		return usage("--log %s: use text or json", o.logFormat)
	case o.rate < 0 || math.IsNaN(o.rate) || math.IsInf(o.rate, 0):
		return usage("--rate %g: a number of requests a second, or 0 for no bound", o.rate)
	case o.connections < 1:
		return usage("--max-connections %d: at least 1", o.connections)
	case o.ssoScopes != "" && o.ssoHeader == "":
		return usage("--sso-scope is for people whom --sso-header names: give it too")
	case o.answerTime <= 0 || o.sqlTime <= 0:
		return usage("--answer-time %s, --sql-time %s: a time above 0, such as 1m", o.answerTime, o.sqlTime)
	}
	return checkHosts(o.hosts.Value())
}

// proxyAddresses reads addresses and networks.
func proxyAddresses(texts []string) (list []netip.Prefix, err error) {
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, err := netip.ParseAddr(text)
			if err != nil {
				return nil, usage("--trusted-proxy %s: an address such as 127.0.0.1, or a network such as 10.0.0.0/8", text)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

// scopesOf reads a list of scopes.
func scopesOf(text string) (list []access.Scope, err error) {
	for name := range strings.SplitSeq(text, ",") {
		scope, err := access.ParseScope(strings.TrimSpace(name))
		if err != nil {
			return nil, usage("--sso-scope %s: %v", text, err)
		}
		list = append(list, scope)
	}
	return list, nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (p *program) serve(ctx context.Context, o serveOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	st, err := p.openForUpdate(ctx) // an error is better found now than by the first request
	if err != nil {
		return err
	}
	if err := errors.Join(st.CheckRole(ctx), st.Close()); err != nil {
		return err
	}
	listener, err := listenOn(o.address)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	listener = server.LimitConnections(listener, o.connections)
	scheme := "http"
	if o.certificate != "" {
		scheme = "https"
		certificates, err := newCertificates(o.certificate, o.key)
		if err != nil {
			return err
		}
		listener = tls.NewListener(listener, &tls.Config{GetCertificate: certificates.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}})
	}
	config := server.Config{
		Open: p.openForUpdate, Now: p.now, Log: p.serverLog(o.logFormat), Version: provenance.Version(version), Hosts: o.hosts.Value(), BasePath: o.basePath, NoAuth: o.noAuth,
		QueryTime: o.answerTime, SQLTime: o.sqlTime, OwnerName: actor(), SSOHeader: o.ssoHeader, Rate: o.rate,
	}
	if config.TrustedProxies, err = proxyAddresses(o.proxies.Value()); err != nil {
		return err
	}
	if config.SSOScopes, err = scopesOf(cmp.Or(o.ssoScopes, string(access.Read))); err != nil {
		return err
	}
	if err := config.Check(); err != nil {
		return usage("--sso-header %s: %v (--trusted-proxy)", o.ssoHeader, err)
	}
	address := scheme + "://" + reachedAt(listener.Addr(), config.Hosts) + o.basePath
	if !o.noAuth {
		if config.Owner, err = access.NewSecret(rand.Reader); err != nil {
			return err
		}
		remove, err := remote.KeepOwner(listener.Addr().String(), config.Owner)
		if err != nil {
			return err
		}
		defer remove()
	}
	if !isWildcard(listener.Addr()) {
		if host, _, err := net.SplitHostPort(o.address); err == nil {
			config.Hosts = append(config.Hosts, host)
		}
	}
	p.notice("serving %s at %s", store.WithoutPassword(st.Path()), address)
	if isWildcard(listener.Addr()) && len(config.Hosts) == 0 {
		p.notice("requests from other machines are refused until --allowed-host says by which name they reach this one")
	}
	if o.noAuth {
		p.notice("nobody needs a token: every user of this machine may do everything")
	}
	return p.serveUntil(ctx, server.New(config), listener)
}

// serveUntil serves until ctx ends, and finishes the requests that are under way.
func (p *program) serveUntil(ctx context.Context, s *server.Server, listener net.Listener) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.Watch(watching, watchEvery)
	h := s.HTTP()
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	p.notice("stopping")
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if err := h.Shutdown(stopping); err != nil {
		return errors.Join(fmt.Errorf("some requests were not finished: %w", err), h.Close())
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (p *program) serverLog(format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(p.err, nil))
	}
	return slog.New(slog.NewTextHandler(p.err, nil))
}

// uiOptions say where the pages are, and who opens them.
type uiOptions struct {
	address   string
	noBrowser bool
}

func (p *program) uiCommand() *cli.Command {
	var o uiOptions
	return p.admitting(&cli.Command{
		Name: "ui", Usage: "look at a database in the browser", UsageText: "track ui [FLAGS]",
		Description: `Serves pages on this machine alone and opens the browser with a link that works once. Ends with Ctrl-C, or with the terminal. For a team, use
track serve: its pages are the same.

Examples:
   track ui
   track ui --db runs.db --no-browser`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Usage: "listen on `HOST:PORT` of this machine; port 0 takes one that is free", Value: "127.0.0.1:0", Destination: &o.address},
			&cli.BoolFlag{Name: "no-browser", Usage: "write the link, and open nothing", Destination: &o.noBrowser},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track ui takes no arguments")
			}
			return p.ui(c.Context, o)
		},
	})
}

func (p *program) ui(ctx context.Context, o uiOptions) (err error) {
	host, _, err := net.SplitHostPort(o.address)
	if err != nil || !isLoopback(host) {
		return usage("--addr %s: name an address of this machine alone, such as 127.0.0.1:0; for others there is track serve", o.address)
	}
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	if err := st.Close(); err != nil {
		return err
	}
	listener, err := listenOn(o.address)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	config := server.Config{Open: p.openForUpdate, Now: p.now, Log: slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: slog.LevelWarn})), Version: version, OwnerName: actor(), Hosts: []string{host}}
	if config.Owner, err = access.NewSecret(rand.Reader); err != nil {
		return err
	}
	s := server.New(config)
	link := "http://" + listener.Addr().String() + s.LoginLink()
	p.notice("%s is at %s", store.WithoutPassword(st.Path()), link)
	p.notice("the link works once; Ctrl-C ends")
	if !o.noBrowser {
		openBrowser(ctx, link)
	}
	return p.serveUntil(ctx, s, listener)
}

// openBrowser opens an address with the program of the system. Where there is none, the link is written already.
func openBrowser(ctx context.Context, address string) {
	name := map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS]
	if name == "" {
		name = "xdg-open"
	}
	command := exec.CommandContext(ctx, name, address)
	if command.Start() == nil {
		go func() { _ = command.Wait() }()
	}
}

// listenOn listens on the address of --addr.
func listenOn(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err == nil {
		return listener, nil
	}
	var of *net.OpError
	reason := err
	if errors.As(err, &of) {
		reason = of.Err
	}
	wrong := usage("--addr %s: %v", address, reason)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, track.WithHint(wrong, track.Hint{Text: "another process listens there: name another port, or 0 for one that is free"})
	}
	return nil, wrong
}

// isWildcard reports whether an address means all addresses of this machine.
func isWildcard(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsUnspecified()
}

// reachedAt returns HOST:PORT of a server that answers to localhost and to these names.
func reachedAt(a net.Addr, hosts []string) string {
	if !isWildcard(a) {
		return a.String()
	}
	host := "127.0.0.1"
	if len(hosts) > 0 {
		host = hosts[0]
	}
	return net.JoinHostPort(host, strconv.Itoa(a.(*net.TCPAddr).Port))
}

// checkHosts refuses what no request has as its host.
func checkHosts(hosts []string) error {
	for _, host := range hosts {
		if strings.ContainsAny(host, "/@[] ") || host == "" || strings.Contains(host, ":") && net.ParseIP(host) == nil {
			return usage("--allowed-host %s: name a host alone, such as track.example.org, without https:// and without a port", host)
		}
	}
	return nil
}

// certificates are the certificates of a server, read again when their file changes.
type certificates struct {
	certificate, key string

	mu     sync.Mutex
	loaded tls.Certificate
	at     time.Time // when the file was changed that was loaded
}

func newCertificates(certificate, key string) (*certificates, error) {
	c := &certificates{certificate: certificate, key: key}
	_, err := c.get(nil)
	return c, err
}

// get returns the certificate. If the files cannot be read anew, as halfway through their renewal, the one that was
// loaded stays.
func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.certificate)
	if err == nil && !info.ModTime().Equal(c.at) {
		var loaded tls.Certificate
		if loaded, err = tls.LoadX509KeyPair(c.certificate, c.key); err == nil {
			c.loaded, c.at = loaded, info.ModTime()
		}
	}
	if c.at.IsZero() {
		return nil, err
	}
	loaded := c.loaded
	return &loaded, nil
}
