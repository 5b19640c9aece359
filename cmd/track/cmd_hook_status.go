package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track/internal/claudesettings"
	"track/scoring/format"
	"track/store"
	"track/tracker/live"
)

func (p *program) hookStatusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "show what arrives from hooks",
		UsageText: "track hook status [FLAGS]",
		Description: `Where hooks are installed, how many events of each name came and when, what is going on, and what went wrong.

Example:
   track hook status`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track hook status takes no argument")
			}
			return p.hookStatus(c.Context)
		},
	}
}

type hookStatusDocument struct {
	Database  string                  `json:"database"`
	Installed []hookInstalledDocument `json:"installed"`
	Events    []hookEventDocument     `json:"events"`
	Open      []hookTurnDocument      `json:"open"`
	Waiting   int                     `json:"waiting"` // events that could not be recorded yet
	Log       []string                `json:"log"`     // the last lines
}

type hookInstalledDocument struct {
	File     string   `json:"file"`
	Events   []string `json:"events"`
	Commands []string `json:"commands"`
	Problem  string   `json:"problem,omitempty"`
}

type hookEventDocument struct {
	Name   string  `json:"name"`
	N      int     `json:"n"`
	LastAt string  `json:"last_at"`
	Age    float64 `json:"age_s"`
}

type hookTurnDocument struct {
	Session string  `json:"session"`
	Agent   string  `json:"agent"` // of a subagent
	Lineage string  `json:"lineage"`
	Version string  `json:"version"`
	BeganAt string  `json:"began_at"`
	LastAt  string  `json:"last_at"`
	Age     float64 `json:"age_s"` // since the last event
	NCalls  int     `json:"n_calls"`
	Stopped bool    `json:"stopped"` // it waits for the next prompt
}

func (p *program) hookStatus(ctx context.Context) error {
	st, err := p.open(ctx)
	if isNotFound(err) && p.shared.db == "" {
		d := hookStatusDocument{Installed: p.hooksInstalled(), Events: []hookEventDocument{}, Open: []hookTurnDocument{}, Log: []string{}}
		return p.write(hookStatusView(d, nil, nil, p.now()))
	}
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	arrivals, err := st.HookArrivals(ctx)
	if err != nil {
		return err
	}
	turns, err := st.HookTurns(ctx)
	if err != nil {
		return err
	}
	folder := filepath.Dir(st.Path())
	const lines = 10
	log, err := live.Log(filepath.Join(folder, hookLogFile)).Tail(lines)
	if err != nil {
		return err
	}
	d := hookStatusDocument{
		Database: st.Path(), Installed: p.hooksInstalled(), Events: []hookEventDocument{}, Open: []hookTurnDocument{},
		Waiting: live.Spool(filepath.Join(folder, hookSpoolFolder)).Len(), Log: append([]string{}, log...),
	}
	now := p.now()
	for _, a := range arrivals {
		d.Events = append(d.Events, hookEventDocument{a.Name, a.N, timeText(a.Last), age(now, a.Last).Seconds()})
	}
	for _, t := range turns {
		d.Open = append(d.Open, hookTurnDocument{t.Session, t.Agent, t.Lineage, t.Version, timeText(t.Began), timeText(t.Last), age(now, t.Last).Seconds(), t.NCalls, t.Stopped})
	}
	return p.write(hookStatusView(d, arrivals, turns, now))
}

func age(now, then time.Time) time.Duration { return now.Sub(then).Round(time.Second) }

// hooksInstalled looks into the settings of this folder and of the user.
func (p *program) hooksInstalled() []hookInstalledDocument {
	list := []hookInstalledDocument{}
	for _, user := range []bool{false, true} {
		path, err := p.settingsPath(user)
		if err != nil {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		d := hookInstalledDocument{File: path, Events: []string{}, Commands: []string{}}
		byEvent, err := claudesettings.Commands(text)
		if err != nil {
			d.Problem = err.Error()
		}
		for _, event := range slices.Sorted(maps.Keys(byEvent)) {
			d.Events = append(d.Events, event)
			d.Commands = append(d.Commands, byEvent[event]...)
		}
		slices.Sort(d.Commands)
		d.Commands = slices.Compact(d.Commands)
		if len(d.Events) > 0 || d.Problem != "" {
			list = append(list, d)
		}
	}
	return list
}

func hookStatusView(d hookStatusDocument, arrivals []store.HookArrival, turns []store.HookTurn, now time.Time) view {
	v := view{document: d, rows: grid{columns: []string{"event", "count", "last", "ago"}}}
	for _, a := range arrivals {
		v.rows.cells = append(v.rows.cells, []any{a.Name, a.N, shown{people(a.Last), timeText(a.Last)}, shown{age(now, a.Last).String(), age(now, a.Last).Seconds()}})
	}
	open := grid{title: "going on", columns: []string{"session", "subagent", "lineage", "since", "last event", "calls", "state"}}
	for _, t := range turns {
		state := "works"
		if t.Stopped {
			state = "waits for a prompt"
		}
		open.cells = append(open.cells, []any{t.Session, t.Agent, nameOf(t.Lineage, t.Version), people(t.Began), age(now, t.Last).String() + " ago", t.NCalls, state})
	}
	installed := []string{}
	for _, i := range d.Installed {
		said := fmt.Sprintf("installed in %s for %s", i.File, strings.Join(i.Events, ", "))
		if i.Problem != "" {
			said = fmt.Sprintf("%s: %s", i.File, i.Problem)
		}
		installed = append(installed, said)
	}
	if len(installed) == 0 {
		installed = []string{"not installed here; track hook install claude-code does that"}
	}
	v.page = []any{strings.Join(installed, "\n")}
	if len(arrivals) > 0 {
		v.page = append(v.page, v.rows)
	} else {
		v.page = append(v.page, "no event has come yet")
	}
	if len(turns) > 0 {
		v.page = append(v.page, open)
	}
	if d.Waiting > 0 {
		v.page = append(v.page, format.Counted(d.Waiting, "event")+" could not be recorded yet: the next call of a hook takes them in")
	}
	if len(d.Log) > 0 {
		v.page = append(v.page, "went wrong, the last at the end:\n"+strings.Join(d.Log, "\n"))
	}
	return v
}

// nameOf writes a lineage with its version, as commands take it.
func nameOf(lineage, version string) string {
	if version == "" {
		return lineage
	}
	return lineage + "@" + version
}
