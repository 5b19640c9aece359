package provenance

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// Changes returns the differences between the tracked files of the git repository around dir and its commit, as git
// diff writes them. It returns at most so many bytes, followed by a note if there were more.
func Changes(ctx context.Context, dir string, most int, patience Patience) (string, error) {
	ctx, done := patience.begin(ctx)
	defer done()
	tree, err := findWorkTree(dir)
	if err != nil {
		return "", err
	}
	out, cut, err := tree.git(ctx, most, "-c", "core.fsmonitor=", "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=diff", "HEAD")
	if err != nil {
		return "", err
	}
	if cut {
		return string(out) + fmt.Sprintf("\n# cut after %d bytes\n", most), nil
	}
	return string(out), nil
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
	text := string(output.bytes)
	if output.cut {
		text += fmt.Sprintf("\n# cut after %d bytes\n", most)
	}
	return text, nil
}
