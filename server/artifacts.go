package server

import (
	"fmt"
	"mime"
	"net/http"
	"path"
	"strconv"

	"track"
	"track/answer"
	"track/tracker/seeds"
)

const artifactPath = apiPath + "artifact/content"

// sendArtifact sends the content of a file of a seed. A browser saves it, and shows or runs nothing of it: whoever recorded
// the seed chose what is in it.
func (s *Server) sendArtifact(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	of, err := answer.ParseSelector(query.Get("scenario"))
	if err != nil {
		return fmt.Errorf("%w: scenario: %w", track.ErrInvalid, err)
	}
	number, err := track.ParseSeedNumber(query.Get("seed"))
	if err != nil {
		return fmt.Errorf("%w: seed: %w", track.ErrInvalid, err)
	}
	name := query.Get("name")
	if err := track.CheckArtifactName(name); err != nil {
		return fmt.Errorf("%w: name: %w", track.ErrInvalid, err)
	}
	if grant := grantOf(r.Context()); !grant.MayNameScenario(of.Scenario) {
		return forbidden(fmt.Sprintf("the token %s is not for %s", grant.Name, of.Scenario))
	}
	leave, err := s.queue.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return err
	}
	defer release()
	_, files, err := seeds.ArtifactFiles(r.Context(), st.Reader, of, number, name)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}))
	header.Set("Content-Length", strconv.Itoa(len(files[0].Content)))
	_, _ = w.Write([]byte(files[0].Content)) // the client has gone
	return nil
}
