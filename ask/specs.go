package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/seeds"
)

// Specs asks which specs there are.
func Specs() Def[answer.SpecsQuestion, answer.Specs] {
	return Def[answer.SpecsQuestion, answer.Specs]{
		Name: "spec list", Scope: access.Read, Help: "list the specs and their versions",
		Params: (*answer.SpecsQuestion).Params, Read: seeds.ListSpecs,
	}
}

// LintSpec asks what deserves a look in a spec.
func LintSpec() Def[answer.LintSpecQuestion, answer.SpecLint] {
	return Def[answer.LintSpecQuestion, answer.SpecLint]{
		Name: "spec lint", Scope: access.Read, Help: "check a spec without adding it", Posted: true,
		About: `Names what makes the document unusable, and warns about what is unusual. If the database has seeds of the scenario, it also tests
whether the skip of each mean over a series is long enough, and warns of values in percent.`,
		Params: (*answer.LintSpecQuestion).Params, Read: seeds.LintSpec,
	}
}

// Spec asks for a version of a spec.
func Spec() Def[answer.SpecQuestion, answer.Spec] {
	return Def[answer.SpecQuestion, answer.Spec]{
		Name: "spec show", Scope: access.Read, Help: "show the metrics and targets of a spec",
		About:  "The canonical document is part of the answer in JSON; its SHA-256 is the hash of the version.",
		Params: (*answer.SpecQuestion).Params, Read: seeds.ShowSpec,
	}
}
