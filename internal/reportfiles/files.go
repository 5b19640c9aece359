// Package reportfiles writes reports to files and compares files with what would be written. All files of a report are
// written next to their places first, and then put in place together.
package reportfiles

// File is a file of a report.
type File struct {
	Path string
	Data []byte
}
