package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"track/internal/sizes"
	"track/series"
)

// series measures a run of about 20 series of 1,000 points, real ones: bytes, and the time to write and read them,
// against CSV. It reads seed_0000.csv in the folder that -series names.
func (b bench) series() error {
	file := filepath.Join(b.seriesDir, "seed_0000.csv")
	if _, err := os.Stat(file); err != nil {
		fmt.Printf("\nNo measurement of series: %v\n", err)
		return nil
	}
	list, err := series.ReadFile(file, sizes.Unpacked)
	if err != nil {
		return err
	}
	points := 0
	for _, s := range list {
		points += len(s.Values)
	}
	var csv bytes.Buffer
	if err := series.WriteCSV(&csv, list); err != nil {
		return err
	}
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	if _, err := writer.Write(csv.Bytes()); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	parsed := filepath.Join(b.dir, "series.csv")
	if err := os.WriteFile(parsed, csv.Bytes(), 0o644); err != nil {
		return err
	}
	encoded := make([][]series.Chunk, len(list))
	stored := 0
	var encode, writeCSV, decode, decodeOne, parse timings
	for range 10 * b.rounds {
		encode = append(encode, clock(func() {
			for i, s := range list {
				encoded[i] = series.Encode(s.Values)
			}
		}))
		writeCSV = append(writeCSV, clock(func() { _ = series.WriteCSV(&bytes.Buffer{}, list) }))
		decode = append(decode, clock(func() {
			for _, chunks := range encoded {
				err = decodeAll(chunks)
			}
		}))
		decodeOne = append(decodeOne, clock(func() { err = decodeAll(encoded[0]) }))
		parse = append(parse, clock(func() { _, err = series.ReadFile(parsed, sizes.Unpacked) }))
		if err != nil {
			return err
		}
	}
	for _, chunks := range encoded {
		for _, chunk := range chunks {
			stored += len(chunk.Data)
		}
	}
	raw := 8 * points
	share := func(n int) string { return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(raw)) }
	heading(fmt.Sprintf("%d real series of 1,000 points", len(list)), "what", "bytes", "of the raw numbers", "write", "read all")
	row("raw float64", raw, share(raw), "", "")
	row("CSV", csv.Len(), share(csv.Len()), writeCSV, parse)
	row("CSV, gzip", zipped.Len(), share(zipped.Len()), "", "")
	row("track, encoded", stored, share(stored), encode, decode)
	fmt.Printf("\nOne of the series alone is read in %v.\n", decodeOne)
	return b.recordWithSeries(parsed)
}

// recordWithSeries measures a cold process that records values with and without series.
func (b bench) recordWithSeries(file string) error {
	path, err := b.newDatabase("series.db")
	if err != nil {
		return err
	}
	values := filepath.Join(b.dir, "one.json")
	if err := os.WriteFile(values, []byte(`{"log_gdp_total_growth": 0.7}`), 0o644); err != nil {
		return err
	}
	var with, without timings
	for i := range 10 * b.rounds {
		took, err := b.timed("record", "seed", "--db", path, "--scenario", "growth_plus", "--commit", "c", "--label", "without", "--seed", fmt.Sprint(i), values)
		if err != nil {
			return err
		}
		without = append(without, took)
		took, err = b.timed("record", "seed", "--db", path, "--scenario", "growth_plus", "--commit", "c", "--label", "with", "--seed", fmt.Sprint(i), "--series", file, values)
		if err != nil {
			return err
		}
		with = append(with, took)
	}
	fmt.Printf("\nA cold process records a seed in %v without series and in %v with them: %s times as long.\n", without, with, ratio(with, without))
	return nil
}

func decodeAll(chunks []series.Chunk) error {
	for _, chunk := range chunks {
		if _, err := series.Decode(chunk); err != nil {
			return err
		}
	}
	return nil
}

func clock(do func()) time.Duration {
	started := time.Now()
	do()
	return time.Since(started)
}
