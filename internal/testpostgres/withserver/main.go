// Command withserver runs a command with a PostgreSQL server, whose URL is in TRACK_TEST_POSTGRES.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"track/internal/testpostgres"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "withserver:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	if len(args) == 0 {
		return errors.New("usage: withserver COMMAND [ARGUMENTS]")
	}
	binaries, err := testpostgres.Binaries()
	if err != nil {
		return err
	}
	server, err := testpostgres.Start(binaries)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	command := exec.Command(args[0], args[1:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.Env = append(os.Environ(), testpostgres.Variable+"="+server.URL)
	return command.Run()
}
