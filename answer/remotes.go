package answer

import "fmt"

// Remote is a server that the user gave a name.
type Remote struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	HasToken bool   `json:"has_token"`
}

// Remotes are the servers that have names, by name.
type Remotes struct {
	List[Remote] `json:",embed"`
}

func (a Remotes) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	return []Sentence{{Kind: Heading, Text: "no servers"}}
}

func (a Remotes) Tables() []Table { return []Table{remoteTable(a.Items)} }

func remoteTable(list []Remote) Table {
	t := Table{Name: "remotes", HiddenIfEmpty: true, Columns: columns("name", "url", "token").drop("token")}
	for _, r := range list {
		token := "none"
		if r.HasToken {
			token = "kept"
		}
		t.Rows = append(t.Rows, []any{r.Name, r.URL, token})
	}
	return t
}

// ChangedRemote is a server that was added or removed.
type ChangedRemote struct {
	Remote `json:",embed"`
	Change string `json:"change"` // added or removed
}

func (a ChangedRemote) Lead() []Sentence {
	text := fmt.Sprintf("%s the server %s", a.Change, a.Name)
	if a.URL != "" {
		text += " at " + a.URL
	}
	return []Sentence{{Kind: Heading, Text: text}}
}

func (a ChangedRemote) Tables() []Table {
	t := remoteTable([]Remote{a.Remote})
	t.ForPrograms = true
	return []Table{t}
}
