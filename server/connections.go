package server

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// LimitConnections returns a listener that holds so many connections at once. If another one comes, one that waits for
// a request is closed: the one that has waited longest, of the address that has the most connections. If all are being
// answered, the new one waits.
func LimitConnections(listener net.Listener, most int) net.Listener {
	l := &limitedListener{Listener: listener, most: most}
	l.changed.L = &l.mu
	l.byAddress = map[string]int{}
	return l
}

type limitedListener struct {
	net.Listener
	most int

	mu        sync.Mutex
	changed   sync.Cond
	n         int            // of connections
	byAddress map[string]int // number of connections, by the address they come from
	waiting   list.List      // of *heldConn without a request, longest first
	isClosed  bool
}

func (l *limitedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.n >= l.most && !l.isClosed {
		if held := l.mostIdle(); held != nil {
			l.release(held)
			_ = held.Conn.Close()
		} else {
			l.changed.Wait()
		}
	}
	if l.isClosed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	held := &heldConn{Conn: conn, listener: l, address: addressOf(conn)}
	held.place = l.waiting.PushBack(held)
	l.n++
	l.byAddress[held.address]++
	return held, nil
}

// addressOf returns the address that a connection comes from, without its port.
func addressOf(conn net.Conn) string {
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil {
		return conn.RemoteAddr().String()
	}
	return host
}

// mostIdle returns the connection to close for another one; nil if none waits. The lock must be held.
func (l *limitedListener) mostIdle() (held *heldConn) {
	for e := l.waiting.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*heldConn); held == nil || l.byAddress[c.address] > l.byAddress[held.address] {
			held = c
		}
	}
	return held
}

func (l *limitedListener) Close() error {
	l.mu.Lock()
	l.isClosed = true
	l.changed.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// release gives the place of a connection to another one. The lock must be held.
func (l *limitedListener) release(held *heldConn) {
	if held.isReleased {
		return
	}
	l.takeFromWaiting(held)
	held.isReleased = true
	l.n--
	if l.byAddress[held.address]--; l.byAddress[held.address] == 0 {
		delete(l.byAddress, held.address)
	}
	l.changed.Signal()
}

func (l *limitedListener) takeFromWaiting(held *heldConn) {
	if held.place != nil {
		l.waiting.Remove(held.place)
		held.place = nil
	}
}

// heldConn is a connection of a [limitedListener].
type heldConn struct {
	net.Conn
	listener   *limitedListener
	address    string
	place      *list.Element // among those that wait; nil while a request is answered
	isReleased bool
}

func (c *heldConn) Close() error {
	c.listener.mu.Lock()
	c.listener.release(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// setWaiting says whether a connection waits for a request.
func (c *heldConn) setWaiting(waits bool) {
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	l.takeFromWaiting(c)
	if waits && !c.isReleased {
		c.place = l.waiting.PushBack(c)
		l.changed.Signal()
	}
}

type heldKey struct{}

// withHeld is the ConnContext of an [http.Server].
func withHeld(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, heldKey{}, heldOf(conn))
}

func heldOf(conn net.Conn) *heldConn {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	held, _ := conn.(*heldConn)
	return held
}

// noteIdle is the ConnState of an [http.Server].
func noteIdle(conn net.Conn, state http.ConnState) {
	if held := heldOf(conn); held != nil && state == http.StateIdle {
		held.setWaiting(true)
	}
}

// answering notes that the connection of a request no longer waits for one.
func answering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if held, _ := r.Context().Value(heldKey{}).(*heldConn); held != nil {
			held.setWaiting(false)
		}
		next.ServeHTTP(w, r)
	})
}
