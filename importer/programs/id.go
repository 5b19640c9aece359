package programs

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/jsonio"
)

// ID returns what names a program: a text, or a whole number in digits; the empty string where there is none, or it
// cannot be a name.
func (o Object) ID(name string) string {
	id, problem := idOf(o.fields[name])
	if problem != "" {
		o.Note(name, problem)
	}
	return id
}

// IDs returns a list of what names programs, which may stand as JSON in a text.
func (o Object) IDs(name string) []string {
	value := o.fields[name]
	switch o.Kind(name) {
	case 'n':
		return nil
	case '"':
		if value = jsontext.Value(o.Text(name)); len(value) == 0 {
			return nil
		}
	}
	var list []jsontext.Value
	if err := json.Unmarshal(value, &list); err != nil {
		o.Note(name, jsonio.FieldError(err).Shorten().Message)
		return nil
	}
	var ids []string
	for i, element := range list {
		id, problem := idOf(element)
		if problem != "" {
			o.Note(name+"."+strconv.Itoa(i), problem)
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// ParentIDs returns the parents of a program in the order of the source: parent_id, then parent_ids and
// second_parent_id, which forks of evolvers add.
func (o Object) ParentIDs() []string {
	var ids []string
	for _, id := range append(append([]string{o.ID("parent_id")}, o.IDs("parent_ids")...), o.ID("second_parent_id")) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func idOf(value jsontext.Value) (id, problem string) {
	switch value.Kind() {
	case 0, 'n':
		return "", ""
	case '0':
		if number, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return strconv.FormatInt(number, 10), ""
		}
		return "", (&track.FieldError{Message: string(value) + " is not a whole number"}).Shorten().Message
	}
	if err := json.Unmarshal(value, &id); err != nil {
		return "", jsonio.FieldError(err).Shorten().Message
	}
	if err := track.CheckName(id); id != "" && err != nil {
		return "", (&track.FieldError{Message: err.Error()}).Shorten().Message
	}
	return id, ""
}
