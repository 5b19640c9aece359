package main

import (
	"io"
	"os"

	"track/reports/escape"
)

func formatKnown(format string) bool {
	switch format {
	case "table", "json", "jsonl", "csv", "md":
		return true
	}
	return false
}

// text returns standard output for texts that are written as they are recorded. On a terminal nothing in them steers
// it.
func (p *program) text() io.Writer {
	if isTerminal(p.out) {
		return escape.Writer(p.out)
	}
	return p.out
}

func isTerminal(stream any) bool {
	if answers, ok := stream.(*answerOutput); ok {
		stream = answers.Writer
	}
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
