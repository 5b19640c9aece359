package main

import (
	"errors"
	"net"
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
