package rubric

// Warning is a reason to trust a score less. It is data: the code is stable, [Warning.Message] is for people.
type Warning string

// The warnings.
const (
	WarnNoOutput     Warning = "output_unknown"
	WarnClipped      Warning = "output_clipped"
	WarnUnparsed     Warning = "output_not_parsed"
	WarnTaskType     Warning = "task_type_unknown"
	WarnUndetermined Warning = "calls_undetermined"
	WarnNothingDone  Warning = "nothing_done_known"
)

// Message says the warning in a sentence.
func (w Warning) Message() string {
	switch w {
	case WarnNoOutput:
		return "the final text is not known: nothing is said about it"
	case WarnClipped:
		return "the final text is longer than 1 MiB: only its beginning was looked at"
	case WarnUnparsed:
		return "the final text nests deeper, or has more empty lines, than any document: it was not parsed as Markdown"
	case WarnTaskType:
		return "the type of the task is not known: nothing says whether code was asked for"
	case WarnUndetermined:
		return "of some calls it is not known whether they succeeded: they are left out"
	case WarnNothingDone:
		return "neither a tool call nor a final text is known: what is left does not make a score"
	}
	return string(w)
}
