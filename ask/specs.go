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

// Spec asks for a version of a spec.
func Spec() Def[answer.SpecQuestion, answer.Spec] {
	return Def[answer.SpecQuestion, answer.Spec]{
		Name: "spec show", Scope: access.Read, Help: "show the metrics and targets of a spec",
		About:  "The canonical document is part of the answer in JSON; its SHA-256 is the hash of the version.",
		Params: (*answer.SpecQuestion).Params, Read: seeds.ShowSpec,
	}
}
