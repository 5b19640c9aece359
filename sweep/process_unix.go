//go:build unix

package sweep

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup puts the command into a process group of its own: a Ctrl-C on the terminal is not for it, and it is killed with its children.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = processAttributes()
}

// killGroup asks the group of a process to end, or ends it.
func killGroup(p *os.Process, forGood bool) {
	signal := syscall.SIGTERM
	if forGood {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-p.Pid, signal) // it may be gone
}

func exitOf(state *os.ProcessState) (code *int, signal string) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return nil, unix.SignalName(status.Signal())
	}
	n := state.ExitCode()
	return &n, ""
}

func usageOf(state *os.ProcessState) (*time.Duration, *int64) {
	cpu := state.UserTime() + state.SystemTime()
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return &cpu, nil
	}
	rss := int64(usage.Maxrss)
	if runtime.GOOS != "darwin" {
		rss <<= 10
	}
	return &cpu, &rss
}
