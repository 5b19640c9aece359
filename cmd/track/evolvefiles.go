package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"track"
	"track/answer"
	"track/importer/lines"
)

// readPolicyFile reads the policy that @FILE names; any other text is the policy itself.
func readPolicyFile(text string) (string, error) {
	return readNamedFile("policy", text, func(content string) error {
		if !strings.HasPrefix(strings.TrimSpace(content), "{") {
			return errors.New(`not {"policy": NAME, "params": {…}}`)
		}
		_, err := answer.ParsePolicy(content)
		return err
	})
}

// readSettingFile reads the file that a setting such as policy=@FILE names.
func readSettingFile(text string) (string, error) {
	s, err := answer.ParseSetting(text)
	if err != nil {
		return text, nil // the parameter refuses it
	}
	switch s.Key {
	case "policy":
		s.Value, err = readPolicyFile(s.Value)
	case "operators":
		s.Value, err = readOperatorsFile(strings.TrimPrefix(s.Value, "@"))
	case "forbidden":
		s.Value, err = readNamedFile("forbidden", "@"+strings.TrimPrefix(s.Value, "@"), func(content string) error {
			_, err := answer.ParsePatterns(content)
			return err
		})
	}
	return s.Key + "=" + s.Value, err
}

func readOperatorsFile(file string) (string, error) {
	return readNamedFile("operators", "@"+file, func(content string) error {
		_, err := answer.ParseOperators(content)
		return err
	})
}

// readNamedFile returns the content of the file that @FILE names, if check accepts it. Any other text is returned as
// it is.
func readNamedFile(what, text string, check func(content string) error) (string, error) {
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return text, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, notFound(err))
	}
	if err := check(string(content)); err != nil {
		return "", fmt.Errorf("%w: %s: %w", track.ErrInvalid, file, err)
	}
	return string(content), nil
}

// readContentFile returns a reader of the content of a version: a file, standard input, or of a simulation the object
// itself.
func (p *program) readContentFile(flag string) func(file string) (string, error) {
	return func(file string) (string, error) {
		if strings.HasPrefix(file, "{") {
			return file, nil
		}
		if file == "" {
			return "", usage("%s is empty: name a file, or - for standard input", flag)
		}
		text, err := p.readText(file)
		if err != nil {
			err = fmt.Errorf("%s: %w", flag, err)
		}
		return text, err
	}
}

// readManifestFile reads the end of a ledger from the manifest of an export.
func readManifestFile(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", notFound(err)
	}
	m, err := lines.ReadManifest(file, text)
	if err != nil {
		return "", err
	}
	kept, err := json.Marshal(answer.KeptEnd{Lineage: m.Lineage, End: m.End})
	return string(kept), err
}
