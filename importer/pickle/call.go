package pickle

// call runs the instructions that name classes, and those with which Python would call them.
func (m *machine) call(code byte) bool {
	switch code {
	case 'c':
		module := m.line()
		m.push(class{module, m.line()})
	case '\x93':
		name, module := m.pop(), m.pop()
		m.class(module, name)
	case 'i':
		module := m.line()
		name := m.line()
		m.push(&object{Of: class{module, name}, Args: Tuple(m.group())})
	case 'o':
		values := m.group()
		if len(values) == 0 {
			m.fail("an object without a class")
		}
		m.push(&object{Of: values[0], Args: Tuple(values[1:])})
	case 'R':
		args, of := m.pop(), m.pop()
		m.push(reduce(of, args))
	case '\x81':
		args, of := m.pop(), m.pop()
		m.push(&object{Of: of, Args: args})
	case '\x92':
		named, args, of := m.pop(), m.pop(), m.pop()
		m.push(&object{Of: of, Args: Tuple{args, named}})
	case 'b':
		state := m.pop()
		m.build(m.top(), state)
	default:
		return false
	}
	return true
}

func (m *machine) class(module, name any) {
	moduleText, isText := module.(string)
	nameText, areTexts := name.(string)
	if !isText || !areTexts {
		m.fail("a class whose name is no text")
	}
	m.push(class{moduleText, nameText})
}

// build gives an object its state. What is plain by now, such as a scalar of numpy, has none.
func (m *machine) build(to, state any) {
	if made, is := to.(*object); is {
		made.State = state
	}
}

// reduce returns the number that a scalar of numpy is, the bytes that protocols before 3 write as a text, the set that
// they write as a list, or an opaque object.
func reduce(of, args any) any {
	made := &object{Of: of, Args: args}
	if number, is := scalar(made); is {
		return number
	}
	values, _ := args.(Tuple)
	switch name, _ := of.(class); {
	case len(values) == 2 && name == class{"_codecs", "encode"} && values[1] == any("latin1"):
		if text, is := values[0].(string); is {
			return latin1(text)
		}
	case len(values) == 1 && name.Name == "set" && (name.Module == "__builtin__" || name.Module == "builtins"):
		if list, is := values[0].(*List); is {
			return &set{Items: list.Items}
		}
	}
	return made
}

// latin1 returns the bytes of a text, one for each character.
func latin1(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		out = append(out, byte(r))
	}
	return out
}
