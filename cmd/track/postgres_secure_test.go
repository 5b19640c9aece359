//go:build postgres

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"track/internal/outsidetest"
	"track/internal/testpostgres"
)

// newCertificate returns a certificate of 127.0.0.1 that signs itself, and its key.
func newCertificate(t *testing.T) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "127.0.0.1"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

// secureServer returns the URL of a server at which the user ada has a password and must use TLS, as the owner of a
// schema, without the password; and the certificate of the server.
func secureServer(t *testing.T, password string) (database string, certificate []byte) {
	t.Helper()
	binaries, err := testpostgres.Binaries()
	if err != nil {
		outsidetest.Missing(t, "%v", err)
	}
	certificate, key := newCertificate(t)
	folder := testpostgres.Files(t, map[string][]byte{
		"server.crt": certificate, "server.key": key,
		"pg_hba.conf": []byte("hostnossl all track 127.0.0.1/32 trust\nhostssl all ada 127.0.0.1/32 scram-sha-256\n"),
	})
	server, err := testpostgres.Start(binaries, "ssl=on", "ssl_cert_file="+filepath.Join(folder, "server.crt"), "ssl_key_file="+filepath.Join(folder, "server.key"),
		"hba_file="+filepath.Join(folder, "pg_hba.conf"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := server.Exec("CREATE ROLE ada LOGIN PASSWORD '" + password + "'; CREATE ROLE track_query ROLE ada; CREATE SCHEMA ada AUTHORIZATION ada"); err != nil {
		t.Fatal(err)
	}
	return testpostgres.With(t, server.URL, map[string]string{"user": "ada", "sslmode": "require", "search_path": "ada"}), certificate
}

// withPassword returns the URL of a database with a password.
func withPassword(t *testing.T, database, password string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}

// TLS works with every mode that the page names, passwords come from everywhere that it names, and no password is seen
// again.
func TestSecurePostgres(t *testing.T) {
	const password, wrong = "kD82hfQz91LmXw34", "vT63jsPb50NcRy71"
	database, certificate := secureServer(t, password)
	other, _ := newCertificate(t)
	dir := t.TempDir()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{
		"ca.pem": string(certificate), "other.pem": string(other),
		"passwords":    fmt.Sprintf("127.0.0.1:%s:postgres:ada:%s\n", u.Port(), password),
		"services":     fmt.Sprintf("[lab]\nhost=127.0.0.1\nport=%s\ndbname=postgres\nuser=ada\npassword=%s\nsslmode=require\n", u.Port(), password),
		"s.yaml":       "scenario: s\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1}\n",
		"v.json":       `{"a":0.5}`,
		"simulator.sh": "#!/bin/sh\ntr '\\0' ' ' < /proc/$$/cmdline >&2\necho '{\"a\":0.5}'\n",
	})
	var printed bytes.Buffer
	run := func(environment []string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command("track", args...)
		cmd.Dir, cmd.Env = dir, slices.Concat(environ(), environment)
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		printed.Write(out)
		return string(out), cmd.ProcessState.ExitCode()
	}
	in := func(database string) []string { return []string{"TRACK_DB=" + database} }
	withFile := append(in(database), "PGPASSFILE="+filepath.Join(dir, "passwords"))
	must := func(environment []string, args ...string) {
		t.Helper()
		if out, code := run(environment, args...); code != exitOK {
			t.Errorf("track %s: exit code %d: %s", strings.Join(args, " "), code, out)
		}
	}
	full := testpostgres.With(t, database, map[string]string{"sslmode": "verify-full", "sslrootcert": filepath.Join(dir, "ca.pem")})
	must(in(withPassword(t, database, password)), "init")
	for _, args := range [][]string{
		{"spec", "add", "s.yaml"}, {"record", "seed", "--scenario", "s", "--seed", "1", "v.json"}, {"sweep", "--scenario", "s", "--seeds", "2..3", "--", "sh", "simulator.sh"},
		{"show", "seed", "s", "1"}, {"show", "seed", "s", "2", "--format", "json"}, {"report", "index", "-o", "reports/index.html"}, {"export", "lines", "-o", "all.jsonl"}, {"query", "SELECT * FROM v_seed"},
	} {
		must(in(withPassword(t, full, password)), args...)
	}
	must(in(database+"&password="+password), "seeds")
	must(withFile, "seeds")
	must([]string{"TRACK_DB=postgres://?search_path=ada", "PGSERVICE=lab", "PGSERVICEFILE=" + filepath.Join(dir, "services")}, "seeds")

	for name, test := range map[string]struct {
		environment []string
		want        string
	}{
		"another authority": {append(withFile, in(testpostgres.With(t, full, map[string]string{"sslrootcert": filepath.Join(dir, "other.pem")}))...), "the server does not prove that it is the one that the URL names"},
		"a wrong password":  {in(withPassword(t, database, wrong)), "the server refused the user or the password"},
		"no password":       {in(database), "the server refused the user or the password"},
		"no TLS":            {in(withPassword(t, testpostgres.With(t, database, map[string]string{"sslmode": "disable"}), password)), "the server refused the user or the password"},
		"no database":       {in(withPassword(t, testpostgres.With(t, database, map[string]string{"dbname": "nosuch"}), password)), "the server has no such database"},
		"no schema":         {in(withPassword(t, testpostgres.With(t, database, map[string]string{"search_path": "nosuch"}), password)), "does not exist"},
		"no port":           {in("postgres://ada:" + password + "@127.0.0.1:x/postgres"), "the URL of the database"},
		"a wrong mode":      {in(withPassword(t, testpostgres.With(t, database, map[string]string{"sslmode": "sometimes"}), password)), "the URL of the database"},
	} {
		for _, args := range [][]string{{"seeds"}, {"record", "seed", "--scenario", "s", "--seed", "9", "v.json"}} {
			if out, code := run(test.environment, args...); code == exitOK || !strings.Contains(out, test.want) {
				t.Errorf("%s: track %s: exit code %d, %s, want %q", name, args[0], code, out, test.want)
			}
		}
	}
	for _, secret := range []string{password, wrong} {
		if strings.Contains(printed.String(), secret) {
			t.Errorf("printed: %s", printed.String())
		}
	}
	expectNowhere(t, dir, password, "passwords", "services")
}

// expectNowhere wants that no file below a folder holds a secret, but for some.
func expectNowhere(t *testing.T, dir, secret string, but ...string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || slices.Contains(but, entry.Name()) {
			return err
		}
		data, err := os.ReadFile(path)
		if n++; bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s holds the password", path)
		}
		return err
	})
	if err != nil || n < 7 {
		t.Errorf("%d files were read, error %v", n, err)
	}
}
