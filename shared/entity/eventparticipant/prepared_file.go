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
	rejected     map[int64]rowwrite.Error // row → error for duplicates of another row
	numbers      raceNumbers              // of the remaining rows
}

// PrepareFile finds rows that repeat a person or a registration number of an earlier row, and
// rejects them.
func (*Type) PrepareFile(f *entity.File) (entity.PreparedFile, error) {
	p := &preparedFile{rows: f.Batch.Len(), rejected: make(map[int64]rowwrite.Error)}
	p.numbers = raceNumbers{rowCounts: make(map[string]int), byPerson: make(map[string]string)}
	for place := range p.createValues {
		p.createValues[place] = f.Settings[createOption(place+1)] == "true"
	}
	people, numbers := make(map[string]int64), make(map[string]int64)
	for i := range f.Batch.Len() {
		row, person, number := f.Batch.Row(i), personIdentity(f.Batch, i), f.Batch.Columns[registrationNumber].String(i)
		if first, ok := people[person]; ok {
			p.rejected[row] = rowwrite.Error{Code: problem.RowDuplicate, Message: fmt.Sprintf("Row %d of this file is the same person.", first)}
			continue
		}
		if first, ok := numbers[number]; ok && number != "" {
			p.rejected[row] = rowwrite.Error{
				Field: declaration.Fields[registrationNumber].Name, Code: problem.RowDuplicate, Value: entity.Shorten(number),
				Message: fmt.Sprintf("Row %d of this file has the same registration number.", first),
			}
			continue
		}
		people[person], numbers[number] = row, row
		p.numbers.add(personKeyOf(f.Batch, i), f.Batch.Columns[raceNumber].String(i))
	}
	return p, nil
}

func personKeyOf(b *entity.Batch, i int) string {
	born, _ := b.Columns[birthDate].Bytes(i)
	name := personName(b, i)
	return entity.PersonKey(b.Columns[identityNumber].String(i), b.Columns[email].String(i), name.First, name.Last, born)
}

// personIdentity distinguishes people who share a key, where only the database can decide
// which of them has it.
func personIdentity(b *entity.Batch, i int) string {
	key := personKeyOf(b, i)
	if entity.IsWeakKey(key) {
		key += "|" + personName(b, i).Normalised()
	}
	return key
}

func personName(b *entity.Batch, i int) entity.PersonName {
	return entity.PersonName{First: b.Columns[firstName].String(i), Last: b.Columns[lastName].String(i)}
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
