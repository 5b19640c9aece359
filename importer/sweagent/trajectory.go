package sweagent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/importer/chat"
)

// trajectory is an execution that is being read, with the members of its document.
type trajectory struct {
	Info     info         `json:"info"`
	Instance string       `json:"instance_id"`
	Format   string       `json:"trajectory_format"`
	Replay   replayConfig `json:"replay_config"`

	outcome           map[string]jsontext.Value
	draft             *importer.Draft
	chat              chat.Replay
	file              string
	nSteps, nMessages int
	first, begin, all string // shapes of the first step with a time, of all through the first of the model, and of all
	command           string // of the last message, whose result has not come
	usage             importer.Usage
}

type info struct {
	ExitStatus string     `json:"exit_status"`
	Submission string     `json:"submission"`
	Stats      modelStats `json:"model_stats"`
	Instance   string     `json:"instance_id"`
	Version    string     `json:"swe_agent_version"`
	Mini       string     `json:"mini_version"`
	Config     struct {
		Model struct {
			Name string `json:"model_name"`
		} `json:"model"`
	} `json:"config"`
	raw jsontext.Value
}

// UnmarshalJSON also keeps the whole, which may say more of the outcome.
func (i *info) UnmarshalJSON(raw []byte) error {
	type plain info
	i.raw = slices.Clone(raw)
	return importer.Unmarshal(raw, (*plain)(i))
}

type modelStats struct {
	Cost     *float64 `json:"instance_cost"`
	Sent     *int64   `json:"tokens_sent"`
	Received *int64   `json:"tokens_received"`
}

type replayConfig struct {
	Problem struct {
		ID string `json:"id"`
	} `json:"problem_statement"`
	Agent struct {
		Model struct {
			Name string `json:"name"`
		} `json:"model"`
	} `json:"agent"`
}

func newTrajectory(line int, file string) *trajectory {
	draft := importer.NewDraft(importer.NewBudget(), line, track.Execution{Source: importer.SWEAgent})
	return &trajectory{draft: draft, chat: chat.Replay{Draft: draft}, file: file}
}

// note takes a step or message into the identity. isModel says that the model wrote it, isTimed that it also holds a
// time, which no other run has.
func (t *trajectory) note(raw []byte, isModel, isTimed bool) {
	shape := importer.Shape(raw)
	t.all = importer.Digest(t.all + shape)
	if isModel && t.begin == "" {
		t.begin = t.all
	}
	if isModel && isTimed && t.first == "" {
		t.first = shape
	}
}

// key identifies a trajectory by its first step with a time; by its beginning through the first step of the model if
// none has one; and by all only if the model wrote nothing. So it stays the same when the trajectory grows.
func (t *trajectory) key() string {
	if t.first != "" {
		return importer.Key(importer.SWEAgent, t.first)
	}
	return importer.Key(importer.SWEAgent, strings.TrimPrefix(cmp.Or(t.begin, t.all), "sha256:")[:16])
}

// close ends the trajectory. cut says that the source ended within it.
func (t *trajectory) close(cut bool) []importer.Item {
	e := &t.draft.Execution
	e.Task, e.Key = t.task(), t.key()
	e.Model = importer.Name(t.Info.Config.Model.Name)
	if e.Model == "" {
		e.Model = importer.Name(t.Replay.Agent.Model.Name)
	}
	if e.Model == "" {
		e.Model = t.draft.Model
	}
	t.spent(e)
	for _, members := range []map[string]jsontext.Value{importer.Members(t.Info.raw), importer.Members(t.outcome["report"]), t.outcome} {
		importer.AddOutcomes(&e.Truths, members)
	}
	t.ending(e)
	open := cut || t.Info.ExitStatus == "" && t.Info.Submission == ""
	if !open {
		e.Output = &t.Info.Submission
	}
	end := t.draft.Close
	if open {
		end = t.draft.End
	}
	items := end()
	items[0].Open = open && !t.isBareList()
	return items
}

// isBareList reports whether nothing but messages is known, as in files of the oldest mini-SWE-agent, which are whole.
func (t *trajectory) isBareList() bool { return t.nSteps == 0 && t.Info.raw == nil && t.Format == "" }
