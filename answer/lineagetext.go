package answer

import (
	"time"

	"track/answer/param"
	"track/evolution"
)

// OperatorByHand is the operator of a mutation whose operator nobody named.
const OperatorByHand = "by_hand"

// operatorName returns an operator behind the word "by".
func operatorName(name string) string {
	if name == OperatorByHand {
		return "hand"
	}
	return name
}

// orNoVersion returns the name of a version for people.
func orNoVersion(name string) string {
	if name == "" {
		return "no version"
	}
	return name
}

// ofMutation declares the parameters that name a mutation.
func ofMutation(mutation, lineage *string) param.List {
	return param.List{
		{Name: "mutation", Arg: true, Required: true, Unit: "MUTATION", Help: "choose the mutation by its id", Value: param.Text(mutation)},
		{Name: "lineage", Unit: "NAME", Help: "choose the lineage, if several have a mutation of that id: its `NAME`", Value: param.Text(lineage)},
	}
}

// ofLineage declares the parameter that names a lineage, which may be left out if there is only one.
func ofLineage(lineage *string) param.Param {
	return param.Param{Name: "lineage", Arg: true, Unit: "LINEAGE", Help: "choose the lineage; not needed if there is only one", Value: param.Text(lineage)}
}

// namedLineage declares the parameter that must name a lineage.
func namedLineage(lineage *string) param.Param {
	return param.Param{Name: "lineage", Arg: true, Required: true, Unit: "LINEAGE", Help: "choose the lineage by its name", Value: param.Text(lineage)}
}

// atParam declares the time at which something happens, for a loop that keeps its own clock.
func atParam(at *time.Time) param.Param {
	return param.Param{Name: "at", Unit: "TIME", Help: "say when it happens: a `TIME` such as 2026-01-02T15:04:05Z, instead of now", Local: true, Value: param.Time(at)}
}

func reasonParam(reason *string) param.Param {
	return param.Param{Name: "reason", Unit: "TEXT", Help: "record this `TEXT` in the ledger", Value: param.Text(reason)}
}

// policyParam declares a policy: NAME, NAME,param=number or a JSON object.
func policyParam(name, help string, policy *evolution.Policy) param.Param {
	return param.Param{
		Name: name, Unit: "POLICY", Help: help + ": NAME, NAME,param=number or a JSON object", FileHelp: help + ": `POLICY` is NAME, NAME,param=number or @FILE",
		Value: param.Parsed(policy, ParsePolicy, policyText),
	}
}
