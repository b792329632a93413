// Package sequence generates sequences of files for one organisation, and states what each of them
// should do: corrected result lists, rosters whose identifying columns change, and files with unused
// or doubled columns, stray quotes or several sheets.
//
// The models follow the documents (docs/whole-files.md, docs/people.md, docs/reading.md and
// docs/mapping.md) and share no code with the product.
//
// Tested by shared/testing/simulation: every random sequence.
package sequence

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// File is an upload.
type File struct {
	Type, Filename string
	Content        []byte
	Options        string // JSON
	Insert         bool   // its mode; otherwise upsert
	InContext      bool   // it belongs to the organisation's event
	Strict         bool
}

// Expectation is what an import should do.
type Expectation struct {
	Failure string         // the code with which it fails and writes nothing; "" for none
	Lines   []checker.Line // of all lines of the file
	// Warnings are the beginnings of its warnings. Warnings with other codes than those in Checked are
	// not compared.
	Warnings []string
	Checked  []string
}

// CompareWarnings returns the differences between the import's warnings and the expected ones.
func (e *Expectation) CompareWarnings(got []string) (differences []string) {
	open := make(map[int]bool)
	for i, w := range got {
		code, _, _ := strings.Cut(w, ":")
		for _, c := range e.Checked {
			open[i] = open[i] || c == code
		}
	}
next:
	for _, want := range e.Warnings {
		for i, w := range got {
			if open[i] && strings.HasPrefix(w, want) {
				open[i] = false
				continue next
			}
		}
		differences = append(differences, fmt.Sprintf("there is no warning %q in %q", want, got))
	}
	for i, unexpected := range open {
		if unexpected {
			differences = append(differences, fmt.Sprintf("unexpected warning %q", got[i]))
		}
	}
	return differences
}

// Scenario draws files and models their effect.
type Scenario interface {
	// SetupSQL returns the statements that create the initial data; $1 is the organisation.
	SetupSQL() []string
	// Next draws a file, and applies it to the model.
	Next() (*File, *Expectation)
	// Tables returns the expected contents of the tables.
	Tables() []checker.Table
	// Save returns the current state of the model, and Restore returns to it.
	Save() any
	Restore(state any)
}

// Kinds are the scenarios by name.
var Kinds = []string{"results", "roster", "files"} //nolint:gochecknoglobals // constant

// New returns a scenario of a kind.
func New(kind string, r *rand.Rand) Scenario {
	d := drawer{r}
	switch kind {
	case "results":
		return newResults(d)
	case "roster":
		return newRoster(d)
	}
	return newFiles(d)
}

// drawer draws from a seed.
type drawer struct{ *rand.Rand }

func (d drawer) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d drawer, choices ...T) T { return choices[d.IntN(len(choices))] }

// csvFile returns the lines of a CSV file.
func csvFile(header []string, rows [][]string) []byte {
	var b strings.Builder
	b.WriteString(strings.Join(header, ",") + "\n")
	for _, r := range rows {
		b.WriteString(strings.Join(r, ",") + "\n")
	}
	return []byte(b.String())
}

func headerLine() checker.Line { return checker.Line{Outcome: rowwrite.Header} }

func errored(code string) checker.Line {
	return checker.Line{Outcome: rowwrite.Errored, Codes: []string{code}}
}
