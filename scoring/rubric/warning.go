package rubric

// Warning is a reason to trust a score less. It is data: the code is stable, [Warning.Message] is for people.
type Warning string

// The warnings.
const (
	warnNoOutput     Warning = "output_unknown"
	warnClipped      Warning = "output_clipped"
	warnUnparsed     Warning = "output_not_parsed"
	warnTaskType     Warning = "task_type_unknown"
	warnUndetermined Warning = "calls_undetermined"
	warnNothingDone  Warning = "nothing_done_known"
)

// Message says the warning in a sentence.
func (w Warning) Message() string {
	switch w {
	case warnNoOutput:
		return "the final text is not known: nothing is said about it"
	case warnClipped:
		return "the final text is longer than 1 MiB: only its beginning was looked at"
	case warnUnparsed:
		return "the final text nests deeper, or has more empty lines, than any document: it was not parsed as Markdown"
	case warnTaskType:
		return "the type of the task is not known: nothing says whether code was asked for"
	case warnUndetermined:
		return "of some calls it is not known whether they succeeded: they are left out"
	case warnNothingDone:
		return "neither a tool call nor a final text is known: what is left does not make a score"
	}
	return string(w)
}
