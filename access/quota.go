package access

import "time"

// Quota bounds what the holder of a token may record on a day, which begins at midnight in UTC. A bound of 0 is none.
// It also says how much was recorded on a day.
type Quota struct{ Records, Bytes int64 }

// IsSet reports whether there is a bound.
func (q Quota) IsSet() bool { return q != Quota{} }

// Allows reports whether another record may follow those that were recorded on the day. So the last record of a day may
// have more bytes than were left.
func (q Quota) Allows(used Quota) bool {
	return (q.Records == 0 || used.Records < q.Records) && (q.Bytes == 0 || used.Bytes < q.Bytes)
}

const day = 24 * time.Hour

// Day returns the number of the day at a time, from the first one of 1970.
func Day(at time.Time) int64 { return at.Unix() / int64(day/time.Second) }

// EndOfDay returns when the day at a time ends.
func EndOfDay(at time.Time) time.Time { return at.UTC().Truncate(day).Add(day) }
