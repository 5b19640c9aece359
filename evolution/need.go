package evolution

// Need says what evidence is missing.
type Need struct {
	Child  int `json:"child"`  // more trials with a score
	Parent int `json:"parent"` // more trials with a score
	Pairs  int `json:"pairs"`  // pairs of the same task or seed that they must form; 0 if they need not
	// ChildKeys are tasks or seeds that the parent has done and the child has not: do these first, of which Child are
	// enough. ParentKeys is the same for the parent. The rest is for both sides, on tasks or seeds that the caller
	// chooses.
	ChildKeys  []string `json:"child_keys"`
	ParentKeys []string `json:"parent_keys"`
	// Measure says that the policy accepts, and that the gain is to be measured on the tasks of ChildKeys and
	// ParentKeys.
	Measure bool `json:"measure"`
}

// needTrials returns the need for trials of one side that need no partner.
func needTrials(child, parent int) Need {
	return Need{Child: child, Parent: parent, ChildKeys: []string{}, ParentKeys: []string{}}
}

// needPairs returns the need for n more pairs. Trials without a partner supply half a pair each.
func needPairs(n int, p pairing) Need {
	childKeys := firstKeys(p.openParent, n)
	parentKeys := firstKeys(p.openChild, n-len(childKeys))
	return Need{
		Child: n - len(parentKeys), Parent: n - len(childKeys), Pairs: n,
		ChildKeys: childKeys, ParentKeys: parentKeys,
	}
}

func firstKeys(trials []Trial, n int) []string {
	keys := make([]string, 0, min(n, len(trials)))
	for _, t := range trials[:min(n, len(trials))] {
		keys = append(keys, t.Key)
	}
	return keys
}
