package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"track"
	"track/access"
	"track/answer"
)

// Named is a server that the user gave a name. It lies in a file of that name, which only this user can read.
type Named struct {
	Name   string        `json:"-"`
	URL    string        `json:"url"`
	Secret access.Secret `json:"token,omitzero"`
}

const namedSuffix = ".json"

// CheckName returns an error if a text cannot be the name of a server.
func CheckName(name string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`).MatchString(name) {
		return fmt.Errorf("%w: %q cannot name a server: use letters, digits, dots, hyphens and underscores, at most 64", track.ErrInvalid, name)
	}
	return nil
}

// IsName reports whether a text names a server, and is not its address.
func IsName(text string) bool { return CheckName(text) == nil }

// Add keeps a server under a name, which is not given twice.
func Add(name, address string, secret access.Secret) (n Named, err error) {
	if err := CheckName(name); err != nil {
		return n, err
	}
	client, err := New(strings.TrimSuffix(address, "/"), secret)
	if err != nil {
		return n, err
	}
	n = Named{Name: name, URL: client.Address(), Secret: secret}
	path, err := namedFile(name)
	if err != nil {
		return n, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return n, err
	}
	if _, err := os.Lstat(path); err == nil {
		return n, track.WithHint(fmt.Errorf("%w: a server %s was added before", track.ErrConflict, n.Name), track.NewHint("remove it first", "remote", "remove", n.Name))
	}
	return n, n.write(path)
}

// Client returns a client of the server, with the token that belongs to the name.
func (n Named) Client() (*Client, error) {
	c, err := New(n.URL, n.Secret)
	if err == nil {
		c.name = n.Name
	}
	return c, err
}

// write makes the file as a whole: it is there with all of its content, or it is not.
func (n Named) write(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if err := errors.Join(answer.Encode(file, n), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Find returns the server of a name.
func Find(name string) (n Named, err error) {
	path, err := namedFile(name)
	if err != nil {
		return n, err
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("server %s: %w", name, track.ErrNotFound)
		return n, track.WithHint(err, track.NewHint("add it", "remote", "add", name, "https://track.example.org"))
	}
	if err != nil {
		return n, err
	}
	defer func() { _ = file.Close() }()
	if err := checkPrivate(file); err != nil {
		return n, err
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(file); err != nil {
		return n, err
	}
	if err := answer.Decode(&text, &n); err != nil {
		// What cannot be read may hold a token, so that it is not quoted.
		return Named{}, track.WithHint(fmt.Errorf("%w: %s does not say where the server %s is", track.ErrInvalid, path, name), track.NewHint("remove it, and add it again", "remote", "remove", name))
	}
	n.Name = name
	return n, nil
}

// checkPrivate refuses a file that others can read: they may have its token.
func checkPrivate(file *os.File) error {
	info, err := file.Stat()
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return track.WithHint(fmt.Errorf("%w: %s has mode %04o: others may have read its token", track.ErrInvalid, file.Name(), info.Mode().Perm()),
		track.Hint{Text: "revoke the token on the server, remove the name with track remote remove, and add it again with a new token"})
}

// FindAll returns all servers that have names, in the order of the names.
func FindAll() (list []Named, err error) {
	path, err := namedFile("")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		name, isNamed := strings.CutSuffix(entry.Name(), namedSuffix)
		if !isNamed || !IsName(name) {
			continue
		}
		n, err := Find(name)
		if errors.Is(err, track.ErrNotFound) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, err
}

// Remove forgets the server of a name, and its token.
func Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	path, err := namedFile(name)
	if err != nil {
		return err
	}
	if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("server %s: %w", name, track.ErrNotFound)
	}
	return err
}

func namedFile(name string) (string, error) {
	settings, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(settings, "track", "remotes", name+namedSuffix), nil
}

// The token of whoever started a server lies in a file that only this user can read, named after the address that the
// server listens on.

// KeepOwner keeps the token of whoever started the server at a host and port, for [ownerSecret], until remove is
// called.
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
