package pgtable

import (
	"regexp"
	"slices"
	"strings"
)

// tokens are the parts of an expression as Postgres writes it: constants, quoted and plain names, the
// operator of a cast, and everything else.
var tokens = regexp.MustCompile(`E?'(?:[^']|'')*'|"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*|::|\S`)

// columnsOf returns the columns that an expression uses, in the order of their first use.
func columnsOf(expression string, columns []string) []string {
	var used []string
	all := tokens.FindAllString(expression, -1)
	for i, token := range all {
		name := unquoteName(token)
		isFunction := i+1 < len(all) && all[i+1] == "("
		isType := i > 0 && (all[i-1] == "::" || all[i-1] == ".")
		if !isFunction && !isType && slices.Contains(columns, name) && !slices.Contains(used, name) {
			used = append(used, name)
		}
	}
	return used
}

// unquoteName returns the name that a token denotes.
func unquoteName(token string) string {
	if len(token) > 1 && token[0] == '"' {
		return strings.ReplaceAll(token[1:len(token)-1], `""`, `"`)
	}
	return token
}

// unquoteText returns the text of a constant, or false for other tokens and for escapes.
func unquoteText(token string) (string, bool) {
	if len(token) < 2 || token[0] != '\'' {
		return "", false
	}
	return strings.ReplaceAll(token[1:len(token)-1], "''", "'"), true
}

// words returns the values that a CHECK constraint of the column or of its domain lists, or nil.
func words(column *Column, checks []Check) []string {
	for i := range column.DomainChecks {
		if found := listedWords(column.DomainChecks[i].Expression, "VALUE"); found != nil {
			return found
		}
	}
	for i := range checks {
		if len(checks[i].Columns) == 1 && checks[i].Columns[0] == column.Name {
			if found := listedWords(checks[i].Expression, column.Name); found != nil {
				return found
			}
		}
	}
	return nil
}

// listedWords returns the texts of an expression that compares a name with nothing but texts. Such an
// expression is: name = ANY (ARRAY['a', 'b']), or name = 'a' OR name = 'b'. An alternative
// "name IS NULL" does not matter, as a CHECK accepts NULL.
func listedWords(expression, name string) []string {
	var found []string
	all := meaningful(tokens.FindAllString(expression, -1))
	for len(all) > 0 {
		var values []string
		switch {
		case len(all) >= 3 && unquoteName(all[0]) == name && all[1] == "IS" && all[2] == "NULL":
			all = all[3:]
		case len(all) >= 3 && unquoteName(all[0]) == name && all[1] == "=":
			values, all = constants(all[2:])
			if values == nil {
				return nil
			}
		default:
			return nil
		}
		found = append(found, values...)
		if len(all) > 0 {
			if all[0] != "OR" {
				return nil
			}
			all = all[1:]
		}
	}
	return found
}

// constants returns the texts at the beginning: one, or those of ANY ARRAY.
func constants(all []string) (values, rest []string) {
	if len(all) > 0 && all[0] == "ANY" {
		all = all[1:]
		if len(all) > 0 && all[0] == "ARRAY" {
			all = all[1:]
		}
	}
	for len(all) > 0 {
		value, ok := unquoteText(all[0])
		if !ok {
			break
		}
		values, all = append(values, value), all[1:]
	}
	return values, all
}

// meaningful leaves out parentheses, separators and casts.
func meaningful(all []string) []string {
	var kept []string
	for i := 0; i < len(all); i++ {
		switch all[i] {
		case "(", ")", "[", "]", ",":
		case "::":
			i = endOfType(all, i+1) - 1
		default:
			kept = append(kept, all[i])
		}
	}
	return kept
}

// typeWords are the words that follow the first one in a type's name.
var typeWords = []string{"varying", "precision", "without", "with", "time", "zone"}

// endOfType returns the place after the type that begins at i.
func endOfType(all []string, i int) int {
	i++
	for i < len(all) && (slices.Contains(typeWords, all[i]) || all[i] == "." || i > 0 && all[i-1] == ".") {
		i++
	}
	return i
}
