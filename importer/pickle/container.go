package pickle

// container runs the instructions that make lists, tuples, dictionaries and sets, and fill them.
func (m *machine) container(code byte) bool {
	switch code {
	case ']':
		m.push(&List{})
	case 'l':
		m.push(&List{Items: m.group()})
	case ')':
		m.push(Tuple{})
	case '\x85', '\x86', '\x87':
		m.tuple(int(code - '\x84'))
	case 't':
		m.push(Tuple(m.group()))
	case '}':
		m.push(&Dict{})
	case 'd':
		dict := &Dict{}
		m.set(dict, m.group())
		m.push(dict)
	case '\x8f':
		m.push(&set{})
	case '\x91':
		m.push(&set{Items: m.group()})
	case 'a':
		m.extend([]any{m.pop()})
	case 'e', '\x90':
		m.extend(m.group())
	case 's':
		value, key := m.pop(), m.pop()
		m.set(m.top(), []any{key, value})
	case 'u':
		pairs := m.group()
		m.set(m.top(), pairs)
	default:
		return false
	}
	return true
}

func (m *machine) tuple(n int) {
	values := make(Tuple, n)
	for i := n - 1; i >= 0; i-- {
		values[i] = m.pop()
	}
	m.push(values)
}

// extend adds values to the list or set on top. An object may be a kind of list of its own: that stays opaque.
func (m *machine) extend(values []any) {
	switch to := m.top().(type) {
	case *List:
		to.Items = append(to.Items, values...)
	case *set:
		to.Items = append(to.Items, values...)
	case *object:
	default:
		m.fail("adds to what is no list and no set")
	}
}

// set puts keys and values, in turn, into a dictionary. An object may be a kind of dictionary of its own, such as an
// OrderedDict: its state becomes one.
func (m *machine) set(to any, pairs []any) {
	if len(pairs)%2 != 0 {
		m.fail("a key without a value")
	}
	if made, is := to.(*object); is {
		if made.State == nil {
			made.State = &Dict{}
		}
		if to = made.State; !isDict(to) {
			return
		}
	}
	dict, is := to.(*Dict)
	if !is {
		m.fail("sets a key of what is no dictionary")
	}
	for i := 0; i < len(pairs); i += 2 {
		dict.Keys = append(dict.Keys, pairs[i])
		dict.Values = append(dict.Values, pairs[i+1])
	}
}

func isDict(value any) bool {
	_, is := value.(*Dict)
	return is
}
