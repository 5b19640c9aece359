package provenance

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	env := Environment("v1.2.3")
	want := []string{"arch", "cpu_model", "cpus", "host", "os", "track_version"}
	if got := slices.Sorted(maps.Keys(env)); !slices.Equal(got, want) {
		t.Errorf("names are %q, want %q", got, want)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"host": host, "os": runtime.GOOS, "arch": runtime.GOARCH, "cpus": strconv.Itoa(runtime.NumCPU()), "track_version": "v1.2.3",
	} {
		if env[name] != want {
			t.Errorf("%s = %q, want %q", name, env[name], want)
		}
	}
	if again := Environment("v1.2.3"); !maps.Equal(env, again) {
		t.Errorf("the same machine is %v and %v", env, again)
	}
}

// TestEnvironmentHoldsNoSecrets sets variables that programs are known to take for what the fingerprint holds, too.
func TestEnvironmentHoldsNoSecrets(t *testing.T) {
	const secret = "s3cr3t-8c1f2d"
	for _, name := range []string{"TRACK_TEST_TOKEN", "AWS_SECRET_ACCESS_KEY", "HOSTNAME", "HOST", "COMPUTERNAME", "USER", "GOOS", "GOARCH", "GOMAXPROCS", "VERSION"} {
		t.Setenv(name, secret)
	}
	for name, value := range Environment(Version("")) {
		if strings.Contains(value, secret) || strings.Contains(name, secret) {
			t.Errorf("%s = %q holds the value of an environment variable", name, value)
		}
	}
}

func TestParseCPUModel(t *testing.T) {
	for cpuinfo, want := range map[string]string{
		"": "",
		"processor\t: 0\nmodel\t\t: 17\nmodel name\t: Some CPU: 2 GHz\nstepping: 1\nmodel name\t: Other\n": "Some CPU: 2 GHz",
		"model name\t: cut":                "cut",
		"processor\t: 0\nBogoMIPS\t: 48\n": "", // as on ARM
		"model name\n":                     "",
		"\xff\x00:::\n\n:":                 "",
	} {
		if got := parseCPUModel([]byte(cpuinfo)); got != want {
			t.Errorf("parseCPUModel(%q) = %q, want %q", cpuinfo, got, want)
		}
	}
}

func BenchmarkEnvironment(b *testing.B) {
	for b.Loop() {
		Environment("v1.2.3")
	}
}
