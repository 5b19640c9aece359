package lines_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/importer/lines"
)

var sameNumbers = cmpopts.EquateNaNs()

func TestParseLine(t *testing.T) {
	duration := func(d time.Duration) *time.Duration { return &d }
	for _, tt := range []struct {
		name, line string
		want       track.Seed
	}{
		{
			"the least", `{"kind":"seed","scenario":"s","seed":"7","values":{"m":1}}`,
			track.Seed{Scenario: "s", Number: 7, Outcome: track.OutcomeOK, Values: map[string]float64{"m": 1}},
		},
		{
			"everything",
			` { "kind":"seed", "scenario":"growth_plus", "seed":"18446744073709551615", "values":{"a":0.0699,"b":-0,"c":"NaN"},
			  "configuration":{"label":"v0.10.2","params":{"z":1,"a":[2.50,"x"]},"commit":"303e61f","dirty":true,"diff_hash":"ab12","state_unknown":"c3"},
			  "outcome":"timeout","message":"why","started_at":"2026-01-02T15:04:05.123456+01:00","duration_s":1.001,
			  "environment":{"host":"n1"}}` + "\r\n",
			track.Seed{
				Scenario: "growth_plus", Number: math.MaxUint64, Outcome: track.OutcomeTimeout, Message: "why",
				Values: map[string]float64{"a": 0.0699, "b": math.Copysign(0, -1), "c": math.NaN()},
				Configuration: track.Configuration{
					Label: "v0.10.2", Params: `{"a":[2.5,"x"],"z":1}`, Revision: track.Revision{Commit: "303e61f", Dirty: true, DiffHash: "ab12", Unknown: "c3"},
				},
				Environment: track.Environment{"host": "n1"},
				StartedAt:   time.Date(2026, 1, 2, 14, 4, 5, 123456000, time.UTC), Duration: duration(1001 * time.Millisecond),
			},
		},
		{
			"an integer seed and nothing measured", `{"kind":"seed","scenario":"s","seed":0,"outcome":"error","values":{},"configuration":{}}`,
			track.Seed{Scenario: "s", Outcome: track.OutcomeError, Values: map[string]float64{}},
		},
		{
			"null for what is not there",
			`{"kind":"seed","scenario":"s","seed":1,"outcome":"collapsed","message":null,"configuration":null,"started_at":null,"duration_s":null,"environment":null}`,
			track.Seed{Scenario: "s", Number: 1, Outcome: track.OutcomeCollapsed},
		},
		{
			"params null", `{"kind":"seed","scenario":"s","seed":1,"outcome":"error","configuration":{"params":null}}`,
			track.Seed{Scenario: "s", Number: 1, Outcome: track.OutcomeError},
		},
		{
			"no time at all", `{"kind":"seed","scenario":"s","seed":1,"outcome":"error","duration_s":0}`,
			track.Seed{Scenario: "s", Number: 1, Outcome: track.OutcomeError, Duration: duration(0)},
		},
		{
			"numbers at the limits", `{"kind":"seed","scenario":"s","seed":1,"values":{"a":1.7976931348623157e308,"b":5e-324,"c":1e-400,"d":"-Infinity","e":"Infinity"}}`,
			track.Seed{Scenario: "s", Number: 1, Outcome: track.OutcomeOK, Values: map[string]float64{
				"a": math.MaxFloat64, "b": math.SmallestNonzeroFloat64, "c": 0, "d": math.Inf(-1), "e": math.Inf(1),
			}},
		},
		{
			"names in any script", `{"kind":"seed","scenario":"größe","seed":1,"values":{"тест":1,"a\u0041":2,"with space":3,"a.b":4}}`,
			track.Seed{Scenario: "größe", Number: 1, Outcome: track.OutcomeOK, Values: map[string]float64{"тест": 1, "aA": 2, "with space": 3, "a.b": 4}},
		},
	} {
		got, err := lines.ParseSeed([]byte(tt.line))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got, sameNumbers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if b, ok := got.Values["b"]; ok && tt.name == "everything" && !math.Signbit(b) {
			t.Errorf("%s: -0 became 0", tt.name)
		}
	}
}

// lineWith is a good line with one member set to something else.
func lineWith(name, value string) string {
	members := map[string]string{"kind": `"seed"`, "scenario": `"s"`, "seed": `"1"`, "values": `{"m":1}`}
	members[name] = value
	var parts []string
	for _, name := range []string{"kind", "scenario", "seed", "values", "configuration", "outcome", "message", "started_at", "duration_s", "environment"} {
		if text := members[name]; text != "" {
			parts = append(parts, `"`+name+`":`+text)
		}
	}
	if !strings.Contains("kind scenario seed values configuration outcome message started_at duration_s environment", name) {
		parts = append(parts, `"`+name+`":`+value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestParseLineRefuses(t *testing.T) {
	long := strings.Repeat("x", 201)
	for _, tt := range []struct {
		line, field, message string
	}{
		{``, "", "not JSON: unexpected EOF"},
		{`{`, "", "not JSON"},
		{`seed,7`, "", "not JSON: invalid character 's'"},
		{`[]`, "", "must be an object, not an array"},
		{`"seed"`, "", "must be an object, not a string"},
		{lineWith("seed", `"1"`) + `{}`, "", "not JSON"},
		{lineWith("seed", `"1"`) + ` x`, "", "not JSON"},
		{"{\"kind\":\"seed\",\"scenario\":\"s\xff\"}", "scenario", "not JSON: invalid UTF-8"},
		{`{"kind":"seed","scenario":"\ud800"}`, "scenario", "not JSON: invalid surrogate pair"},
		{strings.Repeat("[", 10) + strings.Repeat("]", 10), "", "must be an object, not an array"},

		{lineWith("kind", ""), "kind", `missing: a line of a batch says "kind":"seed" or "kind":"execution"`},
		{lineWith("kind", `"sed"`), "kind", `"sed" is not known: use "seed" or "execution"`},
		{lineWith("kind", `7`), "kind", "must be a string, not a number"},
		{lineWith("Kind", `"seed"`), "Kind", "unknown field"},
		{lineWith("extra", `{"deep":[1]}`), "extra", "unknown field"},
		{`{"kind":"seed","scenario":"s","seed":"1","seed":"1","values":{"m":1}}`, "seed", "is duplicated"},

		{lineWith("scenario", ""), "scenario", "missing"},
		{lineWith("scenario", `""`), "scenario", "missing"},
		{lineWith("scenario", `"a@b"`), "scenario", `"a@b" contains @, which separates a scenario from its configuration`},
		{lineWith("scenario", `" a"`), "scenario", `" a" begins or ends with white space`},
		{lineWith("scenario", `"a\u0000b"`), "scenario", `"a\x00b" contains a control character: U+0000 at byte 2`},
		{lineWith("scenario", `"`+long+`"`), "scenario", "is 201 bytes long; at most 200 are allowed"},
		{lineWith("scenario", `["s"]`), "scenario", "must be a string, not an array"},

		{lineWith("seed", ""), "seed", "missing"},
		{lineWith("seed", "null"), "seed", "missing"},
		{lineWith("seed", `""`), "seed", `"" is not a whole number from 0 to 18446744073709551615`},
		{lineWith("seed", `"-1"`), "seed", `"-1" is not a whole number from 0 to 18446744073709551615`},
		{lineWith("seed", `-1`), "seed", `"-1" is not a whole number from 0 to 18446744073709551615`},
		{lineWith("seed", `1.0`), "seed", `"1.0" is not a whole number from 0 to 18446744073709551615`},
		{lineWith("seed", `1e3`), "seed", `"1e3" is not a whole number from 0 to 18446744073709551615`},
		{lineWith("seed", `"18446744073709551616"`), "seed", `"18446744073709551616" is not a whole number from 0 to 18446744073709551615`},
		{lineWith("seed", `{}`), "seed", `"{}" is not a whole number from 0 to 18446744073709551615`},

		{lineWith("values", ""), "values", "empty: a seed that ran well measured something; set the outcome if it did not"},
		{lineWith("values", "{}"), "values", "empty: a seed that ran well measured something; set the outcome if it did not"},
		{lineWith("values", "[1,2]"), "values", "[1,2] is not an object of numbers by metric"},
		{lineWith("values", `{"a":1,"b":"1"}`), "values.b", `"1" is not a number, nor "NaN", "Infinity" or "-Infinity"`},
		{lineWith("values", `{"a":"none"}`), "values.a", `"none" is not a number, nor "NaN", "Infinity" or "-Infinity"`},
		{lineWith("values", `{"a":null}`), "values.a", `null is not a number: write "NaN" for a missing value`},
		{lineWith("values", `{"a":true}`), "values.a", `true is not a number, nor "NaN", "Infinity" or "-Infinity"`},
		{lineWith("values", `{"a":{"b":1}}`), "values.a", `{"b":1} is not a number, nor "NaN", "Infinity" or "-Infinity"`},
		{lineWith("values", `{"a":[`+strings.Repeat("1,", 100)+`1]}`), "values.a", `[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1… is not a number, nor "NaN", "Infinity" or "-Infinity"`},
		{lineWith("values", `{"a":1e400}`), "values.a", `1e400 is beyond float64; write "Infinity" if that is meant`},
		{lineWith("values", `{"a":-1e309}`), "values.a", `-1e309 is beyond float64; write "Infinity" if that is meant`},
		{lineWith("values", `{"a":01}`), "values", "not JSON: invalid character '1'"},
		{lineWith("values", `{"a":1,"a":1}`), "values.a", "is duplicated"},
		{lineWith("values", `{"a":1,"\u0061":1}`), "values.a", "is duplicated"},
		{lineWith("values", `{"":1}`), "values", "the name of a metric is empty"},
		{lineWith("values", `{"a ":1}`), "values", `the name of a metric "a " begins or ends with white space`},
		{lineWith("values", `{"a\n":1}`), "values", `the name of a metric "a\n" begins or ends with white space`},

		{lineWith("configuration", "[]"), "configuration", "must be an object, not an array"},
		{lineWith("configuration", `{"labl":"x"}`), "configuration.labl", "unknown field"},
		{lineWith("configuration", `{"label":7}`), "configuration.label", "must be a string, not a number"},
		{lineWith("configuration", `{"label":"a\tb"}`), "configuration.label", `"a\tb" contains a control character: U+0009 at byte 2`},
		{lineWith("configuration", `{"commit":"`+long+`"}`), "configuration.commit", "is 201 bytes long; at most 200 are allowed"},
		{lineWith("configuration", `{"commit":"a\u0000b"}`), "configuration.commit", `"a\x00b" contains a control character: U+0000 at byte 2`},
		{lineWith("configuration", `{"diff_hash":" "}`), "configuration.diff_hash", `" " begins or ends with white space`},
		{lineWith("configuration", `{"dirty":"yes"}`), "configuration.dirty", "must be true or false, not a string"},
		{lineWith("configuration", `{"params":[1]}`), "configuration.params", "params must be a JSON object"},
		{lineWith("configuration", `{"params":{"a":{"b":[0,9007199254740993]}}}`), "configuration.params", "params.a.b[1]: 9007199254740993 is not exact in float64; write it as a string"},
		{lineWith("configuration", `{"params":{"a":1e400}}`), "configuration.params", "params.a: 1e400 is not exact in float64; write it as a string"},
		{lineWith("configuration", `{"params":{"a":1,"a":2}}`), "configuration.params.a", "is duplicated"},

		{lineWith("outcome", `"failed"`), "outcome", `unknown outcome "failed": use ok, error, timeout or collapsed`},
		{lineWith("outcome", `false`), "outcome", "must be a string, not a boolean"},
		{lineWith("message", `1`), "message", "must be a string, not a number"},
		{lineWith("started_at", `"yesterday"`), "started_at", `"yesterday" is not a time such as 2026-01-02T15:04:05Z`},
		{lineWith("started_at", `"2026-01-02"`), "started_at", `"2026-01-02" is not a time such as 2026-01-02T15:04:05Z`},
		{lineWith("started_at", `1700000000`), "started_at", "must be a string, not a number"},
		{lineWith("duration_s", `-1`), "duration_s", "-1 is not a number of seconds from 0 to a hundred years"},
		{lineWith("duration_s", `1e99`), "duration_s", "1e+99 is not a number of seconds from 0 to a hundred years"},
		{lineWith("duration_s", `"1s"`), "duration_s", "must be a number, not a string"},
		{lineWith("duration_s", `1e999`), "duration_s", ""},
		{lineWith("environment", `[]`), "environment", "must be an object, not an array"},
		{lineWith("environment", `{"host":1}`), "environment.host", "must be a string, not a number"},
	} {
		_, err := lines.ParseSeed([]byte(tt.line))
		if err == nil {
			t.Errorf("%.100s: accepted, want %s: %s", tt.line, tt.field, tt.message)
			continue
		}
		if err.Field != tt.field || !strings.HasPrefix(err.Message, tt.message) {
			t.Errorf("%.100s:\n got %q: %q\nwant %q: %q", tt.line, err.Field, err.Message, tt.field, tt.message)
		}
		if !errors.Is(err, track.ErrInvalid) {
			t.Errorf("%.100s: %v is not ErrInvalid", tt.line, err)
		}
	}
}

// An error quotes a part of its input, however long and deep that is.
func TestErrorsAreShort(t *testing.T) {
	long, deep := strings.Repeat("é", 200_000), strings.Repeat(`{"a":`, 20_000)
	for _, line := range []string{
		long, deep, lineWith(long, "1"), lineWith("kind", `"`+long+`"`), lineWith("scenario", `"`+long+`"`), lineWith("seed", `"`+long+`"`),
		lineWith("seed", strings.Repeat("1", 200_000)), lineWith("values", `{"`+long+`":"x"}`), lineWith("values", `{"m":"`+long+`"}`),
		lineWith("values", deep), lineWith("configuration", deep), lineWith("configuration", `{"params":{"x":`+deep),
		lineWith("configuration", `{"params":{"x":`+strings.Repeat("1", 200_000)+"}}"), lineWith("outcome", `"`+long+`"`), lineWith("started_at", `"`+long+`"`),
	} {
		_, err := lines.ParseSeed([]byte(line))
		if err == nil || len(err.Error()) > 1000 || !utf8.ValidString(err.Error()) {
			t.Errorf("%.60s…: %.100v…, of %d bytes", line, err, len(fmt.Sprint(err)))
		}
	}
	for _, text := range []string{long, deep, long + ",x", `{"` + long + `":x}`, "m," + long, `{"m":"` + long + `"}`} {
		if _, err := lines.ParseValues("f", []byte(text)); err == nil || len(err.Error()) > 1000 || !utf8.ValidString(err.Error()) {
			t.Errorf("%.60s…: %.100v…, of %d bytes", text, err, len(fmt.Sprint(err)))
		}
	}
}

// Every duration of whole microseconds comes back as it was written.
func TestDurations(t *testing.T) {
	for microseconds := int64(0); microseconds < 3_000_000; microseconds += 997 {
		text := time.Duration(microseconds * 1000).String()
		seconds := strings.TrimSuffix(decimal(microseconds), "0")
		seed, err := lines.ParseSeed([]byte(lineWith("duration_s", seconds)))
		if err != nil {
			t.Fatal(err)
		}
		if *seed.Duration != time.Duration(microseconds)*time.Microsecond {
			t.Fatalf("%s s became %v, want %s", seconds, *seed.Duration, text)
		}
	}
}

// decimal writes microseconds as seconds.
func decimal(microseconds int64) string {
	return time.Unix(0, microseconds*1000).UTC().Format("5.000000")
}
