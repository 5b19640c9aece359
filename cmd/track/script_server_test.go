package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"track/internal/testpostgres"
	"track/store"
)

// The variables of the environment of a script that uses a server.
const (
	scriptServer = "TRACK_SCRIPT_SERVER" // its URL
	scriptPrefix = "TRACK_SCRIPT_PREFIX" // of the names of the script's databases
)

// trackOnServer runs track with databases on a server instead of files: a database's file holds its URL. Each argument
// that names such a file becomes the URL, and the URL in what track prints becomes the name again. Files of SQLite are
// used as they are.
func trackOnServer(server string) int {
	db := serverDatabases{server: server, prefix: os.Getenv(scriptPrefix)}
	args := slices.Clone(os.Args)
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	named := false
	for i, arg := range args[:end] {
		value, isFlag := strings.CutPrefix(arg, "--db=")
		switch {
		case isFlag:
			args[i], named = "--db="+db.url(value), true
		case i > 0 && args[i-1] == "--db":
			args[i], named = db.url(arg), true
		case i > 0 && args[i-1] != "-o":
			args[i] = db.existing(arg)
		}
	}
	variable, isSet := os.LookupEnv("TRACK_DB")
	if !named {
		if !isSet {
			variable, isSet = defaultDatabase(strings.Join(args[1:min(2, len(args))], "")), true
		}
		variable = db.url(variable)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	out, errOut := db.named(os.Stdout), db.named(os.Stderr)
	code := run(ctx, args, os.Stdin, out, errOut, func(name string) (string, bool) {
		if name == "TRACK_DB" {
			return variable, isSet
		}
		return os.LookupEnv(name)
	})
	if err := db.mark(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// defaultDatabase returns the file of the database that a command uses if none is named.
func defaultDatabase(command string) string {
	if dir, err := os.Getwd(); err == nil && command != "init" {
		if found, err := store.Find(dir); err == nil {
			return found
		}
	}
	return filepath.Join(store.DefaultDir, store.DefaultFile)
}

// serverDatabases are the databases of one run.
type serverDatabases struct {
	server, prefix string
	used           []serverDatabase
}

// serverDatabase is a database that the run uses.
type serverDatabase struct {
	url, file string
	isNew     bool
}

// existing returns the URL of the database that a file stands for; any other argument as it is.
func (d *serverDatabases) existing(file string) string {
	url := urlIn(file)
	if url == "" {
		return file
	}
	d.used = append(d.used, serverDatabase{url: url, file: file})
	return url
}

// url returns the URL of the database that a file stands for, which it creates if there is no such file.
func (d *serverDatabases) url(file string) string {
	if url := d.existing(file); url != file || file == "" || store.IsServer(file) {
		return url
	}
	if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
		return file
	}
	folder := filepath.Dir(file)
	if _, err := os.Stat(folder); err != nil && filepath.Base(folder) != store.DefaultDir {
		return file // track says that there is no such folder
	}
	url, err := testpostgres.CreateDatabase(d.server, scriptDatabase(d.prefix, file))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	d.used = append(d.used, serverDatabase{url: url, file: file, isNew: true})
	return url
}

// urlIn returns the URL in a file that stands for a database on a server; empty for any other file.
func urlIn(file string) string {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil || !store.IsServer(string(text)) {
		return ""
	}
	return string(text)
}

// scriptDatabase returns the name of the database that a file stands for.
func scriptDatabase(prefix, file string) string {
	if path, err := filepath.Abs(file); err == nil {
		file = path
	}
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, file)
	return fmt.Sprintf("%s%x", prefix, hash.Sum32())
}

// mark writes the files of databases that the run has created.
func (d *serverDatabases) mark() (err error) {
	for _, used := range d.used {
		if !used.isNew {
			continue
		}
		exists, tableErr := testpostgres.HasTable(used.url, "goose_db_version")
		err = errors.Join(err, tableErr)
		if exists {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(used.file), 0o777), os.WriteFile(used.file, []byte(used.url), 0o666))
		}
	}
	return err
}

// named returns a writer on which the URLs of databases become the names of their files.
func (d *serverDatabases) named(stream *os.File) io.Writer {
	if isTerminal(stream) {
		return stream
	}
	var words []string
	for _, used := range d.used {
		words = append(words, "'"+used.url+"'", used.file, used.url, used.file)
	}
	return namingWriter{stream, strings.NewReplacer(words...)}
}

type namingWriter struct {
	io.Writer
	names *strings.Replacer
}

// Write implements [io.Writer]. Track writes a URL at once.
func (w namingWriter) Write(text []byte) (int, error) {
	_, err := w.names.WriteString(w.Writer, string(text))
	return len(text), err
}
