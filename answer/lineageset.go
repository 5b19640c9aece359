package answer

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"track/answer/param"
	"track/evolution"
)

// SetLineageQuestion asks to change settings of a lineage.
type SetLineageQuestion struct {
	Lineage  string
	Settings []Setting
	KeepText *bool // nil for as before
	Score    ScoreSettings
	Reason   string
	At       time.Time // zero for now
}

func (q *SetLineageQuestion) Params() param.List {
	list := param.List{
		namedLineage(&q.Lineage),
		{Name: "setting", Arg: true, Unit: "KEY=VALUE", Help: "change this setting", Value: settingsValue{q}},
	}
	return append(append(list, q.Score.params()...), reasonParam(&q.Reason), atParam(&q.At))
}

func (q *SetLineageQuestion) Check() error {
	if !q.Changes() && q.KeepText == nil {
		return &param.Error{Param: "setting", Message: "nothing to change: give KEY=VALUE, or a parameter such as score-from"}
	}
	return nil
}

// Changes reports whether settings of decisions are to be changed.
func (q *SetLineageQuestion) Changes() bool { return len(q.Settings) > 0 || q.Score.isGiven() }

// settingsValue is a list of KEY=VALUE.
type settingsValue struct{ q *SetLineageQuestion }

func (v settingsValue) Set(text string) error {
	s, err := ParseSetting(text)
	if err != nil {
		return err
	}
	for _, before := range v.Texts() {
		if strings.HasPrefix(before, s.Key+"=") {
			return errors.New(s.Key + " is duplicated")
		}
	}
	if s.Key == "keep_text" {
		on, valid := map[string]bool{"on": true, "off": false}[s.Value]
		if !valid {
			return fmt.Errorf("%s: use keep_text=on or keep_text=off", text)
		}
		v.q.KeepText = &on
		return nil
	}
	trial := evolution.DefaultSettings()
	if err := s.Change(&trial); err != nil {
		return err
	}
	if err := trial.Validate(); err != nil {
		return err
	}
	v.q.Settings = append(v.q.Settings, s)
	return nil
}

func (v settingsValue) Texts() (list []string) {
	if v.q == nil {
		return nil
	}
	for _, s := range v.q.Settings {
		list = append(list, s.Key+"="+s.Value)
	}
	if v.q.KeepText != nil {
		list = append(list, "keep_text="+onOff(*v.q.KeepText))
	}
	return list
}

func (v settingsValue) String() string { return strings.Join(v.Texts(), " ") }

func (v settingsValue) Type() string { return "array" }

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// LineageSettings are the settings of a lineage after they were changed.
type LineageSettings struct {
	Lineage  string              `json:"lineage"`
	Settings *evolution.Settings `json:"settings,omitempty"` // if one of them was set
	Changed  bool                `json:"changed"`            // a setting has another value than before
	KeepText *bool               `json:"keep_text,omitempty"`
	// UsedBefore are holdout tasks that decided before: their gain says less.
	UsedBefore []string `json:"used_before,omitempty"`
}

func (a LineageSettings) Lead() (lead []Sentence) {
	add := func(text string) { lead = append(lead, Sentence{Kind: Heading, Text: text, Joined: len(lead) > 0}) }
	if a.Settings != nil {
		add(fmt.Sprintf("%s: settings, version %d", a.Lineage, a.Settings.Number))
		if !a.Changed {
			add("nothing was changed")
		}
	}
	if len(a.UsedBefore) > 0 {
		lead = append(lead, Sentence{Kind: Warning, Joined: true, Text: fmt.Sprintf("warning: earlier decisions used %s: what they gained shows there too",
			someNames(a.UsedBefore))})
	}
	if a.KeepText != nil {
		add(fmt.Sprintf("%s: keep_text is %s", a.Lineage, onOff(*a.KeepText)))
	}
	return lead
}

func (a LineageSettings) Tables() []Table {
	t := Table{Name: "settings", Columns: columns("setting", "value").wrap("value")}
	if a.Settings != nil {
		t = settingsTable(*a.Settings)
	}
	if a.KeepText != nil {
		t.Rows = append(t.Rows, []any{"keep_text", *a.KeepText})
	}
	t.ForPrograms = true
	return []Table{t}
}

// FreezeQuestion asks to stop mutating a lineage, or to go on.
type FreezeQuestion struct {
	Lineage string
	Reason  string
	At      time.Time // zero for now
}

func (q *FreezeQuestion) Params() param.List {
	return param.List{namedLineage(&q.Lineage), reasonParam(&q.Reason), atParam(&q.At)}
}

// Frozen says whether a lineage is frozen.
type Frozen struct {
	Lineage string `json:"lineage"`
	Frozen  bool   `json:"frozen"`
	Changed bool   `json:"changed"`
}

func (a Frozen) Lead() []Sentence {
	text := a.Lineage + " is frozen"
	if !a.Frozen {
		text = a.Lineage + " is not frozen"
	}
	if !a.Changed {
		text += ", as before"
	}
	return []Sentence{{Kind: Heading, Text: text}}
}

func (a Frozen) Tables() []Table {
	return []Table{{Name: "frozen", ForPrograms: true, Columns: columns("lineage", "frozen"), Rows: [][]any{{a.Lineage, a.Frozen}}}}
}
