package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"track/answer"
)

// Sixteen clients record by request while the server is killed again and again: whatever was acknowledged is recorded
// once. A client that gets no answer sends its line again.
func TestRequestsSurviveTheServer(t *testing.T) {
	t.Parallel()
	const clients, each, kills = 16, 40, 4
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	token := addToken(t, dir, db, "record")
	address, kill := startKilled(t, dir, db, "127.0.0.1:0")
	acknowledged := make(chan struct{}, clients*each)
	var recording sync.WaitGroup
	for c := range clients {
		recording.Go(func() {
			for i := range each {
				sendUntilAcknowledged(t, address, token, c*each+i)
				acknowledged <- struct{}{}
			}
		})
	}
	for range kills {
		for range clients * each / (kills + 1) {
			<-acknowledged
		}
		kill()
		counted := countRecorded(t, dir, db)
		if counted[0] != counted[1] {
			t.Errorf("%d seeds, of %d numbers", counted[0], counted[1])
		}
		_, kill = startKilled(t, dir, db, strings.TrimPrefix(address, "http://"))
	}
	recording.Wait()
	kill()
	if got, want := countRecorded(t, dir, db), [2]int{clients * each, clients * each}; got != want {
		t.Errorf("%d seeds of %d numbers, not %d", got[0], got[1], want[0])
	}
}

// addToken returns a new token.
func addToken(t *testing.T, dir, db, scope string) string {
	t.Helper()
	var added answer.AddedToken
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "token", "add", "ci", "--scope", scope, "--db", db, "--format", "json")), &added); err != nil {
		t.Fatal(err)
	}
	return string(added.Secret)
}

// sendUntilAcknowledged sends a seed, with a line before it that is refused.
func sendUntilAcknowledged(t *testing.T, address, token string, number int) {
	line := fmt.Sprintf("{\n"+`{"kind":"seed","scenario":"s","seed":"%d","values":{"a":1},"configuration":{"label":"c","commit":"303e61f"}}`+"\n", number)
	for {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/api/v1/lines", strings.NewReader(line))
		if err != nil {
			t.Error(err)
			return
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			if t.Context().Err() != nil {
				return
			}
			continue // the server was killed
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			continue
		}
		var a answer.RecordedLines
		if err := json.Unmarshal(text, &a); err != nil || response.StatusCode != http.StatusOK || a.Recorded+a.Duplicates != 1 || a.Rejected != 1 {
			t.Errorf("seed %d: %d: %s", number, response.StatusCode, text)
		}
		return
	}
}

// countRecorded returns the number of seeds, and of their numbers.
func countRecorded(t *testing.T, dir, db string) (counted [2]int) {
	t.Helper()
	out := tables(t, dir, db, "SELECT count(*) AS seeds, count(DISTINCT number) AS numbers FROM seed")
	if _, err := fmt.Sscanf(out, "seeds,numbers\n%d,%d", &counted[0], &counted[1]); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return counted
}
