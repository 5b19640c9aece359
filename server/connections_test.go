package server_test

import (
	"net"
	"testing"

	"track/server"
)

// The address that crowds a server loses its own connections, and not those of others.
func TestConnectionsOfCrowdedAddressAreClosed(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := server.LimitConnections(inner, 3)
	defer func() { _ = listener.Close() }()
	dial := func(from string) net.Conn {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := dialer.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		held, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = held.Close() })
		return held
	}
	quiet := dial("127.0.0.1")
	var crowd []net.Conn
	for range 4 {
		crowd = append(crowd, dial("127.0.0.2"))
	}
	isOpen := func(c net.Conn) bool {
		_, err := c.Write([]byte("x"))
		return err == nil
	}
	if !isOpen(quiet) || isOpen(crowd[0]) || isOpen(crowd[1]) || !isOpen(crowd[2]) || !isOpen(crowd[3]) {
		t.Errorf("open: other address %v, crowded address %v %v %v %v; want true, false false true true",
			isOpen(quiet), isOpen(crowd[0]), isOpen(crowd[1]), isOpen(crowd[2]), isOpen(crowd[3]))
	}
}
