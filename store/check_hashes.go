package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/series"
)

// hashedText is a query of texts with their hashes: what people call the record, the text, its hash, and its length.
type hashedText struct{ table, problem, query string }

func hashedTexts() []hashedText {
	return []hashedText{
		{"spec", "its document differs from its hash", `
	SELECT 'spec ' || scenario.name || ' version ' || spec.version, spec.document, spec.hash FROM spec JOIN scenario ON scenario.id = spec.scenario_id`},
		{"environment", "its document differs from its hash", `SELECT 'environment ' || substr(hash, 1, 10), document, hash FROM environment`},
		{"version", "its content differs from its digest", `
	SELECT 'version ' || version.name || ' of lineage ' || lineage.name, version.content, version.content_digest
	  FROM version JOIN lineage ON lineage.id = version.lineage_id WHERE version.content IS NOT NULL`},
		{"execution", "its prompt differs from its digest", `
	SELECT 'execution ' || ulid, prompt, prompt_digest FROM execution WHERE prompt IS NOT NULL`},
		{"execution", "its output differs from its digest", `
	SELECT 'execution ' || ulid, output, output_digest FROM execution WHERE output IS NOT NULL`},
		{"call", "its input differs from its digest", `
	SELECT 'call ' || (position + 1) || ' of execution in row ' || execution_id, input, input_digest FROM call WHERE input IS NOT NULL`},
		{"call", "its output differs from its digest", `
	SELECT 'call ' || (position + 1) || ' of execution in row ' || execution_id, output, output_digest FROM call WHERE output IS NOT NULL`},
	}
}

const (
	listCheckedConfigurations = `SELECT ` + configurationColumns + ` FROM configuration`
	listCheckedAttachments    = `SELECT hash, data, n_bytes FROM attachment`
	listCheckedChunks         = `
	SELECT series_content.id, series_content.hash, series_content.n, series_chunk.n, series_chunk.data
	  FROM series_content LEFT JOIN series_chunk ON series_chunk.content_id = series_content.id
	 WHERE series_content.pruned_at IS NULL ORDER BY series_content.id, series_chunk.position`
)

// CheckHashes compares texts, configurations, attachments, artifacts and series with their hashes, and the rows of
// lineages, versions and executions with their checksums. It returns how many it read.
func (r *Reader) CheckHashes(ctx context.Context, found func(Damage)) (n int, err error) {
	for _, h := range hashedTexts() {
		err := r.stream(ctx, h.query, nil, func(row []driver.Value) {
			n++
			sum := sha256.Sum256([]byte(asText(row[1])))
			if hash := asText(row[2]); hash != string(sum[:]) && hash != hex.EncodeToString(sum[:]) {
				found(Damage{h.table, h.problem, asText(row[0])})
			}
		})
		if err != nil {
			return n, explain(err)
		}
	}
	for _, check := range []func(context.Context, func(Damage)) (int, error){r.checkConfigurations, r.checkAttachments, r.checkArtifacts, r.checkSeries, r.checkPlans} {
		more, err := check(ctx, found)
		if n += more; err != nil {
			return n, explain(err)
		}
	}
	lineages, err := r.checkLineages(ctx, 0, found)
	if n += lineages; err != nil {
		return n, explain(err)
	}
	executions, err := r.CheckExecutions(ctx, 0, found)
	return n + executions, err
}

func (r *Reader) checkConfigurations(ctx context.Context, found func(Damage)) (int, error) {
	n := 0
	err := r.stream(ctx, listCheckedConfigurations, nil, func(row []driver.Value) {
		n++
		c := configurationRow{
			Hash: asText(row[1]), Label: asText(row[2]), Params: asText(row[3]), Commit: asText(row[4]), Dirty: asInt(row[5]) == 1, DiffHash: asText(row[6]),
			FilesHash: asText(row[7]), Unknown: asText(row[8]),
		}
		name := "configuration " + track.ShortHash(c.Hash)
		if !c.hasParams() {
			found(Damage{"configuration", "its params are no JSON object", name})
		} else if !c.isSound() {
			found(Damage{"configuration", "its content differs from its hash", name})
		}
	})
	return n, err
}

const (
	listCheckedPlans = `SELECT ulid, plan, plan_digest FROM sweep`
	listCheckedLooks = `SELECT ulid, plan FROM look`
)

// checkPlans compares the plans of sweeps with their digests, and reads those of looks.
func (r *Reader) checkPlans(ctx context.Context, found func(Damage)) (n int, err error) {
	err = r.stream(ctx, listCheckedPlans, nil, func(row []driver.Value) {
		n++
		plan, digest := asText(row[1]), asDigest(row[2])
		if !jsontext.Value(plan).IsValid() || !bytes.Equal(planDigest(plan), digest[:]) {
			found(Damage{"sweep", "its plan differs from its digest", "sweep " + asText(row[0])})
		}
	})
	if err != nil {
		return n, err
	}
	return n, r.stream(ctx, listCheckedLooks, nil, func(row []driver.Value) {
		if _, err := looksOf([]lookRow{{Plan: asText(row[1])}}); err != nil {
			found(Damage{"look", "its plan cannot be read", "look " + asText(row[0])})
		}
	})
}

func (r *Reader) checkAttachments(ctx context.Context, found func(Damage)) (n int, err error) {
	err = r.stream(ctx, listCheckedAttachments, nil, func(row []driver.Value) {
		n++
		hash := asDigest(row[0])
		data, _ := row[1].([]byte)
		text, err := decompress(data)
		if err != nil || sha256.Sum256([]byte(text)) != hash || int64(len(text)) != asInt(row[2]) {
			found(Damage{"attachment", "its text differs from its hash", "attachment " + hex.EncodeToString(hash[:5])})
		}
	})
	return n, err
}

// checkSeries compares the numbers of each series with its hash.
func (r *Reader) checkSeries(ctx context.Context, found func(Damage)) (n int, err error) {
	var last int64
	var hash []byte
	var length int64
	var values []float64
	var broken error
	compare := func() {
		if hash == nil {
			return
		}
		sum := track.Series{Values: values}.Hash()
		if broken != nil || int64(len(values)) != length || !bytes.Equal(sum[:], hash) {
			found(Damage{"series_content", "its numbers differ from its hash", fmt.Sprintf("series %x of %d numbers", hash[:min(5, len(hash))], length)})
		}
	}
	err = r.stream(ctx, listCheckedChunks, nil, func(row []driver.Value) {
		if id := asInt(row[0]); id != last {
			compare()
			digest := asDigest(row[1])
			last, hash, length, values, broken = id, digest[:], asInt(row[2]), values[:0], nil
			n++
		}
		if data, ok := row[4].([]byte); ok && broken == nil {
			values, broken = series.AppendDecoded(values, series.Chunk{N: int(asInt(row[3])), Data: data})
		}
	})
	if err == nil {
		compare()
	}
	return n, err
}
