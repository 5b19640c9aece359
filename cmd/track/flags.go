package main

import "github.com/urfave/cli/v2"

// optional returns the number that a flag was given; nil if it was not given.
func optional(c *cli.Context, name string) *float64 {
	if !c.IsSet(name) {
		return nil
	}
	x := c.Float64(name)
	return &x
}

// maxSizeFlag says what a file may hold that is unpacked into the memory or onto the disk.
func (p *program) maxSizeFlag() cli.Flag {
	return &cli.GenericFlag{Name: "max-size", Usage: "read a file that holds up to `SIZE` when it is unpacked, such as 512MiB or 4GB", Value: &p.maxSize}
}
