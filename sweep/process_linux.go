package sweep

import "syscall"

// processAttributes also make the end of this process, however sudden, the end of the command.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
