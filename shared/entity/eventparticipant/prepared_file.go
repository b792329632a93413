package eventparticipant

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// preparedFile is a roster that has been read.
type preparedFile struct {
	rows         int
	createValues [customListCount]bool    // whether missing values are added to a custom list
	rejected     map[int64]rowwrite.Error // row → error for duplicates of another row, and rows without a decision
	skipped      map[int64]bool           // rows that are not imported by decision
	numbers      raceNumbers              // of the remaining rows
	people       *rowIndex                // of the remaining rows
	recognised   *recognition             // nil before the first part that this invocation writes
}

// PrepareFile finds rows that repeat a person or a registration number of an earlier row, and
// rejects them.
func (*Type) PrepareFile(f *entity.File) (entity.PreparedFile, error) {
	n := f.Batch.Len()
	p := &preparedFile{rows: n, rejected: make(map[int64]rowwrite.Error), skipped: make(map[int64]bool), people: newRowIndex(n)}
	p.numbers = raceNumbers{rowCounts: make(map[string]int), byRow: make(map[int64]string)}
	for place := range p.createValues {
		p.createValues[place] = f.Settings[createOption(place+1)] == "true"
	}
	numbers := make(map[string]int64)
	for i := range n {
		row, who := f.Batch.Row(i), rowIdentity(f.Batch, i)
		decision, asked := f.PersonDecisions[who.text()]
		if asked && decision == (entity.PersonDecision{}) {
			p.rejected[row] = personError(f.Batch, i, problem.CellUnresolved, "The person of this row is not decided. Import the file again and choose the person.")
			continue
		}
		if decision.Skip {
			p.skipped[row] = true
			continue
		}
		if first := p.people.repeated(&who); first != 0 {
			p.rejected[row] = samePersonError(first)
			continue
		}
		if at, ok := p.people.chosen[decision.PersonID]; ok {
			p.rejected[row] = samePersonError(p.people.rows[at].row)
			continue
		}
		if first, ok := numbers[who.entry]; ok && who.entry != "" {
			p.rejected[row] = rowwrite.Error{
				Field: declaration.Fields[registrationNumber].Name, Code: problem.RowDuplicate, Value: entity.Shorten(who.entry),
				Message: fmt.Sprintf("Row %d of this file has the same registration number.", first),
			}
			continue
		}
		numbers[who.entry] = row
		p.people.add(row, who, decision)
		p.numbers.add(row, f.Batch.Columns[raceNumber].String(i))
	}
	return p, nil
}

func samePersonError(row int64) rowwrite.Error {
	return rowwrite.Error{Code: problem.RowDuplicate, Message: fmt.Sprintf("Row %d of this file is the same person.", row)}
}

// Order returns the file order.
func (p *preparedFile) Order() []int {
	order := make([]int, p.rows)
	for i := range order {
		order[i] = i
	}
	return order
}

// report is the type's own result of an import.
type report struct {
	entity.Summary
	Categories          []category           `json:"categories"`
	CategoriesTruncated bool                 `json:"categoriesTruncated"`
	CustomListsCreated  int                  `json:"customListsCreated"`
	CustomValuesCreated [customListCount]int `json:"customValuesCreated"` // by list

	categoryIndex map[string]int // index in Categories by name
}

// maxListed is the maximum number of categories in the result of an import.
const maxListed = 1000

// category counts the file's participants in a category.
type category struct {
	Name         string `json:"name"`
	Participants int    `json:"participants"`
}

func decodeReport(left json.RawMessage) (*report, error) {
	r := &report{Categories: []category{}}
	if len(left) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(left, r); err != nil {
		return nil, fmt.Errorf("read state of the previous part: %w", err)
	}
	return r, nil
}

func (r *report) countParticipant(name string) {
	if r.categoryIndex == nil {
		r.categoryIndex = make(map[string]int, len(r.Categories))
		for i, c := range r.Categories {
			r.categoryIndex[c.Name] = i
		}
	}
	i, ok := r.categoryIndex[name]
	if !ok {
		i = len(r.Categories)
		r.Categories = append(r.Categories, category{Name: name})
		r.categoryIndex[name] = i
	}
	r.Categories[i].Participants++
}

// Report returns the summary of the file with its categories and custom lists.
func (*Type) Report(left json.RawMessage, s entity.Summary) (any, error) {
	r, err := decodeReport(left)
	if err != nil {
		return nil, err
	}
	r.Summary = s
	if r.CategoriesTruncated = len(r.Categories) > maxListed; r.CategoriesTruncated {
		r.Categories = r.Categories[:maxListed]
	}
	return r, nil
}

// WritePart inserts or updates the event's entries for the people of the rows.
func (p *preparedFile) WritePart(ctx context.Context, tx pgx.Tx, b *entity.Batch, left json.RawMessage) (json.RawMessage, error) {
	r, err := decodeReport(left)
	if err != nil {
		return nil, err
	}
	w := &partWriter{Batch: b, file: p, report: r}
	if err := w.run(ctx, tx); err != nil {
		return nil, err
	}
	return json.Marshal(r)
}
