package masking

import (
	"strings"
	"sync"
)

// rules are tables that are made when they are first needed.
type rules struct {
	classes       [256]class
	shapesByStart [512][]start        // by the hash of their first two letters
	endingsByEnd  [512][]uint16       // by the hash of their last two letters
	mayBeProgram  [512]bool           // by the hash of the first two letters
	mayTell       [512]bool           // by the hash of the first two letters, in lower case
	programs      map[string][]uint16 // options by program
	optionNames   [][]string
}

// start is a shape, with the third letter of its prefix; 0 if it has none.
type start struct {
	shape uint16
	third byte
}

var theRules = sync.OnceValue(func() *rules {
	r := &rules{programs: map[string][]uint16{}}
	for i := range shapes {
		h := hash(shapes[i].prefix[0], shapes[i].prefix[1])
		r.shapesByStart[h] = append(r.shapesByStart[h], start{uint16(i), (shapes[i].prefix + "\x00")[2]})
	}
	for i := range endings {
		e := endings[i].ending
		h := hash(e[len(e)-2], e[len(e)-1])
		r.endingsByEnd[h] = append(r.endingsByEnd[h], uint16(i))
	}
	for i := range options {
		r.optionNames = append(r.optionNames, strings.Fields(options[i].names))
		for name := range strings.FieldsSeq(options[i].programs) {
			r.programs[name] = append(r.programs[name], uint16(i))
			r.mayBeProgram[hash(name[0], name[1])] = true
		}
	}
	for two := range strings.FieldsSeq(tellingBeginnings) {
		r.mayTell[hash(two[0], two[1])] = true
	}
	for c := range 128 {
		if isWord.has(byte(c)) {
			r.classes[c] = inWord
		}
	}
	for c, class := range map[byte]class{
		'=': separates, ':': separates, '-': dash, '>': closes, ',': comma, '(': opens, '%': percent, '~': tilde,
		'$': dollar, '\n': newline, '/': slash, 0xef: wide, '<': less,
	} {
		r.classes[c] = class
	}
	return r
})

// hash is small, since it is the index of a table.
func hash(a, b byte) uint16 { return (uint16(a)*31 + uint16(b)) & 511 }

// class says what a byte may begin.
type class uint8

const (
	other class = iota
	inWord
	separates
	dash
	closes
	comma
	opens
	percent
	tilde
	dollar
	newline
	slash
	wide
	less
)
