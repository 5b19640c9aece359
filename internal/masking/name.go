package masking

// Rules is the version of the rules. It grows with every change of what Mask masks.
const Rules = 7

// LooksSecret returns the kind of the first secret in a name, and whether there is one. A name identifies a record, so
// it is refused instead of masked: masking would merge what differs.
func LooksSecret(name string) (kind string, ok bool) {
	s := newScanner(name)
	found := s.next(0)
	return found.kind, found.kind != ""
}
