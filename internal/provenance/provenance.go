// Package provenance finds out where a recorded seed came from: the revision of the code in a folder, the machine,
// and the version of this program. The notice of an [Origin] says what is unknown, why, and what helps.
//
// [Find] runs `git status`, and `git diff` if tracked files are changed. They start no daemon, and leave the repository
// as it was. The diff hash tells different edits of one commit apart: the SHA-256 of the masked changes.
//
// If git is missing, fails or takes longer than 30 s, or if the changes are too large, the state of the code is
// unknown. The revision then has a mark that no other one has, and the commit if `git rev-parse` still gives it.
// Outside of a git repository the revision is empty.
//
// Untracked files do not count: a results file written by the run would otherwise make every seed another revision.
// Nor do files count that git was told to overlook (skip-worktree, assume-unchanged). [FindFiles] finds the files that
// runs depend on, and [Files.Hash] identifies those that the commit does not hold.
package provenance

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"track"
)

// Origin is where a seed came from.
type Origin struct {
	Revision    track.Revision
	Environment track.Environment // if the state of the code is unknown, git_state says why
	Notice      string            // for people: why something is missing; empty if nothing is
	tree        workTree          // whose code the revision names; empty if it was declared or is unknown
}

// Find returns the origin of seeds that are recorded from the working directory by a program of the given version. If
// the user declared a commit, git is not asked. If the state of the code is unknown, each call returns another
// revision.
func Find(ctx context.Context, declaredCommit, version string, patience Patience) Origin {
	origin := Origin{Revision: track.Revision{Commit: declaredCommit}, Environment: Environment(version)}
	if declaredCommit != "" {
		return origin
	}
	ctx, done := patience.begin(ctx)
	defer done()
	code := findCode(ctx, "")
	origin.Revision, origin.Notice, origin.tree = code.revision, code.notice, code.tree
	if code.unknown != "" {
		var mark [16]byte
		_, _ = rand.Read(mark[:]) // never fails
		origin.Revision.Unknown = hex.EncodeToString(mark[:])
		origin.Environment["git_state"] = "unknown: " + code.unknown
		origin.Notice = "the state of the code is unknown, so these seeds are a configuration of their own: " + code.unknown
		origin.tree = ""
	}
	return origin
}

// HasChanged reports whether the code in the working directory differs from a revision. The error says why that is
// unknown.
func HasChanged(ctx context.Context, from track.Revision, patience Patience) (bool, error) {
	ctx, done := patience.begin(ctx)
	defer done()
	code := findCode(ctx, "")
	if code.unknown != "" {
		return false, errors.New(code.unknown)
	}
	return code.revision != from, nil
}

// Libraries returns what a command of the shell prints, as pip freeze does, at most so many bytes.
func Libraries(ctx context.Context, command string, most int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	output, complaint := limitedBuffer{max: most}, limitedBuffer{max: maxStderr}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &output, &complaint, time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w %s", command, err, firstLine(complaint.bytes))
	}
	return output.text(), nil
}

// Environment is the fingerprint of the machine and the program, by these names; what cannot be found out is empty.
//
//	host           name of the machine
//	os, arch       as Go names them: linux, amd64
//	cpus           logical processors that this process may use
//	cpu_model      as the processor names itself; Linux on x86 only
//	track_version  version as given, see [Version]
//
// Nothing is taken from environment variables: they hold secrets.
func Environment(version string) map[string]string {
	host, _ := os.Hostname() // empty if there is none
	start := make([]byte, 4<<10)
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		n, _ := f.Read(start) // the first processor is enough
		start = start[:n]
		f.Close()
	}
	return map[string]string{
		"host": host, "os": runtime.GOOS, "arch": runtime.GOARCH, "cpus": strconv.Itoa(runtime.NumCPU()), "cpu_model": parseCPUModel(start),
		"track_version": version,
	}
}

func parseCPUModel(cpuinfo []byte) string {
	for line := range bytes.Lines(cpuinfo) {
		name, value, ok := bytes.Cut(line, []byte(":"))
		if ok && string(bytes.TrimSpace(name)) == "model name" {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

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
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	version := "devel"
	if revision := settings["vcs.revision"]; revision != "" {
		version += "-" + revision[:min(len(revision), 12)]
	}
	if settings["vcs.modified"] == "true" {
		version += "+dirty"
	}
	return version
}
