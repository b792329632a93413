// Package translation holds the texts that the server shows to people, in all languages of the
// console: titles of import types and fields, messages of rows, warnings and problems, and the texts
// of workbooks. Everything is stored and logged in English; only responses are translated.
//
// The catalogues have a block for each English text: the text as in the source, with the verbs of
// its values, followed by an indented line for each language. In a translation, %s, %d and %q are
// the values in their order, %[2]s is the second one, %q has the quotation marks of the language,
// %m is a value that is itself a text of the catalogues, and %l is a list of them, separated by
// commas.
//
// fields.txt has titles and texts of workbooks, rows.txt the messages of rows, files.txt those about
// files, which the console also shows before an upload, declarations.txt those about declared types,
// and problems.txt all others.
package translation

import (
	"embed"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Language is the code of a language: "de".
type Language string

// English is the language of the source and the default.
const English Language = "en"

// Languages returns all languages, English first.
func Languages() []Language { return []Language{English, "de", "fr", "es", "nl"} }

// Parse returns the language with the code, which may have a region: "de-AT". ok is false for
// other languages.
func Parse(code string) (l Language, ok bool) {
	code, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(code)), "-")
	return Language(code), slices.Contains(Languages(), Language(code))
}

// Negotiate returns the language that an Accept-Language header prefers; English if it names none
// of the languages.
func Negotiate(header string) Language {
	best, weight := English, 0.0
	for part := range strings.SplitSeq(header, ",") {
		code, parameter, _ := strings.Cut(part, ";")
		q := 1.0
		if text, found := strings.CutPrefix(strings.TrimSpace(parameter), "q="); found {
			var err error
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		if l, ok := Parse(code); ok && q > weight {
			best, weight = l, q
		}
	}
	return best
}

// Text returns the translation of an English text; the text itself if it has none, such as the
// message of a type that an organisation has declared.
func (l Language) Text(english string) string {
	text, _ := l.Lookup(english)
	return text
}

// Title returns the title of a field. own are the titles of a field of a declared type in other
// languages, by their codes.
func (l Language) Title(title string, own map[string]string) string {
	if text := own[string(l)]; text != "" {
		return text
	}
	return l.Text(title)
}

// FieldMessage is Text for the message of a row error, which begins with the title of its field.
func (l Language) FieldMessage(title string, own map[string]string, message string) string {
	rest, found := strings.CutPrefix(message, title+": ")
	if l == English || !found {
		return l.Text(message)
	}
	colon := ": "
	if l == "fr" {
		colon = "\u202f: "
	}
	return l.Title(title, own) + colon + l.Text(rest)
}

// Texts translates a list.
func (l Language) Texts(english []string) []string {
	texts := make([]string, len(english))
	for i, text := range english {
		texts[i] = l.Text(text)
	}
	return texts
}

// Lookup is Text, and reports whether the text and its parts have a translation.
func (l Language) Lookup(english string) (text string, ok bool) {
	if l == English || !strings.ContainsFunc(english, unicode.IsLetter) {
		return english, true
	}
	c := catalogue()
	if e := c.exact[english]; e != nil {
		return e.translations[l], true
	}
	partly := english
	for _, e := range c.patterns {
		values, matches := e.match(english)
		if !matches {
			continue
		}
		if text, ok = l.fill(e.translations[l], values); ok {
			return text, true
		}
		// A text that consists of values only fits anything: all of them must be known.
		if partly == english && e.fixed > minFixed {
			partly = text
		}
	}
	return partly, false
}

// minFixed is the size of the fixed text from which on a match is no coincidence.
const minFixed = 4

// fill returns the translation with the values.
func (l Language) fill(translation string, values []string) (text string, ok bool) {
	var b strings.Builder
	ok = true
	next := 0
	literals, verbs := split(translation)
	for i, v := range verbs {
		b.WriteString(literals[i])
		at := next
		if v.index > 0 {
			at = v.index - 1
		}
		next = at + 1
		value := values[at]
		switch v.kind {
		case 'm':
			translated, known := l.Lookup(value)
			value, ok = translated, ok && known
		case 'l':
			parts := strings.Split(value, ", ")
			for i, part := range parts {
				translated, known := l.Lookup(part)
				parts[i], ok = translated, ok && known
			}
			value = strings.Join(parts, ", ")
		case 'q':
			value = l.quote(value)
		}
		b.WriteString(value)
	}
	b.WriteString(literals[len(verbs)])
	return b.String(), ok
}

// quote replaces the quotation marks of a quoted value by those of the language.
func (l Language) quote(value string) string {
	unquoted, err := strconv.Unquote(value)
	if err != nil {
		return value
	}
	switch l {
	case "de":
		return "„" + unquoted + "“"
	case "fr":
		return "«\u202f" + unquoted + "\u202f»"
	case "es":
		return "«" + unquoted + "»"
	default:
		return "“" + unquoted + "”"
	}
}

//go:embed *.txt
var files embed.FS

// catalog holds the texts of all files.
type catalog struct {
	exact    map[string]*entry
	patterns []*entry // with values, the ones with the longest fixed text first
}

// catalogue is parsed when a text is translated for the first time.
var catalogue = sync.OnceValue(func() *catalog {
	c := &catalog{exact: make(map[string]*entry)}
	for _, e := range entries() {
		c.exact[e.english] = e
		if len(e.verbs) > 0 {
			c.patterns = append(c.patterns, e)
		}
	}
	slices.SortStableFunc(c.patterns, func(a, b *entry) int { return b.fixed - a.fixed })
	return c
})

// entries parses all files.
func entries() (all []*entry) {
	names, _ := fs.Glob(files, "*.txt")
	for _, name := range names {
		text, _ := files.ReadFile(name) // embedded
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			translation, indented := strings.CutPrefix(line, "  ")
			switch code, rest, _ := strings.Cut(translation, " "); {
			case indented:
				all[len(all)-1].translations[Language(code)] = rest
			case line != "":
				all = append(all, newEntry(line))
			}
		}
	}
	return all
}
