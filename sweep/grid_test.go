package sweep

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"track"
)

func TestGrid(t *testing.T) {
	for _, tt := range []struct {
		pairs []string
		want  []string
	}{
		{nil, []string{`{}`}},
		{[]string{"a=1"}, []string{`{"a":1}`}},
		{[]string{"a=1,2", "b=x,y"}, []string{`{"a":1,"b":"x"}`, `{"a":1,"b":"y"}`, `{"a":2,"b":"x"}`, `{"a":2,"b":"y"}`}},
		{[]string{"z=1,2", "a=3,4"}, []string{`{"a":3,"z":1}`, `{"a":4,"z":1}`, `{"a":3,"z":2}`, `{"a":4,"z":2}`}}, // the last given changes fastest
		{[]string{"a="}, []string{`{"a":""}`}},
		{[]string{"a=b=c"}, []string{`{"a":"b=c"}`}},
		{[]string{"a=true,null,1.50,1e2,x"}, []string{`{"a":true}`, `{"a":null}`, `{"a":1.5}`, `{"a":100}`, `{"a":"x"}`}},
		{[]string{"a=007"}, []string{`{"a":"007"}`}}, // no JSON
		{[]string{"a=[1,2]"}, []string{`{"a":[1,2]}`}},
		{[]string{`a="b,c"`}, []string{`{"a":"b,c"}`}},
		{[]string{`a={"x":1,"y":2}`}, []string{`{"a":{"x":1,"y":2}}`}},
		{[]string{`a="1",1`}, []string{`{"a":"1"}`, `{"a":1}`}},
	} {
		list, err := Grid(nil, tt.pairs)
		var got []string
		for _, params := range list {
			got = append(got, string(params.JSON()))
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, error %v, want %q", tt.pairs, got, err, tt.want)
		}
	}
}

func TestGridRefused(t *testing.T) {
	numbers := strings.TrimSuffix(strings.Repeat("x,", 101), ",")
	for i := range 101 {
		numbers = strings.Replace(numbers, "x", string(rune('a'+i%26))+string(rune('a'+i/26)), 1)
	}
	for _, tt := range []struct {
		pairs []string
		want  string
	}{
		{[]string{"a"}, "is not KEY=VALUE"},
		{[]string{"=1"}, "is not KEY=VALUE"},
		{[]string{"seed=1"}, "{seed} is filled in by the sweep"},
		{[]string{"out=x"}, "{out} is filled in by the sweep"},
		{[]string{"a=1", "a=2"}, "a is given twice"},
		{[]string{"a=1,,2"}, "empty value"},
		{[]string{"a=1,"}, "empty value"},
		{[]string{"a=1,2,1"}, "the same configuration twice"},
		{[]string{"a=1,1.0"}, "the same configuration twice"},
		{[]string{"a=" + numbers, "b=" + numbers}, "more than 10000 configurations"},
	} {
		if list, err := Grid(nil, tt.pairs); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: %d configurations, error %v, want %q", tt.pairs, len(list), err, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	params, err := track.NewParams([]byte(`{"a":"x y","b":1.50,"c":[1,"z"],"d":null,"e":"\"quoted\"","f":true}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := words(params)
	if want := map[string]string{"a": "x y", "b": "1.5", "c": `[1,"z"]`, "d": "null", "e": `"quoted"`, "f": "true"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%q, error %v, want %q", got, err, want)
	}
}
