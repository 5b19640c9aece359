package verdict

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// FailedSeed is a seed of one side that has no total score.
type FailedSeed struct {
	Number uint64 `json:"seed,string"`
	Reason string `json:"reason"`
}

// SeedNumbers are the numbers of seeds. They are strings in JSON, because many readers of JSON round whole numbers
// above 2^53.
type SeedNumbers []uint64

// MarshalJSON writes a list of strings.
func (list SeedNumbers) MarshalJSON() ([]byte, error) {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.FormatUint(n, 10)
	}
	return json.Marshal(texts)
}

// UnmarshalJSON reads a list of strings.
func (list *SeedNumbers) UnmarshalJSON(data []byte) error {
	var texts []string
	if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	*list = make(SeedNumbers, len(texts))
	for i, text := range texts {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("seed %q is not a whole number from 0 to 2^64-1", text)
		}
		(*list)[i] = n
	}
	return nil
}

// UnmatchedSeeds are the seeds that only one side has.
type UnmatchedSeeds struct {
	Candidate SeedNumbers `json:"candidate"`
	Baseline  SeedNumbers `json:"baseline"`
}

// FailedSeeds are the seeds among the pairs that failed on a side. They score 0 there.
type FailedSeeds struct {
	Candidate []FailedSeed `json:"candidate"`
	Baseline  []FailedSeed `json:"baseline"`
}
