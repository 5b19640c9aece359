//go:build postgres

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"track/internal/testpostgres"
)

// onlySQLite are the scripts that do not pass on PostgreSQL, or use no database there, each with the reason.
var onlySQLite = map[string]string{
	"backup":         "a server is backed up by its own tools",
	"database_names": "copies and links of files",
	"database_odd":   "pipes, links and folders that are not databases",
	"help":           "uses no database",
	"remote":         "a database that is named wins over the server that is asked",
	"status":         "the spool of a database on a server lies elsewhere",
	"serve_named":    "a database that is named wins over the server that is asked",
}

// TestScriptsPostgres runs the scripts with databases on a server. Scripts name databases as on SQLite, by files; see
// trackOnServer.
func TestScriptsPostgres(t *testing.T) {
	server := postgresServer(t)
	params := scriptParams(server)
	params.UpdateScripts = false
	params.Setup = func(env *testscript.Env) error {
		return errors.Join(setUpScript(env), env.T().(*serverScript).setUp(env, server))
	}
	testscript.RunT(&serverScript{T: t}, params)
	for name := range onlySQLite {
		if _, err := os.Stat(filepath.Join(params.Dir, name+".txtar")); err != nil {
			t.Error(err)
		}
	}
}

// serverScript is a script that runs with databases on a server. If onlySQLite names it, it is skipped when it fails,
// and fails when it passes.
type serverScript struct {
	*testing.T
	reason string // why onlySQLite names it
	used   bool   // a database on the server
}

func (s *serverScript) Run(name string, run func(t testscript.T)) {
	s.T.Run(name, func(t *testing.T) {
		script := &serverScript{T: t, reason: onlySQLite[name]}
		run(script)
		switch {
		case script.used && script.reason != "":
			t.Error("it passes on PostgreSQL: remove it from onlySQLite")
		case !script.used && script.reason == "":
			t.Error("it uses no database on the server: name it in onlySQLite")
		}
	})
}

// setUp gives a script databases on a server, which are dropped at its end.
func (s *serverScript) setUp(env *testscript.Env, server string) error {
	prefix := fmt.Sprintf("script_%d_%s__", os.Getpid(), path.Base(s.Name()))
	env.Setenv(scriptServer, server)
	env.Setenv(scriptPrefix, prefix)
	env.Defer(func() {
		var err error
		if s.used, err = usesServer(env.WorkDir); err != nil {
			s.Error(err)
		}
		if err := testpostgres.DropDatabases(server, prefix); err != nil {
			s.Error(err)
		}
	})
	return nil
}

// usesServer reports whether a file in a folder stands for a database on a server.
func usesServer(folder string) (found bool, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.Type().IsRegular() && urlIn(path) != "" {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// Verbose implements [testscript.T].
func (s *serverScript) Verbose() bool { return testing.Verbose() }

// FailNow implements [testscript.T].
func (s *serverScript) FailNow() {
	if s.reason != "" {
		s.T.Skip(s.reason)
	}
	s.T.FailNow()
}

// Fatal implements [testscript.T].
func (s *serverScript) Fatal(args ...any) {
	s.Log(args...)
	s.FailNow()
}
