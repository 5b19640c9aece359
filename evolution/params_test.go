package evolution_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"track/evolution"
)

// The defaults of the reference, as they are stored: canonical JSON, every parameter.
func TestDefaultParams(t *testing.T) {
	want := map[string]string{
		"bands":     `{"explore":-3,"explore_p":0.2,"marginal":0,"n_min":3,"significant":5}`,
		"threshold": `{"explore":-3,"explore_p":0.2,"marginal":0,"significant":5}`,
		"strict":    `{"eps":0}`,
		"poi":       `{"c":0.9,"n_min":8,"tau":3}`,
		"confirm":   `{"c":0.9,"n1":5,"n2":15,"tau":3}`,
		"sprt":      `{"a":0.05,"b":0.1,"d0":0,"d1":2,"n_max":40,"n_min":8}`,
		"cs":        `{"alpha":0.1,"margin":1,"n_max":40,"n_min":5,"tuned_at":20}`,
		"anneal":    `{"g":0.97,"t0":3}`,
	}
	if names := evolution.Policies(); len(names) != len(want) || names[0] != "bands" {
		t.Fatal(names)
	}
	for name, text := range want {
		p := policy(t, name, "")
		params, err := evolution.Params(p)
		if err != nil || string(params) != text || p.Name() != name {
			t.Errorf("%s: %v %s", name, err, params)
		}
		if again := policy(t, name, text); again != p {
			t.Errorf("%s: %+v read again is %+v", name, p, again)
		}
	}
	if p := policy(t, "", ""); p.Name() != "bands" {
		t.Errorf("the default is %s", p.Name())
	}
}

// What is left out has its default, whatever the order; errors name the parameter.
func TestParsePolicy(t *testing.T) {
	p := policy(t, "sprt", ` {"n_max": 60, "a": 1e-2} `)
	if want := (evolution.SPRT{D0: 0, D1: 2, A: 0.01, B: 0.1, NMin: 8, NMax: 60}); p != want {
		t.Errorf("%+v", p)
	}
	for _, c := range [][3]string{
		{"strict", `{"eps":"1"}`, `policy strict: eps: "1" is not a number`},
		{"strict", `{"eps":null}`, "policy strict: eps: null is not a number"},
		{"strict", `{"eps":1e999}`, "policy strict: eps"},
		{"strict", `{"Eps":1}`, "policy strict: Eps: unknown; the parameters are eps"},
		{"strict", `{"eps":1,"eps":2}`, "policy strict: eps: is duplicated"},
		{"strict", `[1]`, "policy strict: parameters are not a JSON object"},
		{"strict", `null`, "policy strict: parameters are not a JSON object"},
		{"strict", `{"eps":1} x`, "policy strict: parameters are not a JSON object"},
		{"poi", `{"n_min":8.5}`, "policy poi: n_min: 8.5 is not a whole number"},
		{"poi", `{"n_min":1}`, "policy poi: n_min: 1 is not a whole number from 2"},
		{"poi", `{"n_min":1001}`, "n_min"},
		{"poi", `{"c":1}`, "policy poi: c: 1 is not between 0 and 1"},
		{"poi", `{"tau":0}`, "policy poi: tau: 0 is not a number above 0"},
		{"bands", `{"n_min":0}`, "policy bands: n_min: 0 is not a whole number from 1 to 1000"},
		{"bands", `{"marginal":6}`, "policy bands: marginal: 6 is not at most significant"},
		{"threshold", `{"n_min":3}`, "policy threshold: n_min: unknown; the parameters are explore, explore_p, marginal, significant"},
		{"threshold", `{"marginal":6}`, "policy threshold: marginal: 6 is not at most significant"},
		{"threshold", `{"explore":1}`, "policy threshold: explore: 1 is not at most marginal"},
		{"threshold", `{"explore_p":1.01}`, "policy threshold: explore_p: 1.01 is not from 0 to 1"},
		{"confirm", `{"n1":0}`, "policy confirm: n1"}, {"confirm", `{"n2":1}`, "policy confirm: n2"},
		{"confirm", `{"c":0}`, "policy confirm: c"}, {"confirm", `{"tau":-1}`, "policy confirm: tau"},
		{"sprt", `{"d1":0}`, "policy sprt: d1: 0 is not above d0"}, {"sprt", `{"a":0.5,"b":0.5}`, "policy sprt: b: 0.5 is not below 1 - a"},
		{"sprt", `{"n_max":7}`, "policy sprt: n_max: 7 is not a whole number from 8"}, {"sprt", `{"a":0}`, "policy sprt: a"},
		{"cs", `{"alpha":1}`, "policy cs: alpha"}, {"cs", `{"tuned_at":0}`, "policy cs: tuned_at"}, {"cs", `{"r":1}`, "policy cs: r: unknown"},
		{"anneal", `{"g":1.1}`, "policy anneal: g: 1.1 is not above 0 and at most 1"}, {"anneal", `{"t0":0}`, "policy anneal: t0"},
	} {
		_, err := evolution.ParsePolicy(c[0], []byte(c[1]))
		var param *evolution.ParamError
		if !errors.As(err, &param) || !strings.HasPrefix(err.Error(), c[2]) && !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s %s: %v, want %s", c[0], c[1], err, c[2])
		}
	}
	if _, err := evolution.ParsePolicy("UCB", nil); !errors.Is(err, evolution.ErrUnknownPolicy) || !strings.Contains(err.Error(), "threshold, strict, poi, confirm") {
		t.Error(err)
	}
}

// Whatever is accepted is stored in one form, which reads back as the same policy.
func FuzzParsePolicy(f *testing.F) {
	for _, name := range evolution.Policies() {
		f.Add(name, []byte(`{"c":0.5,"n_min":3,"eps":-0}`))
		f.Add(name, []byte(`{}`))
	}
	f.Fuzz(func(t *testing.T, name string, params []byte) {
		p, err := evolution.ParsePolicy(name, params)
		if err != nil {
			return
		}
		stored, err := evolution.Params(p)
		if err != nil || !json.Valid(stored) {
			t.Fatalf("%q: %v %s", params, err, stored)
		}
		again, err := evolution.ParsePolicy(name, stored)
		if err != nil || again != p {
			t.Fatalf("%q: %v %+v, %+v", params, err, p, again)
		}
		if twice, err := evolution.Params(again); err != nil || !bytes.Equal(stored, twice) {
			t.Fatalf("%s and %s", stored, twice)
		}
	})
}
