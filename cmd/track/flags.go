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
