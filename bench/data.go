package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// examples returns the values of the example's seeds of growth_plus, 66 metrics each.
func (b bench) examples() (list []map[string]float64, err error) {
	file, err := os.Open(filepath.Join(b.example, "growth_plus.jsonl"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	for decoder := json.NewDecoder(file); ; {
		var line struct{ Values map[string]float64 }
		if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		list = append(list, line.Values)
	}
}

// seedLines returns an iterator over lines of n seeds of growth_plus, from the seed number first on: the example's
// values with a little noise, so many seeds of each configuration.
func (b bench) seedLines(first, n, perConfiguration int) (func(yield func([]byte) bool), error) {
	examples, err := b.examples()
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, uint64(first)))
	return func(yield func([]byte) bool) {
		for i := first; i < first+n; i++ {
			values := make(map[string]float64, len(examples[0]))
			for name, value := range examples[i%len(examples)] {
				values[name] = value * (1 + 0.01*random.NormFloat64())
			}
			line, err := json.Marshal(map[string]any{
				"kind": "seed", "scenario": "growth_plus", "seed": fmt.Sprint(i % perConfiguration), "values": values,
				"configuration": map[string]any{"label": fmt.Sprintf("c%d", i/perConfiguration), "commit": "303e61f"},
			})
			if err != nil {
				panic(err) // numbers and texts alone
			}
			if !yield(append(line, '\n')) {
				return
			}
		}
	}, nil
}

// writeSeeds writes such lines into a file of the run.
func (b bench) writeSeeds(name string, first, n, perConfiguration int) (string, error) {
	lines, err := b.seedLines(first, n, perConfiguration)
	if err != nil {
		return "", err
	}
	return b.write(name, func(out io.Writer) {
		for line := range lines {
			_, _ = out.Write(line)
		}
	})
}

// write writes a file of the run.
func (b bench) write(name string, text func(out io.Writer)) (string, error) {
	path := filepath.Join(b.dir, name)
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	out := bufio.NewWriter(file)
	text(out)
	return path, errors.Join(out.Flush(), file.Close()) // Flush returns the first error of writing
}

// newDatabase makes a database of a program with the example's spec.
func (b bench) newDatabase(p program, name string) (string, error) {
	path := p.file(name)
	return path, b.do(p, []string{"init", "--db", path}, []string{"spec", "add", filepath.Join(b.example, "growth_plus.yaml"), "--db", path})
}

// writeShard writes a file of seeds of a dozen metrics, which no other shard has.
func (b bench) writeShard(shard, shards, seeds, metrics int) (string, error) {
	random := rand.New(rand.NewPCG(1, uint64(shard)))
	return b.write(fmt.Sprintf("shard-%d.jsonl", shard), func(out io.Writer) {
		for i := range seeds {
			values := make([]string, metrics)
			for k := range values {
				values[k] = fmt.Sprintf(`"m%d":%v`, k, random.Float64())
			}
			fmt.Fprintf(out, `{"kind":"seed","scenario":"shard","seed":"%d","configuration":{"label":"v1","commit":"303e61f"},"values":{%s}}`+"\n", i*shards+shard, strings.Join(values, ","))
		}
	})
}

// writeTrace writes a file with one execution of so many calls.
func (b bench) writeTrace(calls int) (string, error) {
	began := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	list := make([]map[string]any, calls)
	for i := range list {
		list[i] = map[string]any{
			"tool": []string{"Read", "Bash", "Edit"}[i%3], "input": map[string]any{"n": i}, "output": strings.Repeat(fmt.Sprintf("line %d of an output\n", i), 1+i%20),
			"exit": 0, "answered": true, "duration_s": i % 7, "started_at": began.Add(time.Duration(i) * time.Second / 3),
		}
		if i%50 == 30 {
			list[i]["error"] = "no such file"
		}
	}
	line, err := json.Marshal(map[string]any{"kind": "execution", "lineage": "traced", "version": "v1", "key": "long", "task": "t", "started_at": began, "calls": list})
	if err != nil {
		return "", err
	}
	return b.write("trace.jsonl", func(out io.Writer) { _, _ = out.Write(append(line, '\n')) })
}
