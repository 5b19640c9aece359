package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"track/answer"
	"track/internal/claudesettings"
	"track/store"
)

// Status returns what arrives from hooks: where they are installed, of these files of settings, and what a database
// holds of them. st is nil if there is no database yet.
func Status(ctx context.Context, st *store.Store, settings []string) (a answer.HookStatus, err error) {
	a = answer.HookStatus{Installed: installed(settings), Events: []answer.HookArrival{}, Open: []answer.HookTurn{}, Log: []string{}}
	if st == nil {
		return a, nil
	}
	a.Database = st.Path()
	arrivals, err := st.HookArrivals(ctx)
	if err != nil {
		return a, err
	}
	for _, e := range arrivals {
		a.Events = append(a.Events, answer.HookArrival{Name: e.Name, N: e.N, LastAt: e.Last, Age: age(st.Now(), e.Last)})
	}
	turns, err := st.HookTurns(ctx)
	if err != nil {
		return a, err
	}
	for _, t := range turns {
		a.Open = append(a.Open, answer.HookTurn{
			Session: t.Session, Agent: t.Agent, Lineage: t.Lineage, Version: t.Version, BeganAt: t.Began, LastAt: t.Last, Age: age(st.Now(), t.Last),
			NCalls: t.NCalls, Stopped: t.Stopped,
		})
	}
	const lines = 10
	folder, err := store.Folder(st.Path())
	if err != nil {
		return a, err
	}
	log, err := Log(filepath.Join(folder, LogFile)).tail(lines)
	a.Log, a.Waiting = append(a.Log, log...), eventSpool(filepath.Join(folder, spoolFolder)).Len()
	return a, err
}

func age(now, then time.Time) time.Duration { return now.Sub(then).Round(time.Second) }

// installed returns which of the files of settings call track, or cannot be read as settings.
func installed(files []string) []answer.HookInstallation {
	list := []answer.HookInstallation{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		found := answer.HookInstallation{File: path, Events: []string{}, Commands: []string{}}
		byEvent, err := claudesettings.Commands(text)
		if err != nil {
			found.Problem = err.Error()
		}
		for _, event := range slices.Sorted(maps.Keys(byEvent)) {
			found.Events = append(found.Events, event)
			found.Commands = append(found.Commands, byEvent[event]...)
		}
		slices.Sort(found.Commands)
		found.Commands = slices.Compact(found.Commands)
		if len(found.Events) > 0 || found.Problem != "" {
			list = append(list, found)
		}
	}
	return list
}

// eventSpool keeps, as files in a folder, events that could not be recorded at once, until a later call takes them in.
type eventSpool string

const (
	mostSpooled = 10_000 // files; more than an agent makes in a night
	mostTaken   = 200    // files at once
	spoolEnding = ".json"
)

// put keeps an event. It may be called by several processes at once.
func (s eventSpool) put(e store.HookEvent) error {
	if err := os.MkdirAll(string(s), 0o755); err != nil {
		return err
	}
	if names, err := s.names(); err != nil || len(names) >= mostSpooled {
		return errors.Join(err, fmt.Errorf("%d events wait in %s already", len(names), s))
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(string(s), fmt.Sprintf("%020d-*.part", e.ReceivedAt.UnixMicro()))
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), strings.TrimSuffix(file.Name(), ".part")+spoolEnding)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// names returns the files of events, in the order in which they came.
func (s eventSpool) names() (names []string, err error) {
	entries, err := os.ReadDir(string(s)) // sorted
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), spoolEnding) {
			names = append(names, filepath.Join(string(s), entry.Name()))
		}
	}
	return names, err
}

// Len says how many events wait.
func (s eventSpool) Len() int {
	names, _ := s.names() // what cannot be read does not wait
	return len(names)
}

// events returns the waiting events, the oldest first, and forget, which removes them once they are recorded. What is
// no event is set aside.
func (s eventSpool) events() (events []store.HookEvent, forget func() error, err error) {
	names, err := s.names()
	if err != nil {
		return nil, nil, err
	}
	var taken []string
	for _, name := range names[:min(len(names), mostTaken)] {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) { // another process took it
			continue
		}
		var e store.HookEvent
		if err != nil || json.Unmarshal(text, &e) != nil || e.Session == "" || e.Name == "" || e.Key == "" || e.At.IsZero() {
			_ = os.Rename(name, name+".bad")
			continue
		}
		events, taken = append(events, e), append(taken, name)
	}
	return events, func() error {
		var errs []error
		for _, name := range taken {
			if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	}, nil
}

// Log is a file for errors that no person would see. It is bounded: a full log replaces the one before.
type Log string

const mostLog = 256 << 10 // bytes

// Add writes a line.
func (l Log) Add(at time.Time, message string) error {
	if info, err := os.Stat(string(l)); err == nil && info.Size() > mostLog {
		if err := os.Rename(string(l), string(l)+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) { // another process was first
			return err
		}
	}
	file, err := os.OpenFile(string(l), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	const longest = 2000
	message = strings.ReplaceAll(message, "\n", " ")
	if len(message) > longest {
		message = strings.ToValidUTF8(message[:longest], "") + "…"
	}
	_, err = fmt.Fprintf(file, "%s %s\n", at.UTC().Format(time.RFC3339), message)
	return errors.Join(err, file.Close())
}

// tail returns the last lines.
func (l Log) tail(n int) ([]string, error) {
	text, err := os.ReadFile(string(l))
	if errors.Is(err, fs.ErrNotExist) || len(text) == 0 {
		return nil, nil
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return lines[max(0, len(lines)-n):], err
}
