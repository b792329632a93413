package eventparticipant

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// pass is a roster that has been read.
type pass struct {
	rows    int
	create  [customPlaces]bool        // whether values that a custom list lacks are added
	refused map[int64]entity.RowError // row → why it repeats another one
	numbers raceNumbers               // of the others
}

// ReadFile finds rows that repeat a person or a registration number of an earlier
// row: those are left out.
func (*Type) ReadFile(f *entity.File) (entity.FilePass, error) {
	p := &pass{rows: f.Batch.Len(), refused: make(map[int64]entity.RowError)}
	p.numbers = raceNumbers{rows: make(map[string]int), of: make(map[string]string)}
	for place := range p.create {
		p.create[place] = f.Settings[createOption(place+1)] == "true"
	}
	people, numbers := make(map[string]int64), make(map[string]int64)
	for i := range f.Batch.Len() {
		row, person, number := f.Batch.Row(i), personOf(f.Batch, i), f.Batch.Columns[registrationNumber].String(i)
		if first, ok := people[person]; ok {
			p.refused[row] = entity.RowError{Code: problem.RowDuplicate, Message: fmt.Sprintf("Row %d of this file is the same person.", first)}
			continue
		}
		if first, ok := numbers[number]; ok && number != "" {
			p.refused[row] = entity.RowError{
				Field: declaration.Fields[registrationNumber].Name, Code: problem.RowDuplicate, Value: entity.Shorten(number),
				Message: fmt.Sprintf("Row %d of this file has the same registration number.", first),
			}
			continue
		}
		people[person], numbers[number] = row, row
		p.numbers.add(personKey(f.Batch, i), f.Batch.Columns[raceNumber].String(i))
	}
	return p, nil
}

func personKey(b *entity.Batch, i int) string {
	born, _ := b.Columns[birthDate].Bytes(i)
	name := nameOf(b, i)
	return entity.PersonKey(b.Columns[identityNumber].String(i), b.Columns[email].String(i), name.First, name.Last, born)
}

// personOf tells people apart who share a key, and of whom only the database can
// tell whose it is.
func personOf(b *entity.Batch, i int) string {
	key := personKey(b, i)
	if entity.IsWeakKey(key) {
		key += "|" + nameOf(b, i).Folded()
	}
	return key
}

func nameOf(b *entity.Batch, i int) entity.PersonName {
	return entity.PersonName{First: b.Columns[firstName].String(i), Last: b.Columns[lastName].String(i)}
}

// Order is that of the file.
func (p *pass) Order() []int {
	order := make([]int, p.rows)
	for i := range order {
		order[i] = i
	}
	return order
}

// report is what an import has to say beyond its rows.
type report struct {
	entity.Summary
	Categories          []category        `json:"categories"`
	CategoriesTruncated bool              `json:"categoriesTruncated"`
	CustomListsCreated  int               `json:"customListsCreated"`
	CustomValuesCreated [customPlaces]int `json:"customValuesCreated"` // by list

	places map[string]int // of Categories, by name
}

// maxListed is the most categories that the result of an import lists.
const maxListed = 1000

// category is how many participants of the file are in a category.
type category struct {
	Name         string `json:"name"`
	Participants int    `json:"participants"`
}

func readReport(left json.RawMessage) (*report, error) {
	r := &report{Categories: []category{}}
	if len(left) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(left, r); err != nil {
		return nil, fmt.Errorf("read what the part before left: %w", err)
	}
	return r, nil
}

func (r *report) count(name string) {
	if r.places == nil {
		r.places = make(map[string]int, len(r.Categories))
		for i, c := range r.Categories {
			r.places[c.Name] = i
		}
	}
	i, ok := r.places[name]
	if !ok {
		i = len(r.Categories)
		r.Categories = append(r.Categories, category{Name: name})
		r.places[name] = i
	}
	r.Categories[i].Participants++
}

// Report is the summary of the file with its categories and custom lists.
func (*Type) Report(left json.RawMessage, s entity.Summary) (any, error) {
	r, err := readReport(left)
	if err != nil {
		return nil, err
	}
	r.Summary = s
	if r.CategoriesTruncated = len(r.Categories) > maxListed; r.CategoriesTruncated {
		r.Categories = r.Categories[:maxListed]
	}
	return r, nil
}

// WritePart enters the rows' people into the event, or changes their entry.
func (p *pass) WritePart(ctx context.Context, tx pgx.Tx, b *entity.Batch, left json.RawMessage) (json.RawMessage, error) {
	r, err := readReport(left)
	if err != nil {
		return nil, err
	}
	w := &writing{Batch: b, pass: p, report: r}
	if err := w.run(ctx, tx); err != nil {
		return nil, err
	}
	return json.Marshal(r)
}
