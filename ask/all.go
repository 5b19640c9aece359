package ask

// All returns every question.
func All() []Question {
	return []Question{
		Seeds().Question(),
	}
}
