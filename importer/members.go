package importer

import (
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"track/internal/jsonio"
)

// ErrNoObject is the error of a text that is not the object which is expected there.
var ErrNoObject = errors.New("not a JSON object")

// Members goes through the members of the object that is next. use takes the value of the member that is named off the
// scanner. It ends behind the object, or with the first error.
func (s *Scanner) Members(use func(name string) error) error {
	if isObject, err := s.Take('{'); err != nil || !isObject {
		return noObject(err)
	}
	for {
		name, end, err := s.member()
		if end || err != nil {
			return err
		}
		if err := use(name); err != nil {
			return err
		}
	}
}

// member reads the name of the next member, and whether there is none.
func (s *Scanner) member() (name string, end bool, err error) {
	if end, err := s.Take('}'); end || err != nil {
		return "", end, err
	}
	if _, err := s.Take(','); err != nil {
		return "", false, err
	}
	if next, err := s.Next(); err != nil || next != '"' {
		return "", false, noObject(err)
	}
	raw, _, err := s.Value(true)
	if err != nil {
		return "", false, err
	}
	if colon, err := s.Take(':'); err != nil || !colon {
		return "", false, noObject(err)
	}
	return String(raw), false, nil
}

func noObject(err error) error {
	if err == nil {
		return ErrNoObject
	}
	return err
}

// Skip goes behind the value that is next.
func (s *Scanner) Skip() error {
	_, _, err := s.Value(false)
	return err
}

// Member reads the value that is next, a member of an object, into the field of a struct that has its name. What is
// JSON and not as expected is left out.
func (s *Scanner) Member(name string, into any) error {
	raw, _, err := s.Value(true)
	raw, _ = jsonio.NullNonFiniteIn(raw)
	if err == nil && !jsontext.Value(raw).IsValid(lenient) {
		err = ErrNoObject
	}
	if err != nil {
		return err
	}
	_ = Unmarshal(slices.Concat([]byte("{"+strconv.Quote(name)+":"), raw, []byte("}")), into) // which leaves the field unset
	return nil
}

// IsCutOff reports whether an error says that a source ends too early.
func IsCutOff(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
