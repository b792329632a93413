package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/pastanswer"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// Page sizes of past answers.
const (
	pastAnswersPage    = 100
	maxPastAnswersPage = 1000
)

// pastAnswerRoutes lists the operations on what is learned from answers.
func (a *api) pastAnswerRoutes() []route {
	const all = "/api/past-answers"
	return []route{
		{"GET", all, scopeImportsRead, a.listPastAnswers},
		{"DELETE", all, scopeImportsWrite, a.deletePastAnswers},
		{"DELETE", all + "/{pastAnswerId}", scopeImportsWrite, withoutQuery(a.deletePastAnswer)},
	}
}

// answer is what a header or a value meant in an import.
type answer struct {
	TargetField    *string `json:"targetField,omitempty"`
	TargetEntityID *int64  `json:"targetEntityId,omitempty"`
	TargetValue    *string `json:"targetValue,omitempty"`
	Empty          bool    `json:"empty,omitempty"`
	Ignore         bool    `json:"ignore,omitempty"`
}

func toAnswer(a *pastanswer.Answer) answer {
	return answer{TargetField: nilIfZero(a.TargetField), TargetEntityID: entityID(a.EntityID), TargetValue: nilIfZero(a.TargetValue), Empty: a.Empty, Ignore: a.Ignore}
}

// pastAnswer is the answer that all of the last imports gave.
type pastAnswer struct {
	answer
	Imports []job.ID `json:"imports"`
}

// toPastAnswer returns nil for nil.
func toPastAnswer(e *pastanswer.Entry) *pastAnswer {
	if e == nil {
		return nil
	}
	return &pastAnswer{answer: toAnswer(&e.Answers[0].Answer), Imports: e.Imports()}
}

// byPastAnswers is the reason of a candidate that earlier imports suggest.
const byPastAnswers job.MatchedBy = "pastAnswers"

// maxColumnCandidates is the maximum number of candidates of a column.
const maxColumnCandidates = 5

// addPastAnswer adds what people answered in earlier imports, as the first candidate.
func (c *columnMapping) addPastAnswer(e *pastanswer.Entry) {
	if c.PastAnswer = toPastAnswer(e); e == nil || e.Answers[0].TargetField == "" {
		return
	}
	first := columnCandidate{Field: e.Answers[0].TargetField, Reason: byPastAnswers}
	if i := slices.IndexFunc(c.Candidates, func(o columnCandidate) bool { return o.Field == first.Field }); i >= 0 {
		first.Score = c.Candidates[i].Score
		c.Candidates = slices.Delete(c.Candidates, i, i+1)
	}
	c.Candidates = append([]columnCandidate{first}, c.Candidates...)
	c.Candidates = c.Candidates[:min(maxColumnCandidates, len(c.Candidates))]
}

// learned is a header or a value with its answers.
type learned struct {
	ID          string        `json:"id"`
	ImportType  string        `json:"importType"`
	Field       *string       `json:"field"` // null for a header
	Text        string        `json:"text"`
	IsSuggested bool          `json:"isSuggested"`
	Answers     []datedAnswer `json:"answers"`
}

// datedAnswer is the answer of one import.
type datedAnswer struct {
	answer
	ImportID   job.ID    `json:"importId"`
	AnsweredAt time.Time `json:"answeredAt"`
}

func toLearned(e *pastanswer.Entry) learned {
	out := learned{ID: e.ID, ImportType: e.ImportType, Field: nilIfZero(e.Field), Text: e.Text, IsSuggested: e.IsSuggested(), Answers: make([]datedAnswer, len(e.Answers))}
	for i := range e.Answers {
		g := &e.Answers[i]
		out.Answers[i] = datedAnswer{answer: toAnswer(&g.Answer), ImportID: g.Import, AnsweredAt: g.At}
	}
	return out
}

// listPastAnswers is GET /api/past-answers.
func (a *api) listPastAnswers(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	importType := v.text("importType")
	a.checkTypeFilter(r, v, importType)
	p := v.page(pastAnswersPage, maxPastAnswersPage)
	v.rejectUnknown(pageParams("importType")...)
	if err := v.err(); err != nil {
		return err
	}
	var found []pastanswer.Entry
	var total int64
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, total, err = a.DB.ListPastAnswers(ctx, tx, importType, p.list())
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]learned, len(found))
	for i := range found {
		documents[i] = toLearned(&found[i])
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.PastAnswerCursor(&found[i]) }, total)
}

// deletePastAnswers is DELETE /api/past-answers.
func (a *api) deletePastAnswers(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	importType := v.text("importType")
	a.checkTypeFilter(r, v, importType)
	v.rejectUnknown("importType")
	if err := v.err(); err != nil {
		return err
	}
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error { return a.DB.DeletePastAnswers(ctx, tx, importType) })
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// deletePastAnswer is DELETE /api/past-answers/{pastAnswerId}.
func (a *api) deletePastAnswer(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("pastAnswerId"))
	if err != nil {
		return problem.New(problem.NotFound, "Past answer not found.")
	}
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error { return a.DB.DeletePastAnswer(ctx, tx, id.String()) })
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
