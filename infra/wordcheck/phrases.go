package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed phrases.txt
var phrasesText string

//go:embed exceptions.txt
var exceptionsText string

// maxExceptions limits exceptions.txt: many exceptions indicate a bad rule.
const maxExceptions = 20

// phrase is a line of phrases.txt.
type phrase struct {
	pattern     *regexp.Regexp
	replacement string
}

// exception is a line of exceptions.txt: a file that may use a phrase.
type exception struct {
	path, phrase string
	used         bool
}

// finding is a phrase in a text.
type finding struct {
	path                string
	line                int
	phrase, replacement string
}

// readPhrases reads lines of "pattern | replacement".
func readPhrases() ([]phrase, error) {
	var all []phrase
	for line := range strings.Lines(phrasesText) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, replacement, ok := strings.Cut(line, " => ")
		if !ok {
			return nil, fmt.Errorf("phrases.txt: no replacement in %q", line)
		}
		compiled, err := regexp.Compile(`(?i)\b(?:` + strings.TrimSpace(pattern) + `)\b`)
		if err != nil {
			return nil, fmt.Errorf("phrases.txt: %w", err)
		}
		all = append(all, phrase{compiled, strings.TrimSpace(replacement)})
	}
	return all, nil
}

// readExceptions reads lines of "path | phrase | reason".
func readExceptions() ([]*exception, error) {
	var all []*exception
	for line := range strings.Lines(exceptionsText) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, " | ")
		if len(columns) != 3 {
			return nil, fmt.Errorf("exceptions.txt: no path, phrase and reason in %q", line)
		}
		all = append(all, &exception{path: columns[0], phrase: columns[1]})
	}
	if len(all) > maxExceptions {
		return nil, fmt.Errorf("exceptions.txt: %d exceptions, at most %d are allowed", len(all), maxExceptions)
	}
	return all, nil
}

// findPhrases returns all phrases in texts without the exceptions, which it marks as used.
func findPhrases(texts []text, phrases []phrase, exceptions []*exception) []finding {
	var all []finding
	for _, t := range texts {
		flat := strings.Join(strings.Fields(t.text), " ")
		for _, p := range phrases {
			for _, match := range p.pattern.FindAllString(flat, -1) {
				if !excepted(exceptions, t.path, match) {
					all = append(all, finding{t.path, t.line, match, p.replacement})
				}
			}
		}
	}
	return all
}

func excepted(exceptions []*exception, path, match string) bool {
	for _, e := range exceptions {
		if strings.HasPrefix(path, e.path) && strings.EqualFold(match, e.phrase) {
			e.used = true
			return true
		}
	}
	return false
}
