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
		"confirm":   `{"alpha":0.05,"beta":0.2,"effect":2,"pairs":40}`,
		"greedy":    `{"eps":0}`,
		"threshold": `{"explore":-3,"explore_p":0.2,"marginal":0,"significant":5}`,
	}
	if names := evolution.Policies(); len(names) != len(want) || names[0] != "confirm" {
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
	if p := policy(t, "", ""); p.Name() != "confirm" {
		t.Errorf("the default is %s", p.Name())
	}
}

// What is left out has its default, whatever the order; errors name the parameter.
func TestParsePolicy(t *testing.T) {
	p := policy(t, "confirm", ` {"pairs": 20, "alpha": 1e-2} `)
	if want := (evolution.Confirm{Effect: 2, Alpha: 0.01, Beta: 0.2, Pairs: 20}); p != want {
		t.Errorf("%+v", p)
	}
	for _, c := range [][3]string{
		{"greedy", `{"eps":"1"}`, `policy greedy: eps: "1" is not a number`},
		{"greedy", `{"eps":null}`, "policy greedy: eps: null is not a number"},
		{"greedy", `{"eps":1e999}`, "policy greedy: eps"},
		{"greedy", `{"Eps":1}`, "policy greedy: Eps: unknown; the parameters are eps"},
		{"greedy", `{"eps":1,"eps":2}`, "policy greedy: eps: is duplicated"},
		{"greedy", `[1]`, "policy greedy: parameters are not a JSON object"},
		{"greedy", `null`, "policy greedy: parameters are not a JSON object"},
		{"greedy", `{"eps":1} x`, "policy greedy: parameters are not a JSON object"},
		{"confirm", `{"pairs":12.5}`, "policy confirm: pairs: 12.5 is not a whole number"},
		{"confirm", `{"pairs":8}`, "policy confirm: pairs: 8 is not a multiple of 4 from 12 to 40"},
		{"confirm", `{"pairs":42}`, "policy confirm: pairs: 42 is not a multiple of 4"},
		{"confirm", `{"pairs":44}`, "pairs"},
		{"confirm", `{"alpha":1}`, "policy confirm: alpha: 1 is not between 0 and 1"},
		{"confirm", `{"effect":0}`, "policy confirm: effect: 0 is not a number above 0"},
		{"confirm", `{"beta":0}`, "policy confirm: beta"},
		{"threshold", `{"n_min":3}`, "policy threshold: n_min: unknown; the parameters are explore, explore_p, marginal, significant"},
		{"threshold", `{"marginal":6}`, "policy threshold: marginal: 6 is not at most significant"},
		{"threshold", `{"explore":1}`, "policy threshold: explore: 1 is not at most marginal"},
		{"threshold", `{"explore_p":1.01}`, "policy threshold: explore_p: 1.01 is not from 0 to 1"},
	} {
		_, err := evolution.ParsePolicy(c[0], []byte(c[1]))
		var param *evolution.ParamError
		if !errors.As(err, &param) || !strings.HasPrefix(err.Error(), c[2]) && !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s %s: %v, want %s", c[0], c[1], err, c[2])
		}
	}
	if _, err := evolution.ParsePolicy("UCB", nil); !errors.Is(err, evolution.ErrUnknownPolicy) || !strings.Contains(err.Error(), "confirm, greedy, threshold") {
		t.Error(err)
	}
}

// Whatever is accepted is stored in one form, which reads back as the same policy.
func FuzzParsePolicy(f *testing.F) {
	for _, name := range evolution.Policies() {
		f.Add(name, []byte(`{"alpha":0.5,"pairs":20,"eps":-0}`))
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
