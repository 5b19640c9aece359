package sweep

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/jsonio"
	"track/internal/keptfiles"
	"track/internal/sizes"
)

// Plan is all that decides what a sweep runs. Its JSON may go to other machines.
type Plan struct {
	Scenario       string
	Command        []string // with placeholders
	Label          string
	Revision       track.Revision
	Grid           []track.Params // the parameters of each configuration
	Seeds          track.SeedRanges
	Timeout        time.Duration // 0 for none
	Limits         Limits
	Retries        int
	CollapsedExit  int // 0 for none
	Series         []string
	KeepFiles      []string       // patterns of files that are kept of each run
	MaxFileSize    sizes.Size     // of such a file; 1 MiB if zero
	Env            []string       // NAME=VALUE
	LibrariesFrom  string         // a command of the shell
	Depends        []string       // patterns of files that the command reads
	RepeatShare    float64        // of the seeds that are run again, from 0 to 1
	Until          string         // the rule by which it ends early; empty for none
	Halving        []Tier         // empty for none
	Shards         int            // into which it is cut; 0 for none
	Spec           jsontext.Value // the spec to judge by, for machines that do not have it; nil for none
	CreatedVersion string         // of the program that made it
}

// Tier is a round of successive halving: so many configurations go on to so many seeds each, in total.
type Tier struct {
	Configurations int `json:"configurations"`
	Seeds          int `json:"seeds"`
}

const planKind = "track sweep plan 1"

type planDocument struct {
	Kind           string           `json:"kind"`
	Scenario       string           `json:"scenario"`
	Command        []string         `json:"command"`
	Label          string           `json:"label,omitempty"`
	Revision       track.Revision   `json:"revision"`
	Grid           []jsontext.Value `json:"grid"`
	Seeds          string           `json:"seeds"`
	TimeoutS       float64          `json:"timeout_s,omitempty"`
	LimitCPU       float64          `json:"limit_cpu_s,omitempty"`
	LimitMemory    int64            `json:"limit_memory_bytes,omitempty"`
	Retries        int              `json:"retries,omitempty"`
	CollapsedExit  int              `json:"collapsed_exit,omitempty"`
	Series         []string         `json:"series,omitempty"`
	KeepFiles      []string         `json:"keep_files,omitempty"`
	MaxFileSize    int64            `json:"max_file_size,omitempty"`
	Env            []string         `json:"env,omitempty"`
	LibrariesFrom  string           `json:"env_cmd,omitempty"`
	Depends        []string         `json:"depends,omitempty"`
	RepeatShare    float64          `json:"repeat_check,omitempty"`
	Until          string           `json:"until,omitempty"`
	Halving        []Tier           `json:"halving,omitempty"`
	Shards         int              `json:"shards,omitempty"`
	Spec           jsontext.Value   `json:"spec,omitempty"`
	CreatedVersion string           `json:"track_version,omitempty"`
}

// JSON is the plan as [ReadPlan] reads it.
func (p Plan) JSON() ([]byte, error) {
	d := planDocument{
		Kind: planKind, Scenario: p.Scenario, Command: p.Command, Label: p.Label, Revision: p.Revision, Seeds: p.Seeds.String(), TimeoutS: p.Timeout.Seconds(),
		LimitCPU: p.Limits.CPU.Seconds(), LimitMemory: p.Limits.Memory,
		Retries: p.Retries, CollapsedExit: p.CollapsedExit, Series: p.Series, KeepFiles: p.KeepFiles, MaxFileSize: int64(p.MaxFileSize), Env: p.Env, LibrariesFrom: p.LibrariesFrom, Depends: p.Depends, RepeatShare: p.RepeatShare,
		Until: p.Until, Halving: p.Halving, Shards: p.Shards, Spec: p.Spec, CreatedVersion: p.CreatedVersion,
	}
	for _, params := range p.Grid {
		d.Grid = append(d.Grid, jsontext.Value(params.JSON()))
	}
	return json.Marshal(d, json.Deterministic(true))
}

// ReadPlan reads a plan; file stands in the errors.
func ReadPlan(file string, text []byte) (p Plan, err error) {
	var d planDocument
	if err := json.Unmarshal(text, &d, json.RejectUnknownMembers(true)); err != nil {
		failure := jsonio.FieldError(err)
		failure.File = file
		return p, failure
	}
	wrong := func(field, format string, args ...any) (Plan, error) {
		return p, &track.FieldError{File: file, Field: field, Message: fmt.Sprintf(format, args...)}
	}
	if d.Kind != planKind {
		return wrong("kind", "%q: a plan of a sweep has %q", d.Kind, planKind)
	}
	if err := track.CheckScenarioName(d.Scenario); err != nil {
		return wrong("scenario", "%v", err)
	}
	for _, name := range [...]struct{ field, text string }{{"label", d.Label}, {"revision.commit", d.Revision.Commit}, {"revision.diff_hash", d.Revision.DiffHash}, {"revision.files_hash", d.Revision.FilesHash}, {"revision.state_unknown", d.Revision.Unknown}} {
		if err := track.CheckName(name.text); name.text != "" && err != nil {
			return wrong(name.field, "%v", err)
		}
	}
	if len(d.Grid) == 0 || len(d.Grid) > maxConfigurations {
		return wrong("grid", "%d configurations, and not 1 to %d", len(d.Grid), maxConfigurations)
	}
	p = Plan{
		Scenario: d.Scenario, Command: d.Command, Label: d.Label, Revision: d.Revision, Retries: d.Retries, CollapsedExit: d.CollapsedExit, Series: d.Series,
		KeepFiles: d.KeepFiles, MaxFileSize: sizes.Size(d.MaxFileSize), Env: d.Env,
		LibrariesFrom: d.LibrariesFrom, Depends: d.Depends, RepeatShare: d.RepeatShare, Until: d.Until, Halving: d.Halving, Shards: d.Shards, Spec: d.Spec, CreatedVersion: d.CreatedVersion,
	}
	for i, object := range d.Grid {
		params, err := track.NewParams(object)
		if err != nil {
			return wrong(fmt.Sprintf("grid.%d", i), "%v", err)
		}
		p.Grid = append(p.Grid, params)
	}
	ranges, err := track.ParseSeedRanges(d.Seeds)
	if err != nil {
		return wrong("seeds", "%v", err)
	}
	p.Seeds = track.NewSeedRanges(ranges...)
	if !(d.TimeoutS >= 0 && d.TimeoutS <= 1e9) {
		return wrong("timeout_s", "%v is not a number of seconds from 0", d.TimeoutS)
	}
	p.Timeout = time.Duration(math.Round(d.TimeoutS*1e6)) * time.Microsecond
	if !(d.LimitCPU >= 0 && d.LimitCPU <= 1e9) {
		return wrong("limit_cpu_s", "%v is not a number of seconds from 0", d.LimitCPU)
	}
	p.Limits = Limits{time.Duration(math.Round(d.LimitCPU*1e6)) * time.Microsecond, d.LimitMemory}
	problem := p.checkGrid()
	if problem == nil {
		problem = p.Check()
	}
	if problem != nil {
		problem.File = file
		return p, problem
	}
	return p, nil
}

// Check says what is wrong with the plan.
func (p Plan) Check() *track.FieldError {
	wrong := func(field, format string, args ...any) *track.FieldError {
		return &track.FieldError{Field: field, Message: fmt.Sprintf(format, args...)}
	}
	if _, err := p.ParsedCommand(); err != nil {
		return wrong("command", "%v", err)
	}
	for i, e := range p.Env {
		if name, _, given := strings.Cut(e, "="); !given || name == "" {
			return wrong("env", "entry %d is not NAME=VALUE", i+1)
		}
	}
	for _, pattern := range p.Series {
		if _, err := filepath.Match(pattern, ""); err != nil {
			return wrong("series", "%q is no pattern: %v", pattern, err)
		}
	}
	for _, pattern := range p.KeepFiles {
		if err := keptfiles.CheckPattern(pattern); err != nil {
			return wrong("keep_files", "%v", err)
		}
	}
	if err := keptfiles.CheckLargest(p.MaxFileSize); err != nil {
		return wrong("max_file_size", "%v", err)
	}
	if problem := p.Limits.check(); problem != nil {
		return problem
	}
	switch {
	case len(p.Seeds) == 0:
		return wrong("seeds", "there are none")
	case p.Retries < 0 || p.Retries > 100:
		return wrong("retries", "%d is not a number from 0 to 100", p.Retries)
	case p.CollapsedExit < 0 || p.CollapsedExit > 255:
		return wrong("collapsed_exit", "%d is not an exit code from 1 to 255", p.CollapsedExit)
	case !(p.RepeatShare >= 0 && p.RepeatShare <= 1):
		return wrong("repeat_check", "%v is not a share from 0 to 1", p.RepeatShare)
	case p.Shards < 0 || p.Shards > p.Seeds.Len():
		return wrong("shards", "%d is not a number from 1 to that of the seeds, which are %d", p.Shards, p.Seeds.Len())
	}
	return p.checkHalving()
}

// checkGrid refuses what [Grid] does not make: the command is read with the names of the first configuration.
func (p Plan) checkGrid() *track.FieldError {
	var names []string
	seen := map[track.Params]bool{}
	for i, params := range p.Grid {
		wrong := func(format string, args ...any) *track.FieldError {
			return &track.FieldError{Field: fmt.Sprintf("grid.%d", i), Message: fmt.Sprintf(format, args...)}
		}
		values, err := words(params)
		if err != nil {
			return wrong("%v", err)
		}
		here := slices.Sorted(maps.Keys(values))
		if i == 0 {
			names = here
		}
		switch {
		case slices.Contains(here, placeSeed) || slices.Contains(here, placeOut):
			return wrong("{seed} and {out} are filled in by the sweep: they cannot be names of parameters")
		case !slices.Equal(here, names):
			return wrong("its parameters have other names than those of grid.0")
		case seen[params]:
			return wrong("%s is duplicated", params.JSON())
		}
		seen[params] = true
	}
	return nil
}

func (p Plan) checkHalving() *track.FieldError {
	wrong := func(format string, args ...any) *track.FieldError {
		return &track.FieldError{Field: "halving", Message: fmt.Sprintf(format, args...)}
	}
	for i, tier := range p.Halving {
		switch {
		case i == 0 && tier.Configurations != len(p.Grid):
			return wrong("it begins with %d configurations, and the grid has %d", tier.Configurations, len(p.Grid))
		case tier.Configurations < 1 || tier.Seeds < 1:
			return wrong("%d:%d has to be numbers from 1", tier.Configurations, tier.Seeds)
		case i > 0 && tier.Configurations >= p.Halving[i-1].Configurations:
			return wrong("%d:%d keeps no fewer configurations than the tier before", tier.Configurations, tier.Seeds)
		case i > 0 && tier.Seeds <= p.Halving[i-1].Seeds:
			return wrong("%d:%d has no more seeds than the tier before: seeds are counted in total", tier.Configurations, tier.Seeds)
		case tier.Seeds > p.Seeds.Len():
			return wrong("%d:%d needs %d seeds, and there are %d", tier.Configurations, tier.Seeds, tier.Seeds, p.Seeds.Len())
		}
	}
	if len(p.Halving) > 0 && p.Until != "" {
		return wrong("it says itself how many seeds there are: it cannot be had with a rule to end early")
	}
	if p.Shards > 0 && (len(p.Halving) > 0 || p.Until != "") {
		return &track.FieldError{Field: "shards", Message: "halving and rules to end early look at all seeds, of which a shard has a part: they cannot be cut into shards"}
	}
	return nil
}

// ParsedCommand is the command with its placeholders.
func (p Plan) ParsedCommand() (Command, error) {
	var names []string
	if len(p.Grid) > 0 {
		params, err := words(p.Grid[0])
		if err != nil {
			return Command{}, err
		}
		for name := range params {
			names = append(names, name)
		}
	}
	return parseCommand(p.Command, names)
}

// Configurations are those of the grid.
func (p Plan) Configurations() []track.Configuration {
	list := make([]track.Configuration, len(p.Grid))
	for i, params := range p.Grid {
		if params == "{}" {
			params = ""
		}
		list[i] = track.Configuration{Label: p.Label, Params: params, Revision: p.Revision}
	}
	return list
}

// Shard returns the part of the plan with this number, from 1: a run of its seeds, as long as that of the others up to
// one.
func (p Plan) Shard(number int) (Plan, error) {
	if p.Shards == 0 {
		return p, track.WithHint(fmt.Errorf("%w: the plan is not cut into shards", track.ErrInvalid), track.NewHint("write a plan in shards", "sweep plan").With("shards", "N"))
	}
	if number < 1 || number > p.Shards {
		return p, fmt.Errorf("%w: shard %d: the plan has shards 1 to %d", track.ErrInvalid, number, p.Shards)
	}
	n := p.Seeds.Len()
	p.Seeds = p.Seeds.Slice(part(n, number-1, p.Shards), part(n, number, p.Shards))
	return p, nil
}

// part is n·i/parts without overflow.
func part(n, i, parts int) int { return n/parts*i + n%parts*i/parts }

// ParseHalving reads tiers as 100:10,50:20.
func ParseHalving(s string) (tiers []Tier, err error) {
	for word := range strings.SplitSeq(s, ",") {
		var t Tier
		if n, err := fmt.Sscanf(strings.TrimSpace(word)+"\n", "%d:%d\n", &t.Configurations, &t.Seeds); n != 2 || err != nil {
			return nil, fmt.Errorf("%q is not CONFIGURATIONS:SEEDS, as in 100:10,50:20,10:100", word)
		}
		tiers = append(tiers, t)
	}
	return tiers, nil
}

// maxConfigurations bounds a grid.
const maxConfigurations = 10_000

// Grid returns the parameters of each configuration: every row of a design with every combination of the values of
// KEY=VALUE,VALUE,… pairs, the last key changing fastest. No rows are one row without parameters. A value is what
// [Word] reads; what is JSON as a whole, as [1,2] or "a,b", is one value.
func Grid(design []track.Params, pairs []string) ([]track.Params, error) {
	grid, err := objects(design)
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not KEY=VALUE", pair)
		}
		if err := checkParameterName(key); err != nil {
			return nil, err
		}
		values, err := gridValues(key, text)
		if err != nil {
			return nil, err
		}
		if grid, err = spread(grid, key, values); err != nil {
			return nil, err
		}
	}
	return distinctParams(grid)
}

// objects returns the rows of a design as objects; a single empty one for no rows.
func objects(design []track.Params) ([]map[string]jsontext.Value, error) {
	if len(design) == 0 {
		return []map[string]jsontext.Value{{}}, nil
	}
	list := make([]map[string]jsontext.Value, len(design))
	for i, row := range design {
		if err := json.Unmarshal(row.JSON(), &list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// spread returns each object with each of the values of one more key.
func spread(grid []map[string]jsontext.Value, key string, values []jsontext.Value) (next []map[string]jsontext.Value, err error) {
	if _, twice := grid[0][key]; twice {
		return nil, fmt.Errorf("%s is given twice; several values are separated by commas", key)
	}
	if len(grid)*len(values) > maxConfigurations {
		return nil, fmt.Errorf("the grid has more than %d configurations", maxConfigurations)
	}
	for _, params := range grid {
		for _, value := range values {
			more := maps.Clone(params)
			more[key] = value
			next = append(next, more)
		}
	}
	return next, nil
}

// distinctParams returns objects in canonical form, and an error if two are equal.
func distinctParams(grid []map[string]jsontext.Value) (list []track.Params, err error) {
	seen := make(map[track.Params]bool, len(grid))
	for _, params := range grid {
		text, err := json.Marshal(params, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		canonical, err := track.NewParams(text)
		if err != nil {
			return nil, err
		}
		if seen[canonical] {
			return nil, fmt.Errorf("%s is the same configuration twice", canonical.JSON())
		}
		seen[canonical] = true
		list = append(list, canonical)
	}
	return list, nil
}

// checkParameterName refuses the names that the sweep fills in.
func checkParameterName(name string) error {
	if name == placeSeed || name == placeOut {
		return fmt.Errorf("%s cannot be the name of a parameter: {%s} is filled in by the sweep", name, name)
	}
	return nil
}

func gridValues(key, text string) (values []jsontext.Value, err error) {
	if list := jsontext.Value("[" + text + "]"); list.IsValid() { // 8,10 and [1,2],[3], and what is one value
		err := json.Unmarshal(list, &values)
		if err == nil && len(values) > 0 {
			return values, nil
		}
	}
	words := strings.Split(text, ",")
	for _, word := range words {
		if len(words) > 1 && word == "" {
			return nil, fmt.Errorf("%s=%s has an empty value among others", key, text)
		}
		value, err := Word(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		values = append(values, value)
	}
	return values, nil
}

// Word returns a value that is given as text: JSON stands for itself, .5, 5. and +5 are numbers, and True is a boolean.
// Any other text is a string.
func Word(text string) (jsontext.Value, error) {
	value := jsontext.Value(text)
	switch {
	case value.IsValid():
		return value, nil
	case isNumber(text):
		x, err := strconv.ParseFloat(text, 64)
		return jsontext.Value(strconv.FormatFloat(x, 'g', -1, 64)), err
	case isBoolean(text):
		return jsontext.Value(strings.ToLower(text)), nil
	}
	return json.Marshal(text)
}

// isBoolean reports whether text is true or false, as JSON, Python or a spreadsheet writes them.
func isBoolean(text string) bool {
	return strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
}

// OddTexts names the values that look like numbers and are strings, such as 1_000 and O.4.
func OddTexts(grid []track.Params) (list []string) {
	for _, params := range grid {
		values, err := words(params)
		if err != nil {
			continue // the grid has read them
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			text := fmt.Sprintf("the parameter %s has the text %q, which is no number", name, values[name])
			if mistypedNumber.MatchString(values[name]) && !isNumber(values[name]) && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

// words are the values of parameters as a command line has them: strings without quotes, anything else as JSON.
func words(p track.Params) (map[string]string, error) {
	var values map[string]jsontext.Value
	if err := json.Unmarshal(p.JSON(), &values); err != nil {
		return nil, err
	}
	list := make(map[string]string, len(values))
	for name, value := range values {
		list[name] = string(value)
		if value.Kind() == '"' {
			var s string
			if err := json.Unmarshal(value, &s); err != nil {
				return nil, err
			}
			list[name] = s
		}
	}
	return list, nil
}
