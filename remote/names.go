package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
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
