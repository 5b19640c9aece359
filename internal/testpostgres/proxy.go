package testpostgres

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Fault is what a [Proxy] does to a COMMIT.
type Fault uint8

// The faults.
const (
	None       Fault = iota
	Conflict         // the transaction is rolled back, and the client hears of a serialization failure
	LostBefore       // the connection ends, and the server never hears of the COMMIT
	LostAfter        // the server commits, and the connection ends before the client hears of it
)

// Faults say what fails; each field may be nil.
type Faults struct {
	Commit    func() Fault // at each COMMIT
	Statement func() bool  // at each message of a transaction that writes: whether the connection ends
	Committed func()       // before the end of a connection after COMMIT
}

// Proxy stands between clients and a server, and makes transactions fail.
type Proxy struct {
	server   string // its address
	listener net.Listener
	faults   Faults
	asking   sync.Mutex
	all      sync.WaitGroup

	mu     sync.Mutex
	isAway bool
	open   map[net.Conn]bool // of clients
}

// NewProxy starts a proxy of the server at a URL. It ends with the test.
func NewProxy(t testing.TB, server string, faults Faults) *Proxy {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{server: u.Host, listener: listener, faults: faults, open: map[net.Conn]bool{}}
	p.all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.all.Go(func() {
				if p.enter(client) {
					p.serve(client)
				}
				p.leave(client)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		p.all.Wait()
	})
	return p
}

// SetAway ends all connections, and lets nobody connect until it is called with false.
func (p *Proxy) SetAway(isAway bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isAway = isAway; isAway {
		for client := range p.open {
			_ = client.Close()
		}
	}
}

func (p *Proxy) enter(client net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[client] = true
	return !p.isAway
}

func (p *Proxy) leave(client net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, client)
	_ = client.Close()
}

// Through returns the URL of a database of the server by way of the proxy.
func (p *Proxy) Through(t testing.TB, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = p.listener.Addr().String()
	return u.String()
}

// serve carries the messages of one connection: https://www.postgresql.org/docs/current/protocol-message-formats.html
func (p *Proxy) serve(client net.Conn) {
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	c := proxied{client: client, server: server, committed: p.faults.Committed}
	p.all.Go(func() {
		_ = c.carryAnswers() // the other direction ends with it
		_, _ = client.Close(), server.Close()
	})
	_ = c.carryStatements(p)
}

func (p *Proxy) commitFault() Fault {
	p.asking.Lock()
	defer p.asking.Unlock()
	if p.faults.Commit == nil {
		return None
	}
	return p.faults.Commit()
}

func (p *Proxy) isLostHere() bool {
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.faults.Statement != nil && p.faults.Statement()
}

// proxied is one connection.
type proxied struct {
	client, server net.Conn
	committed      func()
	mu             sync.Mutex
	fault          Fault // of the COMMIT that the server is answering
}

func (c *proxied) carryStatements(p *Proxy) error {
	isWriting := false
	in := bufio.NewReader(c.client)
	if err := carryStart(in, c.server); err != nil {
		return err
	}
	for {
		message, err := readMessage(in)
		if err != nil {
			return err
		}
		switch {
		case isWriting && !bytes.HasPrefix(message[1+4:], []byte("COMMIT")) && p.isLostHere():
			return errors.New("lost")
		case bytes.Contains(message, []byte("READ WRITE")):
			isWriting = true
		case bytes.HasPrefix(message[1+4:], []byte("ROLLBACK")):
			isWriting = false
		case bytes.Equal(message[1+4:], []byte("COMMIT\x00")):
			isWriting = false
			fault := p.commitFault()
			c.mu.Lock()
			c.fault = fault
			c.mu.Unlock()
			switch fault {
			case LostBefore:
				return errors.New("lost")
			case Conflict:
				message = newMessage('Q', "ROLLBACK\x00")
			}
		}
		if _, err := c.server.Write(message); err != nil {
			return err
		}
	}
}

// carryStart carries the first message, which has no kind.
func carryStart(in io.Reader, out io.Writer) error {
	var length [4]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		return err
	}
	if _, err := out.Write(length[:]); err != nil {
		return err
	}
	_, err := io.CopyN(out, in, int64(binary.BigEndian.Uint32(length[:]))-4)
	return err
}

func (c *proxied) carryAnswers() error {
	in := bufio.NewReader(c.server)
	for {
		message, err := readMessage(in)
		if err != nil {
			return err
		}
		c.mu.Lock()
		fault, isLast := c.fault, message[0] == 'Z'
		if isLast {
			c.fault = None
		}
		c.mu.Unlock()
		switch {
		case fault == None:
		case !isLast:
			continue
		case fault == LostAfter:
			if c.committed != nil {
				c.committed()
			}
			return errors.New("lost")
		default:
			failure := newMessage('E', "SERROR\x00VERROR\x00C40001\x00Mcould not serialize access\x00\x00")
			message = append(failure, message...)
		}
		if _, err := c.client.Write(message); err != nil {
			return err
		}
	}
}

func newMessage(kind byte, content string) []byte {
	message := binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(content)))
	return append(message, content...)
}

// readMessage reads a message: its kind, its length, and its content.
func readMessage(in io.Reader) ([]byte, error) {
	message := make([]byte, 1+4)
	if _, err := io.ReadFull(in, message); err != nil {
		return nil, err
	}
	content := make([]byte, binary.BigEndian.Uint32(message[1:])-4)
	_, err := io.ReadFull(in, content)
	return append(message, content...), err
}
