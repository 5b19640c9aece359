package rubric

// accuracy is syntax valid 0.4 + no obvious errors 0.3 + follows the instructions or format 0.3.
func (s *scorer) accuracy() Component {
	return s.whole(accuracy, []Component{s.syntaxValid(), s.obviousErrors(), s.followsFormat()})
}
