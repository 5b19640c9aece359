//go:build unix

package provenance

import (
	"os/exec"
	"syscall"
)

// killWithChildren makes the end of the command's context kill also the children that the command started.
func killWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
