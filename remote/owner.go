package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"track/access"
)

// The token of whoever started a server lies in a file that only this user can read, named after the address that the
// server listens on.

// KeepOwner keeps the token of whoever started the server at a host and port, for [ownerSecret], until remove is called.
func KeepOwner(hostPort string, secret access.Secret) (remove func(), err error) {
	path, err := ownerFile(hostPort)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a server that was killed
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err = fmt.Fprintln(file, secret); err != nil {
		_ = file.Close()
		return nil, err
	}
	return func() { _ = os.Remove(path) }, file.Close()
}

// ownerSecret returns the token of this user for a server on this machine; empty if the user did not start one at that
// address.
func ownerSecret(address string) access.Secret {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host, port := u.Hostname(), u.Port()
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return ""
	}
	path, err := ownerFile(net.JoinHostPort(host, port))
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	secret, err := access.ParseSecret(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return secret
}

func ownerFile(hostPort string) (string, error) {
	settings, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(settings, "track", "serving", url.PathEscape(hostPort)), nil
}

// SpoolDir returns the folder of what waits to be sent to the server at an address.
func SpoolDir(address string) (string, error) {
	settings, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(strings.TrimSuffix(address, "/")))
	return filepath.Join(settings, "track", "servers", hex.EncodeToString(hash[:8]), "spool"), nil
}
