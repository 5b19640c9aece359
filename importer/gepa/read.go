package gepa

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"track"
	"track/importer"
	"track/importer/pickle"
	"track/importer/programs"
)

// StateFile is the name of the state in the folder of a run.
const StateFile = "gepa_state.bin"

// Read reads the run at a path: a state, or the folder of one. Its parents are never lost, so none are inferred.
func Read(name string, options importer.ProgramOptions) (importer.Run, error) {
	info, err := programs.Stat(name)
	if err != nil {
		return importer.Run{}, err
	}
	if info.IsDir() {
		name = filepath.Join(name, StateFile)
		if _, err := programs.Stat(name); err != nil {
			return importer.Run{}, track.WithHint(err, track.Hint{Text: "name a " + StateFile + ", or the folder that GEPA wrote it to (run_dir)"})
		}
	}
	data, err := readState(name)
	if err != nil {
		return importer.Run{}, fmt.Errorf("read %s: %w", name, err)
	}
	return parse(name, data, options)
}

// readState reads a file, which is as long as a pickle may be.
func readState(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, pickle.MostBytes+1))
}

// parse reads a state. file is what it is called in messages.
func parse(file string, data []byte, options importer.ProgramOptions) (run importer.Run, err error) {
	value, err := pickle.Decode(data)
	if err != nil {
		return run, invalid(file, "", "is not a state of GEPA that can be read: "+err.Error())
	}
	root, is := value.(*pickle.Dict)
	if !is {
		return run, invalid(file, "", "is a pickle, but not of a dictionary: it is not a state of GEPA")
	}
	s := state{file: file, root: root, Collector: programs.NewCollector()}
	if err := s.candidates(); err != nil {
		return run, err
	}
	if err := s.trace(); err != nil {
		return run, err
	}
	for _, d := range s.drafts {
		if err := s.Add(d); err != nil {
			return run, err
		}
	}
	s.Best(s.best(), file, "prog_candidate_val_subscores")
	run = s.Run(options)
	run.Rejected, run.Minibatches = s.rejected, s.minibatches
	return run, nil
}

func invalid(file, field, message string) error {
	return fmt.Errorf("%w: %w", track.ErrInvalid, (&track.FieldError{File: file, Field: field, Message: message}).Shorten())
}
