package provenance

import "runtime/debug"

// Version is the version of the running program: override if there is one (for a linker flag), else what the go command
// recorded, as in "v1.2.3", "devel-303e61f0a1b2+dirty" or "devel"; "unknown" for a program built without modules.
func Version(override string) string {
	if override != "" {
		return override
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOf(info)
}

// versionOf prefers the version of the module, which since Go 1.24 names revision and changes itself.
func versionOf(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	version := "devel"
	if revision := setting(info, "vcs.revision"); revision != "" {
		version += "-" + revision[:min(len(revision), 12)]
	}
	if setting(info, "vcs.modified") == "true" {
		version += "+dirty"
	}
	return version
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
