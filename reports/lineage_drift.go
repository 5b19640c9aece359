package reports

import (
	"fmt"
	"math"
	"slices"
	"time"

	"track/evolution"
	"track/reports/document"
	"track/scoring/stats"
)

// piece are the scores, in points, of a version from a time at which the world may have changed for it to the next.
type piece struct {
	version string
	scores  []float64
}

// pieces parts the scores of each version at every rollback, and where it was accepted: scores that it was chosen by
// are too high, and a rollback says that something became worse.
func (l *lineageReport) pieces() (list []piece) {
	for _, v := range l.Versions {
		last := -1
		for _, t := range v.Trials {
			if t.Score == nil || t.Failed != "" {
				continue
			}
			passed := l.turnedBy(t.At)
			for _, d := range l.accepting[v.Label] {
				if !t.At.Before(d.entry.At) {
					passed++
				}
			}
			if passed != last {
				list, last = append(list, piece{version: v.Label}), passed
			}
			p := &list[len(list)-1]
			p.scores = append(p.scores, l.Settings.Scale.Gain(*t.Score))
		}
	}
	return list
}

// turnedBy counts the rollbacks until a time.
func (l *lineageReport) turnedBy(at time.Time) int {
	n, _ := slices.BinarySearchFunc(l.turned, at, func(turn, at time.Time) int {
		if turn.After(at) {
			return 1
		}
		return -1
	})
	return n
}

// whole puts the pieces of each version together.
func whole(pieces []piece) (list []piece) {
	for _, p := range pieces {
		if n := len(list); n > 0 && list[n-1].version == p.version {
			list[n-1].scores = append(list[n-1].scores, p.scores...)
			continue
		}
		list = append(list, piece{p.version, slices.Clone(p.scores)})
	}
	return list
}

// pooled is the sd within pieces, √(Σss/Σ(n-1)), of those with two scores or more.
type pooled struct {
	sd             float64
	trials, pieces int
	versions       map[string]bool
}

func (p pooled) df() int { return p.trials - p.pieces }

func pool(pieces []piece) pooled {
	p := pooled{versions: map[string]bool{}}
	squares := 0.0
	for _, piece := range pieces {
		own, err := stats.PopulationSD(piece.scores)
		if err != nil || len(piece.scores) < 2 {
			continue
		}
		squares += own * own * float64(len(piece.scores))
		p.trials, p.pieces = p.trials+len(piece.scores), p.pieces+1
		p.versions[piece.version] = true
	}
	p.sd = math.Sqrt(squares / float64(max(1, p.df())))
	return p
}

// driftNote warns where what is pooled does not belong together: means of one version that differ over time, and sds
// that differ.
func (l *lineageReport) driftNote(pieces []piece, p pooled) []document.Block {
	moved, uneven := l.moved(), l.uneven(pieces, p.sd)
	if len(moved)+len(uneven) == 0 {
		return nil
	}
	note := document.Note{Kind: document.NoteWarning}
	add := func(what string, cases []document.Text) {
		if len(cases) == 0 {
			return
		}
		shown := slices.Clone(cases[:min(mostAlerts, len(cases))])
		if more := len(cases) - len(shown); more > 0 {
			shown = append(shown, cell("and %d more", more))
		}
		note.Blocks = append(note.Blocks, paragraph(strong("%s", what)), document.List{Items: shown})
	}
	add("The level of a version moved over time: conditions changed. Decisions rest on trials made side by side; means of different times do not compare", moved)
	add("The sds differ between versions, so the pooled sd is a rough estimate", uneven)
	return []document.Block{note}
}

// moved returns the versions whose later trials have another level than their earlier ones. Trials that a version was
// accepted by are left out: their scores tend to be too high.
func (l *lineageReport) moved() (cases []document.Text) {
	looked := map[string]bool{}
	for _, decisions := range l.accepting {
		for _, d := range decisions {
			for _, t := range d.Evidence.Child {
				looked[t.ID] = true
			}
		}
	}
	unchosen := map[string][]evolution.Trial{}
	for _, v := range l.Versions {
		list := slices.DeleteFunc(slices.Clone(v.Trials), func(t evolution.Trial) bool { return looked[t.ID] })
		if shift, err := evolution.NewLevelShift(list, l.Settings.Scale, evolution.Confidence); err == nil && shift != nil {
			unchosen[v.Label] = list
		}
	}
	strict := 1 - (1-evolution.Confidence)/float64(max(1, len(unchosen)))
	for _, v := range l.Versions {
		shift, err := evolution.NewLevelShift(unchosen[v.Label], l.Settings.Scale, strict)
		if err != nil || !shift.Moved() {
			continue
		}
		how := fmt.Sprintf("n = %d, Welch", shift.N)
		if shift.Tasks > 0 {
			how = fmt.Sprintf("%d tasks, %d trials, paired t", shift.Tasks, shift.N)
		}
		if len(unchosen) > 1 {
			how += fmt.Sprintf(", corrected for %d versions", len(unchosen))
		}
		cases = append(cases, document.Text{word(v.Label), plain(": %s from its earlier to its later trials (95%% interval %s to %s; %s)",
			l.change(shift.Mean), l.change(shift.Interval.Lo), l.change(shift.Interval.Hi), how)})
	}
	return cases
}

// uneven returns the pieces whose sd is not that of all, by its chi-square interval, corrected for their number.
func (l *lineageReport) uneven(pieces []piece, sd float64) (cases []document.Text) {
	const fewest = 3
	pieces = slices.DeleteFunc(slices.Clone(pieces), func(p piece) bool { return len(p.scores) < fewest })
	if len(pieces) < 2 {
		return nil
	}
	for _, p := range pieces {
		own := pool([]piece{p})
		i, err := stats.PooledSDInterval(own.sd, own.df(), 1-(1-evolution.Confidence)/float64(len(pieces)))
		if err != nil || own.sd == 0 || i.Lo <= sd && sd <= i.Hi {
			continue
		}
		cases = append(cases, document.Text{word(p.version), plain(": sd %s (n = %d), of all %s", l.number(own.sd), own.trials, l.number(sd))})
	}
	return cases
}

// drifted says how many rollbacks lie between the trials of two versions: what differs may be the world.
func (l *lineageReport) drifted(earlier, later []evolution.Trial) string {
	timed := slices.DeleteFunc(slices.Clone(earlier), func(t evolution.Trial) bool { return t.At.IsZero() })
	if len(timed) == 0 || len(later) == 0 {
		return ""
	}
	byTime := func(a, b evolution.Trial) int { return a.At.Compare(b.At) }
	n := l.turnedBy(slices.MaxFunc(later, byTime).At) - l.turnedBy(slices.MinFunc(timed, byTime).At)
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", with %s between their trials: part of the difference may be due to other changes", counted(n, "rollback", "rollbacks"))
}
