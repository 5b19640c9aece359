package provenance

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	const revision = "303e61f0a1b2c3d4e5f60718293a4b5c6d7e8f90"
	cases := []struct {
		name, version, revision, modified, want string
	}{
		{"installed", "v1.2.3", "", "", "v1.2.3"},
		{"built at a tag", "v1.2.3", revision, "false", "v1.2.3"},
		{"built from changed files", "v1.2.4-0.20260101000000-303e61f0a1b2+dirty", revision, "true", "v1.2.4-0.20260101000000-303e61f0a1b2+dirty"},
		{"not stamped", "(devel)", "", "", "devel"},
		{"no version", "", revision, "false", "devel-303e61f0a1b2"},
		{"no version, changed files", "(devel)", revision, "true", "devel-303e61f0a1b2+dirty"},
		{"short revision", "(devel)", "abc", "false", "devel-abc"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: c.revision}, {Key: "vcs.modified", Value: c.modified},
			}}
			if got := versionOf(info); got != c.want {
				t.Errorf("version %q, want %q", got, c.want)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	if got := Version("v9.9.9"); got != "v9.9.9" {
		t.Errorf("override gives %q", got)
	}
	if got := Version(""); got == "" {
		t.Error("no version at all")
	}
}

func BenchmarkVersion(b *testing.B) {
	for b.Loop() {
		Version("")
	}
}
