package server

import (
	"errors"
	"net/http"
)

// health says that the server is there, whatever the state of the database.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	writeText(w, "ok\n")
	return nil
}

// ready says whether the database can be opened, as a new process would open it.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	st, release, err := s.database.use(r.Context())
	if err == nil {
		_, err = st.Scenarios(r.Context())
		release()
	}
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, errors.New("the database cannot be asked")) // why is for those who have a token, and in the log
		s.config.Log.WarnContext(r.Context(), "not ready", "error", err)
		return nil
	}
	writeText(w, "ready\n")
	return nil
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text)) // the client has gone
}
