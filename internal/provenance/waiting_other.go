//go:build !unix

package provenance

import "os/exec"

const openWithoutWaiting = 0

// killWithChildren does nothing here: the command alone is killed, and its children are no longer listened to.
func killWithChildren(*exec.Cmd) {}
