// Package pastanswer suggests what people have answered about the same headers and values in earlier
// imports of a type. Nothing is ever matched by it: a suggestion waits for a person's decision.
//
// Tested by shared/step: what imports learn; and by shared/httpapi: what is suggested, listed and deleted.
package pastanswer

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
)

const (
	// Required is the number of imports that have to give the same answer before it is suggested. The
	// answers of the last ones are kept.
	Required = 3
	// MaxEntries is the quota of an organisation: of headers and values with answers. Those that were
	// answered longest ago are forgotten first.
	MaxEntries = 10_000
)

// Subject is what an answer is about: a header, or a value of a field.
type Subject struct {
	Field string // "" for a header
	Text  string
}

// ID identifies the answers about a subject in the imports of a type. Texts that differ in case or
// white space only are the same: "Weight (kg)" is not "Weight (lb)".
func (s Subject) ID(importType string) string {
	key := strconv.Quote(importType) + strconv.Quote(s.Field) + mapping.ExactKey(s.Text)
	return uuid.NewSHA1(uuid.Nil, []byte(key)).String()
}

// Answer is what a header or a value means. Exactly one member is set.
type Answer struct {
	TargetField string `json:"targetField,omitempty"` // of a header
	EntityID    string `json:"targetEntityId,omitempty"`
	TargetValue string `json:"targetValue,omitempty"`
	Empty       bool   `json:"empty,omitempty"`
	Ignore      bool   `json:"ignore,omitempty"`
}

// Given is the answer of an import.
type Given struct {
	Answer
	Import job.ID    `json:"import"`
	At     time.Time `json:"at"`
}

// Entry is a subject with its last answers, the newest first.
type Entry struct {
	ID         string // of Subject.ID
	ImportType string
	Subject
	Answers []Given
}

// IsSuggested reports whether the last imports gave the same answer.
func (e *Entry) IsSuggested() bool {
	if e == nil || len(e.Answers) < Required {
		return false
	}
	for _, g := range e.Answers {
		if g.Answer != e.Answers[0].Answer {
			return false
		}
	}
	return true
}

// Imports are the imports that gave the answers.
func (e *Entry) Imports() []job.ID {
	ids := make([]job.ID, len(e.Answers))
	for i, g := range e.Answers {
		ids[i] = g.Import
	}
	return ids
}
