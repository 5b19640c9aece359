package sepa

import (
	"strings"

	"regexp"
	"track/importer"
)

var (
	sectionLine = regexp.MustCompile(`(?i)^##\s+(evolution|rollback)\b\s*[-–—:]?\s*(\S*)`)
	fieldLine   = regexp.MustCompile(`^\s*[-*]\s+\**([A-Za-z][\w ]{0,40})\**:\**\s*(.*?)\s*$`)
	scoredName  = regexp.MustCompile(`^(\S+)\s*(?:\(score:\s*([^)]*)\))?`)
)

// parseLog finds evolutions and rollbacks in an evolution-log.md: a heading with the time, and a list of fields below
// it.
func parseLog(text string) []importer.Item {
	var items []importer.Item
	var open *importer.Item
	end := func() {
		if open != nil && open.Event.To == "" {
			items = append(items, importer.Skipf(open.Line, "a section of the log that does not say To: which version"))
		} else if open != nil {
			items = append(items, *open)
		}
		open = nil
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if match := sectionLine.FindStringSubmatch(line); match != nil {
			end()
			kind := importer.EventEvolution
			if strings.EqualFold(match[1], "rollback") {
				kind = importer.EventRollback
			}
			open = &importer.Item{Line: number, Event: &importer.Event{Kind: kind, At: importer.Time(match[2])}}
		} else if strings.HasPrefix(line, "#") {
			end()
		} else if match := fieldLine.FindStringSubmatch(line); match != nil && open != nil {
			setField(open.Event, strings.ToLower(match[1]), match[2])
		}
	}
	end()
	return items
}

func setField(event *importer.Event, name, value string) {
	switch name {
	case "from":
		if match := scoredName.FindStringSubmatch(value); match != nil {
			event.From, event.FromScore = importer.Name(match[1]), score(strings.TrimSpace(match[2]))
		}
	case "to":
		if match := scoredName.FindStringSubmatch(value); match != nil {
			event.To = importer.Name(match[1])
		}
	case "strategy", "operator", "mutation":
		event.Operator = importer.Name(value)
	case "reason", "trigger":
		event.Reason = value
	}
}

var contextLine = regexp.MustCompile(`^(\w{1,50}):\s*(.*?)\s*$`)

// parseContext reads which version a context.md says to be in force.
func parseContext(text string) []importer.Item {
	fields := map[string]string{}
	at, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		if match := contextLine.FindStringSubmatch(strings.TrimRight(line, "\r\n")); match != nil {
			fields[match[1]] = match[2]
			if match[1] == "current_version" {
				at = number
			}
		}
	}
	current := importer.Name(fields["current_version"])
	if current == "" {
		return []importer.Item{importer.Skipf(0, "says no current_version")}
	}
	return []importer.Item{{Line: at, Event: &importer.Event{
		Kind: importer.EventCurrent, At: importer.Time(fields["last_evolution"]), From: importer.Name(fields["parent_version"]), To: current,
		FromScore: score(fields["parent_score"]), Operator: importer.Name(fields["last_strategy"]), Reason: fields["last_action"],
	}}}
}
