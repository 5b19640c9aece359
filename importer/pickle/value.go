package pickle

// List is a list of Python.
type List struct{ Items []any }

// Tuple is a tuple of Python.
type Tuple []any

// set is a set or frozenset of Python, in the order of the pickle.
type set struct{ Items []any }

// Dict is a dictionary of Python, in the order of the pickle. A key that comes twice stands twice.
type Dict struct {
	Keys   []any
	Values []any
}

// Get returns the value of a key that is a text; the last where it stands twice.
func (d *Dict) Get(key string) (value any, ok bool) {
	for i := len(d.Keys) - 1; i >= 0; i-- {
		if d.Keys[i] == any(key) {
			return d.Values[i], true
		}
	}
	return nil, false
}

// class names a class or function. It is never looked up.
type class struct{ Module, Name string }

// object is what a class or function would have made of its arguments and its state.
type object struct {
	Of    any // mostly a class
	Args  any // nil, or mostly a Tuple
	State any // nil where there is none
}

// children returns what a container holds.
func children(value any) []any {
	switch v := value.(type) {
	case *List:
		return v.Items
	case Tuple:
		return v
	case *set:
		return v.Items
	case *Dict:
		all := make([]any, 0, 2*len(v.Keys))
		return append(append(all, v.Keys...), v.Values...)
	case *object:
		return []any{v.Of, v.Args, v.State}
	}
	return nil
}
