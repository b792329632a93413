package eventparticipant

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Parts of a question's text. Its name may contain commas, the other values cannot.
const (
	textSeparator = ", "
	numberPrefix  = "ID "
)

// text returns the values that describe the person of a row, for a question. No two rows of a file
// that are both imported have the same text.
func (a *identity) text() string {
	parts := []string{a.name.String()}
	if a.born != "" {
		parts = append(parts, entity.DisplayDate([]byte(a.born)))
	}
	if a.email != "" {
		parts = append(parts, a.email)
	}
	if a.number != "" {
		parts = append(parts, numberPrefix+a.number)
	}
	return strings.Join(parts, textSeparator)
}

// candidateName returns the person for a choice, without what identifies the person elsewhere.
func (a *identity) candidateName() string {
	masked := identity{name: a.name, born: a.born}
	if at := strings.LastIndexByte(a.email, '@'); at > 0 {
		first := []rune(a.email[:at])[:1]
		masked.email = string(first) + "***" + a.email[at:]
	}
	return masked.text()
}

// described are the values in the text of a question.
type described struct{ name, born, email, number string }

func parseText(text string) described {
	var d described
	parts := strings.Split(text, textSeparator)
	rest := func(is func(string) bool, to *string) {
		if last := len(parts) - 1; last > 0 && is(parts[last]) {
			*to, parts = parts[last], parts[:last]
		}
	}
	rest(func(s string) bool { return strings.HasPrefix(s, numberPrefix) }, &d.number)
	rest(func(s string) bool { return strings.Contains(s, "@") }, &d.email)
	rest(func(s string) bool { return len(s) == len("2006-01-02") && strings.Trim(s, "0123456789-") == "" }, &d.born)
	d.number, d.name = strings.TrimPrefix(d.number, numberPrefix), fold(strings.Join(parts, textSeparator))
	return d
}

// keys returns what the texts about two people have in common if one may be the other.
func (d *described) keys() (keys []string) {
	for kind, value := range map[string]string{"name": d.name, "born": d.born, "email": d.email, "number": d.number} {
		if value != "" {
			keys = append(keys, kind+textSeparator+value)
		}
	}
	return keys
}

// mayBe reports whether a text with one of the keys of the person may be about them.
func (d *described) mayBe(p *identity, of *described) bool {
	return same(d.name, of.name) || same(d.email, of.email) || same(d.number, of.number) ||
		strings.HasPrefix(d.name, p.first+" ") || strings.HasSuffix(d.name, " "+p.last)
}

// PersonQuestions asks about the rows that would enter a new person beside one who may be the same.
func (t *Type) PersonQuestions(ctx context.Context, tx pgx.Tx, f *entity.File) ([]entity.PersonQuestion, error) {
	prepared, err := t.PrepareFile(f)
	if err != nil {
		return nil, err
	}
	x := prepared.(*preparedFile).people
	r, err := x.recognise(ctx, tx, f.Batch)
	if err != nil {
		return nil, err
	}
	var keys []string
	for i := range x.rows {
		if row := &x.rows[i]; r.isOpen(row) && row.number == "" && row.email != "" {
			keys = append(keys, row.key())
		}
	}
	known, err := queryPersonsByKey(ctx, tx, f.Batch.Organisation, keys, "")
	if err != nil {
		return nil, err
	}
	var questions []entity.PersonQuestion
	for i := range x.rows {
		row := &x.rows[i]
		p := known[row.key()]
		if r.similar[row.row] != nil || r.isOpen(row) && p != nil && r.taken[p.personID] == 0 && !row.sameName(&p.identity) {
			questions = append(questions, entity.PersonQuestion{Row: row.row, Text: row.text()})
		}
	}
	return questions, nil
}

// isOpen reports whether the row is about nobody in the event, and is like nobody either.
func (r *recognition) isOpen(row *indexedRow) bool {
	return r.byRow[row.row] == nil && r.similar[row.row] == nil
}

// PersonCandidates returns the participants of the event, and the people of the organisation with
// the same address, that rows with the texts may be about.
func (*Type) PersonCandidates(ctx context.Context, tx pgx.Tx, organisation tenant.ID, contextID int64, texts []string) (map[string][]entity.Candidate, error) {
	rows, byKey := make([]described, len(texts)), make(map[string][]int)
	var addresses []string
	for i, text := range texts {
		rows[i] = parseText(text)
		for _, key := range rows[i].keys() {
			byKey[key] = append(byKey[key], i)
		}
		if rows[i].email != "" {
			addresses = append(addresses, entity.PersonKey("", rows[i].email, "", "", nil))
		}
	}
	found := make(map[string][]entity.Candidate)
	add := func(p *participant) {
		own := parseText(p.text())
		listed := make(map[int]bool)
		for _, key := range own.keys() {
			for _, i := range byKey[key] {
				if text := texts[i]; !listed[i] && len(found[text]) < maxShared && rows[i].mayBe(&p.identity, &own) {
					listed[i] = true
					found[text] = append(found[text], entity.Candidate{ID: p.personID, Name: p.candidateName()})
				}
			}
		}
	}
	entered := make(map[int64]bool)
	err := eachParticipant(ctx, tx, &entity.Batch{Organisation: organisation, Context: contextID}, func(p *participant) {
		entered[p.personID] = true
		add(p)
	})
	if err != nil {
		return nil, err
	}
	others, err := queryPersonsByKey(ctx, tx, organisation, addresses, "")
	for _, p := range others {
		if !entered[p.personID] {
			add(p)
		}
	}
	for _, people := range found {
		slices.SortFunc(people, func(a, b entity.Candidate) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	}
	return found, err
}

// applyChoices makes the rows be about the people that somebody chose for them. Another row about
// the same person is rejected.
func (x *rowIndex) applyChoices(ctx context.Context, tx pgx.Tx, b *entity.Batch, chosen map[int]*participant, r *recognition) error {
	missing := entity.NewColumn(entity.Reference, 0)
	for id, at := range x.chosen {
		if chosen[at] == nil {
			missing.AppendInt64(id)
		}
	}
	if missing.Len() > 0 {
		err := eachPerson(ctx, tx, b.Organisation, `p.id = ANY($2::int8[])`, &missing, func(p *participant) { chosen[x.chosen[p.personID]] = p })
		if err != nil {
			return err
		}
	}
	for id, at := range x.chosen {
		row, p := x.rows[at].row, chosen[at]
		if p == nil {
			r.rejected[row] = rowwrite.Error{Code: problem.IdentityAmbiguous, Message: "The person chosen for this row no longer exists. Import the file again."}
			continue
		}
		if other := r.taken[id]; other != 0 && other != row {
			delete(r.byRow, other)
			r.rejected[other] = samePersonError(row)
		}
		p.isChosen = true
		r.byRow[row], r.taken[id] = p, row
	}
	return nil
}
