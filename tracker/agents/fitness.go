package agents

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"track"
	"track/answer"
	"track/evolution"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/store"
)

// ShowFitness returns the fitness of a version of a lineage. If the question names none, it is the active version, or
// in a lineage without a ledger the version that was executed last.
func ShowFitness(ctx context.Context, r *store.Reader, q answer.FitnessQuestion) (a answer.Fitness, err error) {
	version := q.Of.Version
	if version == nil {
		chosen, err := activeOrNewest(ctx, r, q.Of.Lineage)
		if err != nil {
			return a, err
		}
		version = &chosen
	}
	a, err = Fitness(ctx, r, q.Of.Lineage, *version, q.Rubric, q.Cut)
	if errors.Is(err, rubric.ErrNoScores) {
		err = track.WithHint(fmt.Errorf("%s@%s: %w: %s, none with a score", a.Lineage, a.Version, track.ErrNotFound, format.Counted(a.NExecutions, "execution")),
			track.NewHint("list the executions", "executions", a.Lineage+"@"+a.Version))
	}
	return a, err
}

// Fitness aggregates the executions of a version: the scores under a rubric, or those that decide if it is empty. In a
// run of another evolver, all tasks count equally, unless a share is to be cut.
func Fitness(ctx context.Context, r *store.Reader, lineage, version, rubricName string, cut *float64) (answer.Fitness, error) {
	d, err := loadDeciding(ctx, r, lineage, rubricName)
	if err != nil {
		return answer.Fitness{}, err
	}
	scores, nHoldout, err := d.trials(ctx, r, lineage, version)
	if err != nil {
		return answer.Fitness{Lineage: lineage, Version: version}, err
	}
	options := rubric.FitnessOptions{Cut: cut}
	if cut == nil {
		if options.ByTask, err = r.IsRun(ctx, lineage); err != nil {
			return answer.Fitness{}, err
		}
	}
	kinds := keepOneKind([]scoredVersion{{trials: scores}}, d)
	report, err := fitnessOf(lineage, version, scores, d.rubric, options)
	if err == nil {
		err = dropGrade(ctx, r, &report)
	}
	report.ScoreBasis, report.NHoldout = d.basis(), nHoldout
	if len(kinds) > 0 {
		report.ScoreFrom, report.OtherKinds = evolution.ScoreSource(kinds[0].Kind), kinds[1:]
	}
	return report, err
}

// activeOrNewest returns the active version of a lineage; the version that was executed last if none is active.
func activeOrNewest(ctx context.Context, r *store.Reader, lineage string) (string, error) {
	evolving, err := r.Evolving(ctx, lineage)
	switch {
	case err == nil && evolving.Head != "":
		return evolving.Head, nil
	case err != nil && !errors.Is(err, track.ErrNotFound):
		return "", err
	}
	return r.NewestVersion(ctx, lineage)
}

// dropGrade drops the grade of scores that are on a scale of their own: the bands of grades are of scores from 0 to
// 100.
func dropGrade(ctx context.Context, r *store.Reader, report *answer.Fitness) error {
	if report.NOwn == 0 {
		return nil
	}
	unbounded, err := r.IsUnbounded(ctx, report.Lineage)
	if unbounded {
		report.Grade = ""
	}
	return err
}

// versionTrials returns the executions of a version with their components, the newest first.
func versionTrials(ctx context.Context, st *store.Reader, lineage, version, rubricName string) ([]store.Trial, error) {
	trials, err := st.Trials(ctx, lineage, store.TrialFilter{Versions: []string{version}, Rubric: rubricName, Components: true})
	if err == nil && len(trials) == 0 {
		err = st.CheckLineage(ctx, lineage, &version)
	}
	slices.Reverse(trials)
	return trials, err
}

func fitnessOf(lineage, version string, scores []store.Trial, rubricName string, options rubric.FitnessOptions) (answer.Fitness, error) {
	report := answer.Fitness{Lineage: lineage, Version: version, NExecutions: len(scores)}
	own, undated, measured := map[string]bool{}, map[string]bool{}, map[string]float64{}
	list := make([]rubric.ScoredExecution, len(scores))
	for i, s := range scores {
		if s.Status != track.ExecutionOK {
			report.NFailed++
		}
		own[s.ID] = s.Rubric == track.RubricOwn
		undated[s.ID], measured[s.ID] = !s.Started, measuredShare(s.Rubric, s.Components)
		list[i] = rubric.ScoredExecution{ID: s.ID, At: s.At, Task: s.Task, Score: scoreOf(s, rubricName)}
	}
	var err error
	options.AnyScale = true // scores were checked when they were recorded
	report.FitnessResult, err = rubric.Fitness(list, options)
	sortComponents(report.Components)
	for _, use := range report.Used {
		if own[use.ID] {
			report.NOwn++
		}
		if undated[use.ID] {
			report.NUndated++
		}
		report.MeasuredShare += measured[use.ID] / float64(len(report.Used))
	}
	return report, err
}

// measuredShare returns the share of a rubric's weight that could be measured in an execution.
func measuredShare(rubricName string, components []track.ComponentValue) float64 {
	r, err := rubric.ByName(rubricName)
	if err != nil {
		return 1 // the caller's own score
	}
	share := 0.0
	for _, c := range components {
		for _, part := range r.Parts {
			if part.Name == c.Name && c.Value != nil {
				share += part.Weight
			}
		}
	}
	return share
}

// sortComponents puts components in the order of the default rubric.
func sortComponents(list []rubric.ComponentMean) {
	r, err := rubric.ByName(rubric.Default)
	if err != nil {
		return // cannot be: it is the default
	}
	rank := func(name string) int {
		return slices.IndexFunc(r.Parts, func(p rubric.Part) bool { return p.Name == name })
	}
	slices.SortFunc(list, func(a, b rubric.ComponentMean) int { return cmp.Compare(rank(a.Name), rank(b.Name)) })
}

// scoreOf returns a recorded score as package rubric takes it.
func scoreOf(s store.Trial, rubricName string) rubric.Score {
	score := rubric.Score{Rubric: rubricName, Value: math.NaN()}
	if s.Score != nil {
		score.Value, score.Defined, score.Grade = *s.Score, true, rubric.GradeOf(*s.Score)
	}
	for _, c := range s.Components {
		score.Components = append(score.Components, rubric.Component{Name: c.Name, Value: c.Value})
	}
	return score
}

// deciding is how the executions of a lineage are scored: as for its decisions, or under a rubric that was asked for.
type deciding struct {
	rubric  string // of the scores, or another kind of score; empty for the active scores
	times   float64
	holdout *evolution.Holdout
	asked   bool // for the rubric: then all executions count
}

// loadDeciding returns how executions are scored. If no rubric is asked for, these are the scores that decide in the
// lineage; in a lineage without a ledger they are the active scores.
func loadDeciding(ctx context.Context, r *store.Reader, lineage, rubric string) (deciding, error) {
	d := deciding{rubric: rubric, times: 1, asked: rubric != ""}
	if d.asked {
		return d, nil
	}
	evolving, err := r.Evolving(ctx, lineage)
	if errors.Is(err, track.ErrNotFound) {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	newest, err := r.NewestEntries(ctx, evolving, evolution.KindSettings, evolution.KindCreation)
	if err != nil {
		return d, err
	}
	var creation evolution.Creation
	change := evolution.SettingsChange{}
	if e, found := newest[evolution.KindSettings]; found {
		err = e.Decode(&change)
	} else if e, found := newest[evolution.KindCreation]; found {
		err = e.Decode(&creation)
		change.Settings = creation.Settings
	}
	d.rubric, d.times, d.holdout = string(change.Settings.ScoreFrom), change.Settings.Times(), change.Settings.Holdout
	return d, err
}

// trials returns the executions of a version with their components, the newest first. Holdout tasks and executions that
// may still go on have no score, as in decisions.
func (d deciding) trials(ctx context.Context, r *store.Reader, lineage, version string) (list []store.Trial, nHoldout int, err error) {
	list, err = versionTrials(ctx, r, lineage, version, d.rubric)
	for i := range list {
		t := &list[i]
		isHeld := !d.asked && (t.Holdout || d.holdout.Has(t.Task))
		if isHeld {
			nHoldout++
		}
		switch {
		case isHeld || t.Open && !d.asked:
			t.Score, t.Components = nil, nil
		case t.Score != nil && d.times != 1:
			score := *t.Score * d.times
			t.Score = &score
		}
	}
	return list, nHoldout, err
}

// basis names the scores of an answer.
func (d deciding) basis() answer.ScoreBasis {
	if d.asked {
		return answer.ScoreBasis{}
	}
	return answer.ScoreBasis{ScoreFrom: evolution.ScoreSource(d.rubric)}
}

// CompareRubrics lists the executions of a lineage whose grade under a rubric differs from the one of their active
// score.
func CompareRubrics(ctx context.Context, r *store.Reader, q answer.GradeChangesQuestion) (a answer.GradeChanges, err error) {
	a = answer.GradeChanges{Lineage: q.Lineage, Rubric: q.Rubric, List: answer.List[answer.GradeChange]{Items: []answer.GradeChange{}}}
	versions, err := r.Versions(ctx, q.Lineage)
	if err != nil {
		return a, err
	}
	for _, v := range versions {
		active, err := versionTrials(ctx, r, q.Lineage, v.Version, "")
		if err != nil {
			return a, err
		}
		other, err := versionTrials(ctx, r, q.Lineage, v.Version, q.Rubric)
		if err != nil {
			return a, err
		}
		for i := len(active) - 1; i >= 0; i-- { // both are in the same order
			from, to := active[i], other[i]
			if from.Score == nil && to.Score == nil {
				continue
			}
			a.NExecutions++
			if from.Grade != to.Grade {
				a.Items = append(a.Items, answer.GradeChange{
					ID: from.ID, Version: v.Version, Task: from.Task, From: from.Score, FromGrade: from.Grade, To: to.Score, ToGrade: to.Grade,
				})
			}
		}
	}
	return a, nil
}

// ListRubrics returns all rubrics. It needs no database.
func ListRubrics(context.Context, *store.Reader, answer.RubricsQuestion) (a answer.Rubrics, err error) {
	a.Default = rubric.Default
	for _, name := range rubric.Names() {
		r, err := rubric.ByName(name)
		if err != nil {
			return a, err
		}
		a.Items = append(a.Items, r)
	}
	return a, nil
}

// CheckRubric compares the scores of a lineage's executions with a ground-truth label.
func CheckRubric(ctx context.Context, r *store.Reader, q answer.RubricCheckQuestion) (a answer.RubricCheck, err error) {
	by, err := rubric.ByName(q.Rubric)
	if err != nil {
		return a, err
	}
	recorded, err := r.Trials(ctx, q.Lineage, store.TrialFilter{Truth: q.Truth, Rubric: by.Name, Components: true})
	if err != nil {
		return a, err
	}
	trials, unscored := scoredTrials(recorded, q.Success)
	a = answer.RubricCheck{Lineage: q.Lineage, Truth: q.Truth, SuccessFrom: q.Success, Rubric: by.Name, NUnscored: unscored}
	a.Check, err = rubric.CheckTruth(by, trials, scoring.DefaultConfidence)
	return a, err
}

func scoredTrials(recorded []store.Trial, success float64) (trials []rubric.Trial, unscored int) {
	for _, t := range recorded {
		if t.Score == nil {
			unscored++
			continue
		}
		trial := rubric.Trial{Task: t.Task, Version: t.Version, Success: *t.Truth >= success, Score: *t.Score, Components: map[string]*float64{}}
		for _, c := range t.Components {
			trial.Components[c.Name] = c.Value
		}
		trials = append(trials, trial)
	}
	return trials, unscored
}

// addScores scores an execution that ended well, under every rubric: texts that are not kept cannot be scored later.
func (p *Prepared) addScores(o Options) error {
	if p.Status != track.ExecutionOK {
		return nil
	}
	scored := RubricInput(p.Execution, o.Format)
	for _, name := range rubric.Names() {
		r, err := rubric.ByName(name)
		if err != nil {
			return err
		}
		score := r.Score(scored, withCheckers(o.Scoring))
		if name == rubric.V2 {
			p.Score = score
			if score.Defined {
				p.Rubric = name
			}
		}
		record, err := scoreRecord(score)
		if err != nil {
			return err
		}
		record.ScoredAt = p.RecordedAt
		p.Scores = append(p.Scores, record)
	}
	if own := p.Execution.Score; own != nil {
		p.Rubric = p.ScoredBy()
		p.Scores = append(p.Scores, track.RecordedScore{
			Rubric: p.Rubric, Score: own, Grade: gradeOf(*own), NFailed: p.Score.NFailed, NUnknown: p.Score.NUnknown, Detail: []byte("{}"), ScoredAt: p.RecordedAt,
		})
	}
	return nil
}

// gradeOf returns the grade of the caller's own score; none of one on another scale than 0 to 100.
func gradeOf(own float64) string {
	if !(own >= 0 && own <= 100) {
		return ""
	}
	return string(rubric.GradeOf(own))
}

func scoreRecord(s rubric.Score) (track.RecordedScore, error) {
	document, err := json.Marshal(s)
	if err != nil {
		return track.RecordedScore{}, fmt.Errorf("score of %s: %w", s.Rubric, err)
	}
	record := track.RecordedScore{Rubric: s.Rubric, Grade: string(s.Grade), NFailed: s.NFailed, NUnknown: s.NUnknown, Detail: document}
	if s.Defined {
		record.Score = &s.Value
	}
	record.Components = componentValues(s)
	return record, nil
}

func componentValues(s rubric.Score) (list []track.ComponentValue) {
	for _, c := range s.Components {
		list = append(list, track.ComponentValue{Name: c.Name, Value: c.Value})
	}
	return list
}

// RubricInput is what a rubric sees of an execution.
func RubricInput(e track.Execution, format *rubric.FormatSpec) rubric.Execution {
	corrections, truncated := e.Corrections, e.Truncated
	in := rubric.Execution{
		TaskType: e.TaskType, Complexity: rubric.Complexity(e.Complexity), Output: e.Output, Truncated: &truncated, Duration: e.Duration,
		Corrections: &corrections, Format: format,
	}
	for _, c := range e.Calls {
		in.Calls = append(in.Calls, rubricCall(c, e.Source))
	}
	for _, f := range e.Files {
		in.Files = append(in.Files, rubric.File{Name: f.Name, Content: f.Content})
	}
	return in
}

// reportsErrors says that a source marks each failed call, so that a call without a mark has not failed.
func reportsErrors(source string) bool {
	switch source {
	case "claude-code", "claude-hooks", "inspect":
		return true
	}
	return false
}

// reportsExits says that a source writes the exit status of each call that ended, so that a call without one has an
// unknown outcome.
func reportsExits(source string) bool { return source == "codex" }

func rubricCall(c track.ToolCall, source string) rubric.Call {
	digest := sha256.Sum256([]byte(c.Input))
	call := rubric.Call{
		Tool: c.Tool, Exit: c.Exit, Error: c.Error, Answered: c.Answered, Output: c.Output, Command: c.Command, InputDigest: hex.EncodeToString(digest[:]),
	}
	if c.Input == "" {
		call.InputDigest = ""
	}
	if c.Rejected && call.Error == "" {
		call.Error = "rejected by the user"
	}
	call.StatusMissing = reportsExits(source) && c.Exit == nil
	if reportsErrors(source) && c.Answered {
		failed := c.Error != "" || c.Rejected
		call.IsError = &failed
	}
	if !c.Answered { // a result that is not there is no result, whatever else is known
		call.Output = nil
	}
	return call
}

// withCheckers adds the parsers that package rubric cannot have: SQLite, which is the database's own.
func withCheckers(o rubric.Options) rubric.Options {
	if o.Checkers != nil {
		return o
	}
	o.Checkers = map[string]rubric.Checker{"sqlite": {Name: "EXPLAIN of SQLite", Check: func(code string) error {
		err := store.CheckSQL(context.Background(), code)
		if errors.Is(err, store.ErrUnknownSchema) {
			return fmt.Errorf("%w: %w", rubric.ErrUnchecked, err)
		}
		return err
	}}}
	return o
}
