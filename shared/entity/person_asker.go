package entity

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// PersonAsker types ask who a row is about if its values do not tell.
type PersonAsker interface {
	FileWriter
	// PersonQuestions returns the questions about the rows of a file, in file order.
	PersonQuestions(ctx context.Context, tx pgx.Tx, f *File) ([]PersonQuestion, error)
	// PersonCandidates returns the people that rows with the texts of questions may be about, by text.
	// Their names hide what the texts do not need to be compared with.
	PersonCandidates(ctx context.Context, tx pgx.Tx, organisation tenant.ID, contextID int64, texts []string) (map[string][]Candidate, error)
}

// PersonQuestion asks who a row is about.
type PersonQuestion struct {
	Row  int64
	Text string // the values of the row that describe the person
}

// PersonDecision is the decision about a question: one of its fields is set, or none if nobody has
// decided.
type PersonDecision struct {
	PersonID int64 // a candidate
	New      bool  // somebody else
	Skip     bool  // the row is not imported
}
