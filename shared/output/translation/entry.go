package translation

import (
	"regexp"
	"strconv"
	"strings"
)

// entry is an English text with its translations.
type entry struct {
	english      string
	literals     []string // the fixed text before, between and after the values
	verbs        []verb
	fixed        int // bytes of fixed text
	translations map[Language]string
}

// verb is the place of a value: s, d, q, m or l, with the index from 1 if it is stated.
type verb struct {
	kind  byte
	index int
}

func newEntry(english string) *entry {
	e := &entry{english: english, translations: make(map[Language]string)}
	e.literals, e.verbs = split(english)
	for _, literal := range e.literals {
		e.fixed += len(literal)
	}
	return e
}

var verbPattern = regexp.MustCompile(`%(?:\[(\d)\])?(?:\.\d+)?([sdqml])`)

// split returns the fixed text around the verbs of a text, and the verbs.
func split(text string) (literals []string, verbs []verb) {
	from := 0
	for _, at := range verbPattern.FindAllStringSubmatchIndex(text, -1) {
		literals = append(literals, text[from:at[0]])
		v := verb{kind: text[at[4]]}
		if at[2] >= 0 {
			v.index, _ = strconv.Atoi(text[at[2]:at[3]])
		}
		verbs = append(verbs, v)
		from = at[1]
	}
	return append(literals, text[from:]), verbs
}

// match returns the values in a message that was formatted with the text.
func (e *entry) match(message string) (values []string, ok bool) {
	rest, ok := strings.CutPrefix(message, e.literals[0])
	if !ok {
		return nil, false
	}
	last := len(e.verbs) - 1
	for i, v := range e.verbs {
		literal := e.literals[i+1]
		end := strings.Index(rest, literal)
		if i == last {
			end = len(rest) - len(literal)
		}
		switch {
		case end <= 0 || rest[end:end+len(literal)] != literal || !v.accepts(rest[:end]):
			return nil, false
		case literal == "" && i != last:
			return nil, false // two values without text between them
		}
		values, rest = append(values, rest[:end]), rest[end+len(literal):]
	}
	return values, true
}

// accepts reports whether the value can be what the verb has written.
func (v verb) accepts(value string) bool {
	switch v.kind {
	case 'd':
		return strings.Trim(value, "0123456789") == "" || strings.Trim(value[1:], "0123456789") == "" && value[0] == '-'
	case 'q':
		_, err := strconv.Unquote(value)
		return err == nil
	}
	return true
}
