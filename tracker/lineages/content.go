package lineages

import (
	"context"
	"fmt"
	"strings"

	"track"
	"track/internal/admission"
	"track/store"
)

// checkContent reports why a content cannot be a version. Without rules, secrets in it are kept.
func checkContent(field, content, subject string, rules *admission.Rules) error {
	v := track.Version{Lineage: "l", Name: "v", Content: &content}
	if err := v.Validate(); err != nil {
		return &track.FieldError{Field: field, Message: err.Message}
	}
	if strings.HasPrefix(subject, subjectScenario) {
		if _, err := track.NewParams([]byte(content)); err != nil {
			return &track.FieldError{Field: field, Message: "must be a JSON object of parameters: " + err.Error()}
		}
	}
	if strings.TrimSpace(content) == "" {
		return &track.FieldError{Field: field, Message: "is empty: give the first content"}
	}
	if rules == nil {
		return nil
	}
	if masked, n := rules.Text(content); n > 0 {
		line := 1 + strings.Count(commonPrefix(content, masked), "\n")
		err := fmt.Errorf("%w: %s: line %d looks like a secret (%d in all); versions are stored unchanged, so this one is not recorded", track.ErrInvalid, field, line, n)
		return track.WithHint(err, track.Hint{Text: "remove it, or record it unchanged"}.With("keep-secrets", ""))
	}
	return nil
}

// storedContent returns a content as a version stores it: unchanged, but parameters in canonical JSON, so that equal
// ones are one version.
func storedContent(content, subject string) string {
	if !strings.HasPrefix(subject, subjectScenario) {
		return content
	}
	params, err := track.NewParams([]byte(content))
	if err != nil {
		return content // checkContent refuses it
	}
	return string(params.JSON())
}

func commonPrefix(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// contents reads contents of versions in at most three statements: mostly one or two are asked for, and sometimes all.
type contents struct {
	reader  *store.Reader
	lineage string
	single  map[string]*string
	all     map[string]*string // nil until more than two were asked for
}

func (c *contents) of(ctx context.Context, version string) (*string, error) {
	if content, found := c.single[version]; found {
		return content, nil
	}
	if content, found := c.all[version]; found {
		return content, nil
	}
	if len(c.single) < 2 || c.all != nil { // one that is missing among all is an error
		content, err := c.reader.Content(ctx, c.lineage, version)
		if c.single == nil {
			c.single = map[string]*string{}
		}
		c.single[version] = content
		return content, err
	}
	versions, err := c.reader.VersionContents(ctx, c.lineage)
	if err != nil {
		return nil, err
	}
	c.all = map[string]*string{}
	for _, v := range versions {
		c.all[v.Name] = v.Content
	}
	return c.of(ctx, version)
}
