package live

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
