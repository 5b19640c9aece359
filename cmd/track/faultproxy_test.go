package main

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// answerFault is what a proxy does to an answer.
type answerFault uint8

const (
	carried  answerFault = iota
	dropped              // the connection ends before the client hears anything
	cutShort             // half of the answer comes, and then the connection ends
	delayed
	doubled // the answer comes twice
)

// step is how far a request has come.
type step uint8

const (
	connected step = iota
	halfAsked      // half of the request has reached the server
	asked          // all of it
	answered       // the server has answered, and the client has yet to hear of it
	heard          // the client has the answer
	allSteps
)

// faultProxy carries TCP connections to a server, and makes answers fail.
type faultProxy struct {
	address string // of the proxy, for clients

	server string
	all    sync.WaitGroup

	mu     sync.Mutex
	faults []answerFault // of the answers to come; those after them are carried
	when   step
	act    func() // at the first time that a request comes to this step; nil after that
}

// newFaultProxy starts a proxy of the server at an address. It ends with the test.
func newFaultProxy(t *testing.T, server string) *faultProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &faultProxy{address: "http://" + listener.Addr().String(), server: strings.TrimPrefix(server, "http://")}
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	p.all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[client] = true
			mu.Unlock()
			p.all.Go(func() { p.carry(client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for client := range open {
			_ = client.Close()
		}
		mu.Unlock()
		p.all.Wait()
	})
	return p
}

// spoil has the next answers fail.
func (p *faultProxy) spoil(faults ...answerFault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = faults
}

// once calls act when the next request comes to a step.
func (p *faultProxy) once(when step, act func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.when, p.act = when, act
}

func (p *faultProxy) come(to step) {
	p.mu.Lock()
	act := p.act
	if act != nil && p.when == to {
		p.act = nil
	} else {
		act = nil
	}
	p.mu.Unlock()
	if act != nil {
		act()
	}
}

func (p *faultProxy) nextFault() answerFault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.faults) == 0 {
		return carried
	}
	next := p.faults[0]
	p.faults = p.faults[1:]
	return next
}

func (p *faultProxy) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	p.come(connected)
	p.all.Go(func() {
		_ = eachPart(client, func(part []byte) error {
			for i, half := range [][]byte{part[:len(part)/2], part[len(part)/2:]} {
				if _, err := server.Write(half); err != nil {
					return err
				}
				p.come([]step{halfAsked, asked}[i])
			}
			return nil
		})
		_ = server.(*net.TCPConn).CloseWrite() // as the client did
	})
	_ = eachPart(server, func(part []byte) error {
		p.come(answered)
		err := spoilt(client, part, p.nextFault())
		p.come(heard)
		return err
	})
}

// eachPart calls take for what is read at once.
func eachPart(from io.Reader, take func(part []byte) error) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if taken := take(buffer[:n]); taken != nil {
				return taken
			}
		}
		if err != nil {
			return err
		}
	}
}

// spoilt writes an answer with a fault. An error ends the connection.
func spoilt(to io.Writer, answer []byte, fault answerFault) error {
	switch fault {
	case dropped:
		return io.ErrClosedPipe
	case cutShort:
		_, _ = to.Write(answer[:len(answer)/2]) // the client may have gone
		return io.ErrClosedPipe
	case delayed:
		<-time.After(300 * time.Millisecond)
	case doubled:
		answer = append(answer, answer...)
	case carried:
	}
	_, err := to.Write(answer)
	return err
}
