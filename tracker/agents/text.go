package agents

import "track"

// keepTexts keeps the final output, which scoring again needs, and the texts of the calls where that was asked for.
func (p *Prepared) keepTexts(keep bool) {
	p.Inputs, p.Outputs = nil, nil
	p.Prompt = storedText(p.Execution.Prompt, keep)
	p.Output = storedText(p.Execution.Output, true)
	for _, c := range p.Calls {
		p.Inputs = append(p.Inputs, *storedText(&c.Input, keep))
		output := storedText(c.Output, keep)
		if output != nil {
			output.WholeBytes = c.WholeOutput
		}
		p.Outputs = append(p.Outputs, output)
	}
}

func storedText(text *string, keep bool) *track.RecordedText {
	if text == nil {
		return nil
	}
	return track.NewRecordedText(*text, keep)
}
