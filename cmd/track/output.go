package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"track/answer"
)

func formatKnown(format string) bool {
	switch format {
	case "table", "json", "jsonl", "csv", "md":
		return true
	}
	return false
}

// writeJSON writes an answer, or a part of one, as one line of JSON.
func writeJSON(w io.Writer, part any) error {
	if err := answer.Encode(w, part); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// printable keeps what is recorded from steering the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !strconv.IsPrint(r) {
			return '�'
		}
		return r
	}, s)
}

// printableLines is [printable] for a text of several lines.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
