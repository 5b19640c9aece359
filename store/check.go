package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/series"
)

// A bit that flips in an id or a time is still an id or a time to a database. A record therefore carries a SHA-256 of
// what was stored with it. It is computed when the record is written, and compared by track check, backup and merge.
// Rows of lineages, versions and executions change: each change makes their checksum anew, from what is stored. A
// record that was damaged before stays so, or a change would hide the damage.

// Checksum returns the SHA-256 of columns: int64, float64, string, []byte, or nil.
func Checksum[T any](columns ...T) []byte {
	sum := sha256.Sum256(appendColumns(make([]byte, 0, 256), columns))
	return sum[:]
}

// appendColumns appends columns for a checksum, each with its type.
func appendColumns[T any](buffer []byte, columns []T) []byte {
	const ofNull, ofInteger, ofFloat, ofText, ofBlob = 0, 1, 2, 3, 4
	withLength := func(kind byte, n int) []byte { return binary.BigEndian.AppendUint32(append(buffer, kind), uint32(n)) }
	for _, column := range columns {
		switch x := any(column).(type) {
		case nil:
			buffer = append(buffer, ofNull)
		case int64:
			buffer = binary.BigEndian.AppendUint64(append(buffer, ofInteger), uint64(x))
		case float64:
			buffer = binary.BigEndian.AppendUint64(append(buffer, ofFloat), math.Float64bits(x+0)) // SQLite does not keep the sign of zero
		case string:
			buffer = append(withLength(ofText, len(x)), x...)
		case []byte:
			buffer = append(withLength(ofBlob, len(x)), x...)
		default:
			panic(fmt.Sprintf("a column is %T", x))
		}
	}
	return buffer
}

// The columns that checksums cover, each followed by the checksum.
const (
	seedChecked = `
	seed.ulid, seed.scenario_id, seed.configuration_id, seed.number, seed.outcome, seed.message, seed.digest, seed.environment_id,
	seed.started_at, seed.duration_us, seed.recorded_at, seed.checksum`
	assessmentChecked = `
	assessment.seed_id, assessment.spec_id, assessment.total_score, assessment.n_pass, assessment.n_warn, assessment.n_fail,
	assessment.assessed_at, assessment.results, assessment.checksum`
	lineageChecked = `
	lineage.name, lineage.keep_text, lineage.seed, lineage.subject, lineage.trials_elsewhere, lineage.created_at, lineage.checksum`
	versionChecked = `
	version.id, version.lineage_id, version.name, version.parent_id, version.operator, CASE WHEN version.content IS NULL THEN 0 ELSE 1 END,
	version.content_digest, version.masking, version.status, version.note, version.source, version.source_score, version.source_parent_score,
	version.source_created_at, version.created_at, version.checksum`
)

// isSound reports whether the last of some columns is the checksum of those before it.
func isSound(columns []driver.Value) bool {
	last := len(columns) - 1
	stored, _ := columns[last].([]byte)
	return bytes.Equal(stored, Checksum(columns[:last]...))
}

// unsealed is the checksum of a row that is sealed in the same transaction.
func unsealed() []byte { return []byte{} }

// sealedTable reads the checked columns of a row of a table, and stores their checksum.
type sealedTable struct{ read, seal string }

func sealedLineages() sealedTable {
	return sealedTable{`SELECT ` + lineageChecked + ` FROM lineage WHERE id = $1`, `UPDATE lineage SET checksum = $1 WHERE id = $2`}
}

func sealedVersions() sealedTable {
	return sealedTable{`SELECT ` + versionChecked + ` FROM version WHERE id = $1`, `UPDATE version SET checksum = $1 WHERE id = $2`}
}

// columns reads the checked columns of a row, and its checksum.
func (s sealedTable) columns(t *Tx, id int64) (columns []driver.Value, err error) {
	return columns, t.each(t.ctx, s.read, []any{id}, func(c *cells) { columns = slices.Clone(c.row) })
}

// seal stores the checksum of a row that was just added.
func (t *Tx) seal(s sealedTable, id int64) error {
	columns, err := s.columns(t, id)
	if err == nil {
		_, err = t.exec(s.seal, Checksum(columns[:len(columns)-1]...), id)
	}
	return err
}

// execSealed runs a statement that changes a row, and stores the new checksum.
func (t *Tx) execSealed(s sealedTable, id int64, query string, args ...any) error {
	columns, err := s.columns(t, id)
	if err != nil {
		return err
	}
	if _, err := t.exec(query, args...); err != nil || !isSound(columns) {
		return err
	}
	return t.seal(s, id)
}

const (
	listCheckedExecutions = `
	SELECT execution.id, execution.checksum, execution.ulid, execution.lineage_id, execution.version_id, execution.source, execution.key, execution.task,
	       execution.task_type, execution.complexity, execution.trial, execution.session, execution.status, execution.message, execution.corrections,
	       execution.truncated, execution.holdout, execution.model, execution.tokens_input, execution.tokens_output, execution.tokens_cache_read,
	       execution.tokens_cache_write, execution.tokens_reasoning, execution.cost_usd, execution.priced, execution.n_calls, execution.n_failed, execution.n_unknown,
	       execution.rubric, CASE WHEN execution.prompt IS NULL THEN 0 ELSE 1 END, execution.prompt_bytes, execution.prompt_digest,
	       CASE WHEN execution.output IS NULL THEN 0 ELSE 1 END, execution.output_bytes, execution.output_digest, execution.digest, execution.structure,
	       execution.masking, execution.is_open, execution.at, execution.started_at, execution.duration_us, execution.recorded_at,
	       execution.forgotten_at, execution.truths
	  FROM execution WHERE (CAST($3 AS bigint) = 0 OR +execution.lineage_id = $3) AND execution.id > $1 ORDER BY execution.id LIMIT $2`
	sealExecution    = `UPDATE execution SET checksum = $1 WHERE id = $2`
	executionsAtOnce = 1000
)

// executionSum is the checksum of an execution as it is stored, and the hash of its row, calls, requests and scores.
type executionSum struct {
	id     int64
	ulid   string
	stored []byte
	hash   hash.Hash
}

func (e *executionSum) isSound() bool { return bytes.Equal(e.stored, e.hash.Sum(nil)) }

// executionSums returns at most n executions after a row; those of a lineage, or of all if it is 0.
func (r *Reader) executionSums(ctx context.Context, lineage, after int64, n int) ([]*executionSum, error) {
	byID := map[int64]*executionSum{}
	sums, err := list(ctx, r, listCheckedExecutions, []any{after, n, lineage}, func(c *cells) *executionSum {
		e := &executionSum{c.integer(), "", c.bytes(), sha256.New()}
		e.hash.Write(appendColumns(nil, c.row[c.next:]))
		e.ulid, byID[e.id] = c.text(), e
		return e
	})
	if err != nil || len(sums) == 0 {
		return nil, err
	}
	for i, query := range [...]string{
		`SELECT execution_id, position, key, tool, CASE WHEN input IS NULL THEN 0 ELSE 1 END, input_bytes, input_digest, exit, error, answered, rejected,
		        CASE WHEN output IS NULL THEN 0 ELSE 1 END, output_bytes, output_digest, output_whole, started_at, duration_us, request
		   FROM call WHERE execution_id BETWEEN $1 AND $2 ORDER BY execution_id, position`,
		`SELECT execution_id, number, message_id, request_id, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, tokens_reasoning
		   FROM request WHERE execution_id BETWEEN $1 AND $2 ORDER BY execution_id, number`,
		`SELECT execution_id, rubric, score, grade, n_failed, n_unknown, scored_at, components, document
		   FROM execution_score WHERE execution_id BETWEEN $1 AND $2 ORDER BY execution_id, rubric`,
	} {
		err := r.each(ctx, query, []any{sums[0].id, sums[len(sums)-1].id}, func(c *cells) {
			if e := byID[c.integer()]; e != nil {
				e.hash.Write(appendColumns([]byte{byte(i)}, c.row[1:]))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// executionSum returns the checksum of one execution; nil if there is none.
func (t *Tx) executionSum(id int64) (*executionSum, error) {
	sums, err := t.executionSums(t.ctx, 0, id-1, 1)
	if err != nil || len(sums) == 0 || sums[0].id != id {
		return nil, err
	}
	return sums[0], nil
}

// sealExecution stores the checksum of an execution that was just added.
func (t *Tx) sealExecution(id int64) error {
	e, err := t.executionSum(id)
	if err == nil && e != nil {
		_, err = t.exec(sealExecution, e.hash.Sum(nil), id)
	}
	return err
}

// changeExecution lets change alter an execution, and stores its new checksum.
func (t *Tx) changeExecution(id int64, change func() error) error {
	before, err := t.executionSum(id)
	if err != nil {
		return err
	}
	if err := change(); err != nil || before == nil || !before.isSound() {
		return err
	}
	return t.sealExecution(id)
}

// Damage is a record that is not as it was stored.
type Damage struct {
	Table   string
	Problem string // the same for all records that are damaged alike
	Record  string // which one
}

// CheckExecutions compares executions with their checksums; those of a lineage, or of all if it is 0.
func (r *Reader) CheckExecutions(ctx context.Context, lineage int64, found func(Damage)) (n int, err error) {
	for last := int64(-1 << 63); ; {
		sums, err := r.executionSums(ctx, lineage, last, executionsAtOnce)
		if err != nil || len(sums) == 0 {
			return n, err
		}
		for _, e := range sums {
			if !e.isSound() {
				found(Damage{"execution", "its row, calls, requests or scores differ from its checksum", "execution " + e.ulid})
			}
		}
		n, last = n+len(sums), sums[len(sums)-1].id
	}
}

// checkLineages compares the rows of a lineage and its versions with their checksums; those of all lineages if it is 0.
func (r *Reader) checkLineages(ctx context.Context, lineage int64, found func(Damage)) (n int, err error) {
	for _, c := range [...]struct{ table, query string }{
		{"lineage", `SELECT 'lineage ' || lineage.name, ` + lineageChecked + ` FROM lineage WHERE CAST($1 AS bigint) IN (0, lineage.id)`},
		{"version", `SELECT 'version ' || version.name || ' of lineage ' || coalesce(lineage.name, ''), ` + versionChecked + `
		   FROM version LEFT JOIN lineage ON lineage.id = version.lineage_id WHERE CAST($1 AS bigint) IN (0, version.lineage_id)`},
	} {
		err := r.each(ctx, c.query, []any{lineage}, func(row *cells) {
			if n++; !isSound(row.row[1:]) {
				found(Damage{c.table, "its row differs from its checksum", row.text()})
			}
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// CheckCounts counts what a check has read.
type CheckCounts struct{ Seeds, Values, Assessments, Results int }

const (
	listCheckedSeeds = `
	SELECT seed.id, scenario.name, seed.numbers, ` + seedChecked + `
	  FROM seed LEFT JOIN scenario ON scenario.id = seed.scenario_id
	 WHERE seed.id > $1 ORDER BY seed.id LIMIT 1000`
	listCheckedSeries = `
	SELECT seed_series.seed_id, seed_series.name, series_content.hash
	  FROM seed_series JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE seed_series.seed_id BETWEEN $1 AND $2 ORDER BY seed_series.seed_id, seed_series.name`
	listCheckedArtifacts = `
	SELECT artifact.seed_id, artifact.name, artifact.left_out, artifact_content.hash
	  FROM artifact LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
	 WHERE artifact.seed_id BETWEEN $1 AND $2 ORDER BY artifact.seed_id, artifact.name`
	listCheckedAssessments = `
	SELECT seed.ulid, seed.number, scenario.name, spec.version,` + assessmentChecked + `
	  FROM assessment LEFT JOIN seed ON seed.id = assessment.seed_id LEFT JOIN scenario ON scenario.id = seed.scenario_id
	  LEFT JOIN spec ON spec.id = assessment.spec_id
	 WHERE (assessment.seed_id, assessment.spec_id) > ($1, $2) ORDER BY assessment.seed_id, assessment.spec_id LIMIT 1000`
)

// checkedSeed is a seed whose values are compared with its digest.
type checkedSeed struct {
	id        int64
	name      string
	outcome   string
	digest    []byte // nil while it runs
	values    map[string]float64
	series    []byte // name, zero and hash of each of its series
	artifacts []byte // what each of its artifacts adds to the digest
}

// CheckSeeds compares the values of every seed with its digest. done is called now and then.
func (r *Reader) CheckSeeds(ctx context.Context, found func(Damage), done func(CheckCounts)) (counts CheckCounts, err error) {
	for last := int64(math.MinInt64); ; {
		page := map[int64]*checkedSeed{}
		first := int64(math.MaxInt64)
		err := r.each(ctx, listCheckedSeeds, []any{last}, func(c *cells) {
			s := &checkedSeed{id: c.integer()}
			scenario, numbers, checked := c.text(), c.text(), c.row[3:]
			ulid := c.text()
			c.next += 2
			s.name = fmt.Sprintf("seed %s of %s (%s)", c.number(), scenario, ulid)
			s.outcome, _ = checked[4].(string)
			s.digest, _ = checked[6].([]byte)
			if !isSound(checked) {
				found(Damage{"seed", "its row differs from its checksum", s.name})
			}
			var err error
			if s.values, err = numbersOf(numbers); err != nil {
				found(Damage{"seed", "its values cannot be decoded", s.name})
			}
			first, last, page[s.id] = min(first, s.id), s.id, s
		})
		if err != nil || len(page) == 0 {
			return counts, err
		}
		err = r.each(ctx, listCheckedSeries, []any{first, last}, func(c *cells) {
			if s := page[c.integer()]; s != nil {
				s.series = append(append(append(s.series, c.text()...), 0), c.bytes()...)
			}
		})
		if err == nil {
			err = r.each(ctx, listCheckedArtifacts, []any{first, last}, func(c *cells) {
				if s := page[c.integer()]; s != nil {
					a, hash := c.artifactDigest()
					s.artifacts = a.AppendDigest(s.artifacts, hash)
				}
			})
		}
		if err != nil {
			return counts, err
		}
		for _, id := range slices.Sorted(maps.Keys(page)) {
			counts.Seeds++
			counts.Values += len(page[id].values)
			page[id].check(found)
		}
		done(counts)
	}
}

// check compares what a seed measured with its digest.
func (s *checkedSeed) check(found func(Damage)) {
	if s.outcome == "" && s.digest == nil && len(s.values) == 0 {
		return
	}
	if s.outcome == "" || len(s.digest) != sha256.Size {
		found(Damage{"seed", "its outcome, values and digest are not all there", s.name})
		return
	}
	b := append([]byte(s.outcome), 0)
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		value := s.values[name]
		if math.IsNaN(value) {
			value = math.NaN()
		}
		b = binary.BigEndian.AppendUint64(append(append(b, name...), 0), math.Float64bits(value))
	}
	if len(s.series) > 0 {
		b = append(append(b, 0), s.series...)
	}
	if len(s.artifacts) > 0 {
		b = append(append(b, 1), s.artifacts...)
	}
	if sum := sha256.Sum256(b); !bytes.Equal(sum[:], s.digest) {
		found(Damage{"seed", "its outcome, values, series or files differ from its digest", s.name + ": digest " + hex.EncodeToString(s.digest[:5])})
	}
}

// CheckResults compares every assessment, with its results, with its checksum. done is called now and then.
func (r *Reader) CheckResults(ctx context.Context, found func(Damage), done func(CheckCounts)) (counts CheckCounts, err error) {
	for seed, spec, n := int64(math.MinInt64), int64(0), 1; err == nil && n > 0; done(counts) {
		n = 0
		err = r.each(ctx, listCheckedAssessments, []any{seed, spec}, func(c *cells) {
			checked := c.row[4:]
			ulid, number, scenario, version := c.text(), c.number(), c.text(), c.count()
			seed, spec, n = c.integer(), c.integer(), n+1
			c.next++
			counts.Assessments++
			counts.Results += c.count() + c.count() + c.count()
			if !isSound(checked) {
				found(Damage{"assessment", "its row or its results differ from its checksum", fmt.Sprintf("seed %s of %s (%s), spec version %d", number, scenario, ulid, version)})
			}
		})
	}
	return counts, err
}

// hashedText is a query of texts with their hashes: what people call the record, the text, and its hash.
type hashedText struct{ table, problem, query string }

func hashedTexts() []hashedText {
	return []hashedText{
		{"spec", "its document differs from its hash", `
	SELECT 'spec ' || scenario.name || ' version ' || spec.version, spec.document, spec.hash FROM spec JOIN scenario ON scenario.id = spec.scenario_id`},
		{"environment", "its document differs from its hash", `SELECT 'environment ' || substr(hash, 1, 10), document, hash FROM environment`},
		{"version", "its content differs from its digest", `
	SELECT 'version ' || version.name || ' of lineage ' || lineage.name, version.content, version.content_digest
	  FROM version JOIN lineage ON lineage.id = version.lineage_id WHERE version.content IS NOT NULL`},
		{"execution", "its prompt differs from its digest", `SELECT 'execution ' || ulid, prompt, prompt_digest FROM execution WHERE prompt IS NOT NULL`},
		{"execution", "its output differs from its digest", `SELECT 'execution ' || ulid, output, output_digest FROM execution WHERE output IS NOT NULL`},
		{"call", "its input differs from its digest", `
	SELECT 'call ' || (position + 1) || ' of execution in row ' || execution_id, input, input_digest FROM call WHERE input IS NOT NULL`},
		{"call", "its output differs from its digest", `
	SELECT 'call ' || (position + 1) || ' of execution in row ' || execution_id, output, output_digest FROM call WHERE output IS NOT NULL`},
	}
}

// CheckHashes compares texts, configurations, attachments, artifacts and series with their hashes, and the rows of
// lineages, versions and executions with their checksums. It returns how many it read.
func (r *Reader) CheckHashes(ctx context.Context, found func(Damage)) (n int, err error) {
	for _, h := range hashedTexts() {
		err := r.each(ctx, h.query, nil, func(c *cells) {
			n++
			name, sum := c.text(), sha256.Sum256([]byte(c.text()))
			switch hash := c.cell().(type) {
			case []byte:
				if bytes.Equal(hash, sum[:]) {
					return
				}
			case string:
				if hash == hex.EncodeToString(sum[:]) {
					return
				}
			}
			found(Damage{h.table, h.problem, name})
		})
		if err != nil {
			return n, err
		}
	}
	for _, check := range []struct {
		query string
		visit func(c *cells)
	}{
		{`SELECT ` + configurationColumns + ` FROM configuration`, func(c *cells) {
			configuration := c.configuration()
			name := "configuration " + track.ShortHash(configuration.Hash)
			if c.err != nil {
				c.err = nil
				found(Damage{"configuration", "its params are no JSON object", name})
			} else if configuration.Configuration.Hash() != configuration.Hash {
				found(Damage{"configuration", "its content differs from its hash", name})
			}
		}},
		{`SELECT hash, data, n_bytes FROM attachment`, func(c *cells) {
			hash := c.digest()
			text, err := decompress(c.bytes())
			if err != nil || sha256.Sum256([]byte(text)) != hash || int64(len(text)) != c.integer() {
				found(Damage{"attachment", "its text differs from its hash", "attachment " + hex.EncodeToString(hash[:5])})
			}
		}},
		{`SELECT hash, data, n_bytes FROM artifact_content WHERE data IS NOT NULL`, func(c *cells) {
			hash := c.digest()
			content, err := decompressWithin(c.bytes(), track.MaxArtifactBytes)
			if err != nil || sha256.Sum256([]byte(content)) != hash || int64(len(content)) != c.integer() {
				found(Damage{"artifact_content", "its bytes differ from its hash", "content " + hex.EncodeToString(hash[:5])})
			}
		}},
		{`SELECT ulid, plan, plan_digest FROM sweep`, func(c *cells) {
			ulid, plan := c.text(), c.text()
			if !jsontext.Value(plan).IsValid() || !bytes.Equal(planDigest(plan), c.bytes()) {
				found(Damage{"sweep", "its plan differs from its digest", "sweep " + ulid})
			}
		}},
	} {
		err := r.each(ctx, check.query, nil, func(c *cells) {
			n++
			check.visit(c)
		})
		if err != nil {
			return n, err
		}
	}
	for _, check := range []func() (int, error){
		func() (int, error) { return r.checkSeries(ctx, found) }, func() (int, error) { return r.checkLineages(ctx, 0, found) },
		func() (int, error) { return r.CheckExecutions(ctx, 0, found) },
	} {
		more, err := check()
		if n += more; err != nil {
			return n, err
		}
	}
	return n, r.each(ctx, selectLooks, nil, func(c *cells) {
		if look := c.look(); c.err != nil {
			c.err = nil
			found(Damage{"look", "its plan cannot be read", "look " + look.ULID})
		}
	})
}

// checkSeries compares the numbers of each series with its hash.
func (r *Reader) checkSeries(ctx context.Context, found func(Damage)) (n int, err error) {
	type content struct {
		id     int64
		hash   []byte
		length int
	}
	contents, err := list(ctx, r, `SELECT id, hash, n FROM series_content WHERE pruned_at IS NULL ORDER BY id`, nil, func(c *cells) content {
		return content{c.integer(), c.bytes(), c.count()}
	})
	var values []float64
	for _, one := range contents {
		var broken error
		values = values[:0]
		if err == nil {
			err = r.each(ctx, listChunksOfContent, []any{one.id}, func(c *cells) {
				if chunk := c.chunk(); broken == nil {
					values, broken = series.AppendDecoded(values, series.Chunk(chunk))
				}
			})
		}
		sum := track.Series{Values: values}.Hash()
		if n++; err == nil && (broken != nil || len(values) != one.length || !bytes.Equal(sum[:], one.hash)) {
			found(Damage{"series_content", "its numbers differ from its hash", fmt.Sprintf("series %x of %d numbers", one.hash[:min(5, len(one.hash))], one.length)})
		}
	}
	return n, err
}

// rowCheck is a query of rows that a sound database does not have: what people call the record.
type rowCheck struct{ table, problem, query string }

// rowChecks returns the checks of what the schema does not enforce.
func rowChecks() []rowCheck {
	// The newest withdrawal of each subject, if it is not restored.
	const active = `
	WITH active AS (
	     SELECT scenario_id, kind, configuration, number, digest, sweep FROM (
	            SELECT *, row_number() OVER (
	                   PARTITION BY kind, scenario_id, configuration, number, digest, CASE kind WHEN 'sweep' THEN sweep END ORDER BY at DESC, ulid DESC) AS age
	              FROM withdrawal) AS all_of_them
	      WHERE age = 1 AND action = 'withdrawn')`
	const ofActive = `
	       SELECT 1 FROM active WHERE active.scenario_id = seed.scenario_id AND active.configuration = configuration.hash
	          AND (active.kind = 'configuration' OR active.number = seed.number AND active.digest = seed.digest)`
	checks := []rowCheck{
		{"artifact_content", "its bytes are missing", `SELECT 'content in row ' || id FROM artifact_content WHERE data IS NULL AND pruned_at IS NULL`},
		{"mutation", "its parents are not all there", `
	SELECT 'mutation ' || mutation.key FROM mutation JOIN mutation_parent ON mutation_parent.mutation_id = mutation.id
	 GROUP BY mutation.id HAVING max(mutation_parent.position) <> count(*) - 1`},
		{"spec", "a version is missing before it", `
	SELECT 'spec ' || scenario.name || ' version ' || max(spec.version) FROM spec JOIN scenario ON scenario.id = spec.scenario_id
	 GROUP BY scenario.id HAVING max(spec.version) <> count(*)`},
		{"seed", "it is withdrawn, and nobody withdrew it", active + `
	SELECT 'seed ' || seed.ulid FROM seed JOIN configuration ON configuration.id = seed.configuration_id
	 WHERE seed.withdrawn_at IS NOT NULL AND NOT EXISTS (` + ofActive + `) AND NOT EXISTS (
	       SELECT 1 FROM seed AS other WHERE other.scenario_id = seed.scenario_id AND other.configuration_id = seed.configuration_id
	          AND other.number = seed.number AND other.superseded_at IS NULL)`},
		{"seed", "it was withdrawn, and counts", active + `
	SELECT 'seed ' || seed.ulid FROM seed JOIN configuration ON configuration.id = seed.configuration_id
	 WHERE seed.superseded_at IS NULL AND configuration.hash IN (SELECT configuration FROM active) AND EXISTS (` + ofActive + `)`},
		{"seed", "it was superseded, and nothing has its place", `
	SELECT 'seed ' || seed.ulid FROM seed WHERE superseded_at IS NOT NULL AND withdrawn_at IS NULL AND NOT EXISTS (
	       SELECT 1 FROM seed AS other WHERE other.scenario_id = seed.scenario_id AND other.configuration_id = seed.configuration_id AND other.number = seed.number
	          AND (other.superseded_at IS NULL OR other.withdrawn_at IS NOT NULL))`},
		{"sweep", "its withdrawal is wrong", active + `
	SELECT 'sweep ' || ulid FROM sweep
	 WHERE (withdrawn_at IS NOT NULL) <> EXISTS (SELECT 1 FROM active WHERE active.kind = 'sweep' AND active.sweep = sweep.ulid)`},
		{"scenario_configuration", "a configuration with seeds is missing", `
	SELECT 'configuration ' || substr(configuration.hash, 1, 10) || ' of ' || scenario.name
	  FROM (SELECT scenario_id, configuration_id FROM seed WHERE superseded_at IS NULL GROUP BY scenario_id, configuration_id) AS used
	  JOIN scenario ON scenario.id = used.scenario_id JOIN configuration ON configuration.id = used.configuration_id
	  LEFT JOIN scenario_configuration ON scenario_configuration.scenario_id = used.scenario_id AND scenario_configuration.configuration_id = used.configuration_id
	 WHERE scenario_configuration.id IS NULL`},
	}
	for _, table := range []string{"call", "request", "execution_score"} {
		checks = append(checks, rowCheck{table, "its execution does not exist", `SELECT 'row ' || execution_id || ' of execution' FROM ` + table + ` WHERE execution_id NOT IN (SELECT id FROM execution)`})
	}
	return checks
}

// referenceChecks returns the checks of what the tables of a server refer to without foreign keys.
func referenceChecks() (checks []rowCheck) {
	for _, r := range [...][2]string{
		{"seed", "scenario"}, {"seed", "configuration"}, {"seed", "environment"}, {"assessment", "seed"}, {"assessment", "spec"}, {"seed_series", "seed"}, {"run", "seed"},
		{"artifact", "seed"}, {"repetition", "seed"},
	} {
		checks = append(checks, rowCheck{r[0], "its " + r[1] + " does not exist", fmt.Sprintf(
			"SELECT 'row ' || %s_id || ' of %[1]s' FROM %[2]s WHERE %[1]s_id NOT IN (SELECT id FROM %[1]s)", r[1], r[0])})
	}
	return checks
}

// CheckRows looks for rows that refer to nothing, and for gaps.
func (r *Reader) CheckRows(ctx context.Context, found func(Damage)) error {
	index := r.pool.engine.textIndex()
	checks := append(rowChecks(), rowCheck{"text_index", "it lacks texts that are kept", index.notIndexed}, rowCheck{"text_index", "it has texts that are not kept", index.notKept})
	if r.pool.engine.isServer() {
		checks = append(checks, referenceChecks()...)
	}
	for _, check := range checks {
		if err := r.each(ctx, check.query, nil, func(c *cells) { found(Damage{check.table, check.problem, c.text()}) }); err != nil {
			return err
		}
	}
	return r.checkForeignKeys(ctx, found)
}

// ownTables returns the tables of track.
func ownTables() (tables []string, err error) {
	own, err := newOwnSchema(false)
	if err != nil {
		return nil, err
	}
	for _, statement := range own.newest {
		if name := createdName(statement); strings.HasPrefix(statement, "CREATE TABLE ") && !strings.HasPrefix(name, "sqlite_") {
			tables = append(tables, name)
		}
	}
	return tables, nil
}
