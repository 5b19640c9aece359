package main

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"syscall"

	"track"
)

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
