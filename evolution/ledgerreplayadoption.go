package evolution

// adoption replays an [Adoption]: it makes another version active, which the mutation that it names made.
func (w *walk) adoption(e Entry, head string) (after string, err error) {
	var a Adoption
	if err := e.Decode(&a); err != nil {
		return head, err
	}
	w.about(e, a)
	w.version("version", a.Version)
	if a.Version.Label == head {
		w.differs("version", a.Version.Label, "another version than the active one")
	}
	if key := a.VersionMutation; key != "" {
		made, exists := w.mutations[key]
		switch {
		case !exists:
			w.differs("version_mutation", key, "never proposed")
		case w.Mutations[made].Child.Label != a.Version.Label:
			w.differs("version_mutation", key, "made "+w.Mutations[made].Child.Label)
		}
	}
	return a.Version.Label, nil
}
