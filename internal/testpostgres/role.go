package testpostgres

import (
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// Role creates a role with options such as CONNECTION LIMIT 1, and returns its name. The role is dropped with all that it
// owns in the database of the URL when the test ends.
func Role(t testing.TB, server, options string) string {
	t.Helper()
	name := "role_" + strconv.FormatInt(time.Now().UnixNano(), 36) + "_" + strconv.Itoa(os.Getpid())
	if err := Exec(server, "CREATE ROLE "+name+" LOGIN "+options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Exec(server, "SET client_min_messages = warning; DROP OWNED BY "+name+" CASCADE; DROP ROLE "+name); err != nil {
			t.Error(err)
		}
	})
	return name
}

// With returns the URL of a database with some of its parameters set, or removed if the value is empty. The parameter
// user is the user of the URL, and dbname its database.
func With(t testing.TB, database string, parameters map[string]string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	for name, value := range parameters {
		switch {
		case name == "user":
			u.User = url.User(value)
		case name == "dbname":
			u.Path = "/" + value
		case value == "":
			query.Del(name)
		default:
			query.Set(name, value)
		}
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// Files writes files into a new folder, readable by the user that servers run as, and returns it.
func Files(t testing.TB, files map[string][]byte) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "track-postgres-files-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	attributes, err := (&Server{folder: folder}).unprivileged()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if attributes == nil {
			continue
		}
		if err := os.Chown(path, int(attributes.Credential.Uid), int(attributes.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// LetQuery grants the role of queries to another role, and creates it first if need be.
func LetQuery(t testing.TB, server, role string) {
	t.Helper()
	createRole(t, server, "track_query", "")
	if err := Exec(server, "GRANT track_query TO "+role); err != nil {
		t.Fatal(err)
	}
}

// createRole creates a role unless it exists. Another test may do it at the same time.
func createRole(t testing.TB, server, name, options string) {
	t.Helper()
	err := Exec(server, `DO $$ BEGIN
	    CREATE ROLE `+name+` `+options+`;
	EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
	END $$`)
	if err != nil {
		t.Fatal(err)
	}
}

// Served returns the URL of a database for a server of track, whose user is no superuser and may write the tables.
func Served(t testing.TB, database string) string {
	t.Helper()
	createRole(t, database, "served", "LOGIN")
	LetQuery(t, database, "served")
	err := Exec(database, `DO $$ BEGIN
	    EXECUTE format('GRANT USAGE ON SCHEMA %1$I TO served; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %1$I TO served', current_schema());
	END $$`)
	if err != nil {
		t.Fatal(err)
	}
	return With(t, database, map[string]string{"user": "served"})
}
