package sweeps

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/answer/param"
	"track/internal/admission"
	"track/internal/provenance"
	"track/scoring/design"
	"track/spec"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
)

// NewPlan returns the plan of a sweep. A mistake is a [param.Error].
func NewPlan(q answer.SweepSettings, rules answer.SweepRules) (plan sweep.Plan, err error) {
	plan = sweep.Plan{
		Scenario: admission.Normal(q.Scenario), Command: q.Command, Label: admission.Normal(q.Label), Timeout: q.Timeout, Retries: q.Retries, CollapsedExit: q.CollapsedExit,
		Series: q.Series, KeepFiles: q.KeepFiles, Env: q.Env, LibrariesFrom: q.LibrariesFrom, Depends: q.Depends, RepeatShare: q.RepeatShare, Until: rules.Until,
	}
	if plan.Limits, err = limitsOf(q); err != nil {
		return plan, err
	}
	if q.MaxFileSize != "" {
		if err := plan.MaxFileSize.Set(q.MaxFileSize); err != nil {
			return plan, &param.Error{Param: "max-file-size", Message: err.Error(), Cause: err}
		}
	}
	if plan.Seeds, err = plannedSeeds(q); err != nil {
		return plan, err
	}
	var rows []track.Params
	if q.Design != nil {
		if rows, err = sweep.ReadDesign("", []byte(*q.Design)); err != nil {
			return plan, &param.Error{Param: "design", Message: err.Error(), Cause: err}
		}
	}
	if plan.Grid, err = sweep.Grid(rows, q.Params); err != nil {
		return plan, &param.Error{Param: "param", Message: err.Error(), Cause: err}
	}
	for i, params := range plan.Grid {
		if plan.Grid[i], err = admission.NormalParams(params); err != nil {
			return plan, &param.Error{Param: "param", Message: err.Error(), Cause: err}
		}
	}
	if err := rules.Check(); err != nil {
		return plan, err
	}
	if rules.Halving != "" {
		if plan.Halving, err = sweep.ParseHalving(rules.Halving); err != nil {
			return plan, &param.Error{Param: "halving", Message: err.Error(), Cause: err}
		}
	}
	if rules.Decided {
		plan.Until = strings.TrimSpace("decided " + looksText(rules.Looks))
	}
	if _, err := plan.ParsedCommand(); err != nil {
		return plan, err
	}
	return plan, checkPlan(plan)
}

func limitsOf(q answer.SweepSettings) (limits sweep.Limits, err error) {
	limits.CPU = q.LimitCPU
	if limits.Memory, err = sweep.ParseMemory(q.LimitMemory); err != nil {
		return limits, &param.Error{Param: "limit-memory", Message: err.Error(), Cause: err}
	}
	return limits, nil
}

// checkPlan returns what is wrong with a plan as an error about a parameter.
func checkPlan(plan sweep.Plan) error {
	if problem := plan.Check(); problem != nil {
		name := strings.ReplaceAll(problem.Field, "_", "-")
		if name == "keep-files" {
			name = "keep-file"
		}
		return &param.Error{Param: name, Message: problem.Message}
	}
	return nil
}

func looksText(looks []int) string {
	words := make([]string, len(looks))
	for i, n := range looks {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// plannedSeeds returns the seeds that the settings name.
func plannedSeeds(q answer.SweepSettings) (track.SeedRanges, error) {
	wrong := func(format string, args ...any) (track.SeedRanges, error) {
		return nil, &param.Error{Param: "seeds", Message: fmt.Sprintf(format, args...)}
	}
	text := q.Seeds
	switch {
	case text == "" && q.MaxSeeds == 0:
		return wrong("missing: name the seeds to run, such as 0..99")
	case text == "":
		text = "0.." + strconv.Itoa(q.MaxSeeds-1)
	}
	if rest, open := strings.CutSuffix(text, ".."); open {
		text = rest + ".." + strconv.FormatUint(math.MaxUint64, 10)
	}
	ranges, err := track.ParseSeedRanges(text)
	if err != nil {
		return wrong("%v", err)
	}
	planned := track.NewSeedRanges(ranges...)
	if q.MaxSeeds > 0 {
		planned = planned.Slice(0, q.MaxSeeds)
	}
	const most = 1_000_000_000
	if planned.Len() > most {
		return wrong("%s: more than %d seeds; say with max-seeds how many to run", q.Seeds, most)
	}
	return planned, nil
}

// NewStopRule returns the rule by which a sweep of these seeds ends early; nil for none.
func NewStopRule(rules answer.SweepRules, planned track.SeedRanges) (*StopRule, error) {
	switch {
	case rules.Until != "":
		precision, err := parsePrecision(rules.Until)
		if err != nil {
			return nil, &param.Error{Param: "until", Message: err.Error(), Cause: err}
		}
		return &StopRule{Precision: precision}, nil
	case !rules.Decided:
		return nil, nil
	}
	rule := &StopRule{Looks: rules.Looks}
	if n := len(rule.Looks); n > 0 && rule.Looks[n-1] > planned.Len() {
		return nil, &param.Error{Param: "plan", Message: fmt.Sprintf("%s: the last look is at %d seeds, and there are %d", looksText(rule.Looks), rule.Looks[n-1], planned.Len())}
	}
	if rules.Baseline != (answer.Selector{}) {
		rule.Baseline = &rules.Baseline
	}
	return rule, nil
}

// PlanFor returns a plan in shards with the newest spec of its scenario. Nothing is recorded.
func PlanFor(ctx context.Context, r *store.Reader, q answer.SweepPlanQuestion) (a answer.SweepPlan, err error) {
	stored, err := r.Spec(ctx, q.Scenario, 0)
	if err != nil && !errors.Is(err, track.ErrNotFound) {
		return a, err
	}
	return WritePlan(q, jsontext.Value(stored.Document))
}

// WritePlan returns a plan in shards with a spec; nil for none. Nothing is recorded.
func WritePlan(q answer.SweepPlanQuestion, spec jsontext.Value) (a answer.SweepPlan, err error) {
	plan, err := NewPlan(q.SweepSettings, answer.SweepRules{})
	if err != nil {
		return a, err
	}
	plan.Shards, plan.Spec, plan.Revision, plan.CreatedVersion = q.Shards, spec, q.Revision, q.Creator
	if plan.Revision.Commit == "" {
		plan.Revision.Commit = q.Commit
	}
	if plan.Revision.Unknown != "" {
		err := fmt.Errorf("%w: the state of the code is unknown, so no machine could tell whether it has the code of the plan", track.ErrConflict)
		return a, track.WithHint(err, track.Hint{Text: "run the command again when git status works, or name the revision"}.With("commit", "REVISION"))
	}
	if err := checkPlan(plan); err != nil {
		return a, err
	}
	a = answer.SweepPlan{WithoutSpec: len(spec) == 0, Secrets: []string{}}
	rules := admission.New(false)
	for _, setting := range plan.Env {
		name, value, _ := strings.Cut(setting, "=")
		if _, n := rules.Setting(name, value); n > 0 {
			a.Secrets = append(a.Secrets, name)
		}
	}
	a.Plan, err = plan.JSON()
	return a, err
}

// AddPlannedSpec adds the spec of a plan, unless its scenario has one already. If that is another spec, AddPlannedSpec
// returns its version: it judges the seeds.
func AddPlannedSpec(ctx context.Context, st *store.Store, plan sweep.Plan) (other int, err error) {
	decoded, err := spec.Parse("spec of the plan", plan.Spec)
	if err != nil {
		return 0, err
	}
	if decoded, err = seeds.Admitted(decoded, st.Texts()); err != nil {
		return 0, err
	}
	stored, err := st.Spec(ctx, decoded.Scenario, 0)
	if errors.Is(err, track.ErrNotFound) {
		_, err = seeds.AddSpec(ctx, st, decoded, nil)
		return 0, err
	}
	if err == nil && stored.Hash != spec.Hash(decoded) {
		return stored.Version, nil
	}
	return 0, err
}

// CheckRevision returns an error if the code is not what a plan names.
func CheckRevision(plan sweep.Plan, here track.Revision) error {
	if here == plan.Revision && here.Unknown == "" {
		return nil
	}
	hint := track.Hint{Text: "check out the revision of the plan, or run it anyway: the seeds are recorded under the revision of the plan"}
	return track.WithHint(fmt.Errorf("%w: the plan is for %s, and the code here is %s", track.ErrConflict, RevisionText(plan.Revision), RevisionText(here)),
		hint.With("any-revision", ""))
}

// RevisionText returns a revision for people.
func RevisionText(r track.Revision) string {
	if r.Commit == "" && r.Unknown == "" {
		return "no commit"
	}
	return r.String()
}

// NewDesign returns configurations that are spread over ranges of parameters. A mistake is a [param.Error].
func NewDesign(q answer.DesignQuestion) (a answer.Design, err error) {
	parameters := make([]design.Parameter, len(q.Parameters))
	names := make([]string, len(q.Parameters))
	for i, text := range q.Parameters {
		if parameters[i], err = design.ParseParameter(text); err != nil {
			return a, &param.Error{Param: "param", Message: err.Error()}
		}
		names[i] = parameters[i].Name
	}
	seed := uint64(1)
	if q.Seed != nil {
		seed = *q.Seed
	}
	if a.Design, err = design.New(q.Method, parameters, q.N, seed); err != nil {
		wrong := &param.Error{Param: "param", Message: err.Error()}
		if errors.Is(err, design.ErrNumber) {
			wrong.Param = "n"
		}
		return a, wrong
	}
	a.Rows = make([]track.Params, len(a.Points))
	for i, point := range a.Points {
		if a.Rows[i], err = sweep.DesignRow(names, point); err != nil {
			return a, &param.Error{Param: "param", Message: err.Error()}
		}
	}
	return a, nil
}

// FindOrigin returns the origin of the seeds of a plan, with the revision of the code and of the files that the plan
// depends on. The files are read first, so that none changes unseen while git looks at them. declared is the commit
// that the user named; empty to ask git.
func FindOrigin(ctx context.Context, plan sweep.Plan, declared, program string, patience provenance.Patience) (origin provenance.Origin, files provenance.Files, err error) {
	command, err := plan.ParsedCommand()
	if err != nil {
		return origin, files, err
	}
	lines, err := command.Lines(plan.Grid)
	if err == nil {
		files, err = provenance.FindFiles(ctx, lines, plan.Env, plan.Depends)
	}
	if err != nil {
		return origin, files, err
	}
	origin = provenance.Find(ctx, declared, program, patience)
	origin.Revision.FilesHash, err = files.Hash(ctx, origin, patience)
	return origin, files, err
}

const keptAttachment = 4 << 20 // bytes

// AddProvenance adds to the options, which have the environment of the origin, what is known of the code, its variables
// and the libraries. declared says that the revision of the plan was given, and is not that of the working directory.
// If the changes of the code cannot be kept, notice hears why.
func (o *Options) AddProvenance(ctx context.Context, declared bool, patience provenance.Patience, notice func(text string)) (err error) {
	revision := o.Plan.Revision
	for _, entry := range o.Plan.Env {
		name, value, _ := strings.Cut(entry, "=")
		o.Environment["env."+name], _ = o.Texts.Setting(name, value)
	}
	if !declared && revision.Commit != "" && revision.Unknown == "" {
		revision.FilesHash = "" // they are watched on their own
		patience := patience
		patience.Notice = nil // the seeds run on
		o.CodeChanged = func() (bool, error) { return provenance.HasChanged(context.WithoutCancel(ctx), revision, patience) }
	}
	if !declared && revision.Dirty {
		if o.Changes, err = provenance.Changes(ctx, "", keptAttachment, patience); err != nil {
			notice(fmt.Sprintf("the changes of the code are not kept: %v", err))
		}
	}
	if command := o.Plan.LibrariesFrom; command != "" {
		if o.Libraries, err = provenance.Libraries(ctx, command, keptAttachment); err != nil {
			return track.WithHint(fmt.Errorf("list the libraries: %w: %w", track.ErrInvalid, err), track.Hint{Text: "sh -c runs it, before the first seed"})
		}
		o.Environment["libraries"] = hashOfMasked(o.Texts, o.Libraries)
	}
	return nil
}

func hashOfMasked(rules *admission.Rules, text string) string {
	masked, _ := rules.Text(text)
	sum := sha256.Sum256([]byte(masked))
	return hex.EncodeToString(sum[:])
}
