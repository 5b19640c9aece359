package answer

// SpoolPosition says how far the lines of a spool are recorded by a server.
type SpoolPosition struct {
	ServerEpoch string `json:"server_epoch"` // another one after the database was made anew, or restored from a backup
	Through     int64  `json:"through"`      // lines from the start of the spool that the server has, or has refused
	Refused     int64  `json:"refused"`      // of them, lines that it has not recorded
}

// SentLines says what became of lines of a spool that were sent.
type SentLines struct {
	SpoolPosition `json:",embed"`
	Skipped       int64 `json:"skipped"` // lines that were below the position, and not recorded again
	RecordedLines `json:",embed"`
}
