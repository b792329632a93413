package httpapi

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// Maximum numbers of examples per field and of parts that are searched for them.
const (
	defaultFieldExamples = 3
	maxFieldExamples     = 10
	maxExampleParts      = 20
)

// changesSummary is the summary of an import's changes: ChangesSummary in openapi.yaml.
type changesSummary struct {
	Tables []tableSummary `json:"tables"`
	Fields []fieldSummary `json:"fields"` // most frequently changed first
}

// tableSummary counts the changed entities of a table.
type tableSummary struct {
	Table   string `json:"table"`
	Created int    `json:"created"`
	Updated int    `json:"updated"`
	Deleted int    `json:"deleted"`
}

// fieldSummary counts the entities that were updated in a field.
type fieldSummary struct {
	Table    string          `json:"table"`
	Field    string          `json:"field"`
	Changed  int64           `json:"changed"`
	Filled   int64           `json:"filled"`
	Emptied  int64           `json:"emptied"`
	Rises    []numberStep    `json:"rises"` // of numbers, like falls
	Falls    []numberStep    `json:"falls"`
	Examples []changeExample `json:"examples"`

	column string
	from   changeset.Position // the part with the examples
	number bool
}

// numberStep counts the numbers that change by more than a percentage of the value before.
type numberStep struct {
	Percent int   `json:"moreThanPercent"`
	Count   int64 `json:"count"`
}

// changeExample is an example of a changed value.
type changeExample struct {
	RowNumber *int64  `json:"rowNumber"`
	ID        string  `json:"id"`
	Before    *string `json:"before"`
	After     *string `json:"after"`
	size      float64
}

// summariseChanges is GET …/changes/summary.
func (a *api) summariseChanges(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	examples := int(v.intBetween("examples", 0, maxFieldExamples, defaultFieldExamples))
	v.rejectUnknown("examples")
	if err := v.err(); err != nil {
		return err
	}
	var document *changesSummary
	err := a.DB.InSnapshot(r.Context(), organisationOf(r), func(tx pgx.Tx) error {
		j, err := a.DB.Job(r.Context(), tx, jobID(r, "importId"))
		if err != nil {
			return err
		}
		decl, err := a.declaration(r.Context(), tx, j)
		if err != nil {
			return err
		}
		s := newChangeSummariser(decl)
		if err := a.DB.EachTally(r.Context(), tx, changeset.RefOf(j), s.add); err != nil {
			return err
		}
		document = s.document()
		return a.addExamples(r.Context(), tx, j, document, examples)
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}

// changeSummariser adds up the tallies of parts. For each column it records the part with the best
// examples: the first part in which a number changes a lot, else the first part.
type changeSummariser struct {
	words   fieldNames
	numbers map[string]bool // columns with numeric values, which can rise and fall
	total   changeset.Tally
	best    map[[2]string]examplePart // by table and column
}

type examplePart struct {
	at    changeset.Position
	large bool
}

func newChangeSummariser(d *entity.Declaration) *changeSummariser {
	s := &changeSummariser{words: fieldNamesOf(d), numbers: make(map[string]bool), total: make(changeset.Tally), best: make(map[[2]string]examplePart)}
	for i := range d.Fields {
		f := &d.Fields[i]
		s.numbers[f.Column] = (f.Kind == entity.Integer || f.Kind == entity.Decimal) && !f.Identifying && f.Lookup == nil
	}
	return s
}

func (s *changeSummariser) add(at changeset.Position, tally changeset.Tally) error {
	s.total.Add(tally)
	for table, t := range tally {
		for column, counts := range t.Columns {
			if counts.Changed == 0 {
				continue
			}
			key := [2]string{table, column}
			large := s.numbers[column] && counts.Rises[1]+counts.Falls[1] > 0
			if best, known := s.best[key]; !known || large && !best.large {
				s.best[key] = examplePart{at, large}
			}
		}
	}
	return nil
}

func (s *changeSummariser) document() *changesSummary {
	document := &changesSummary{Tables: []tableSummary{}, Fields: []fieldSummary{}}
	for table, t := range s.total {
		document.Tables = append(document.Tables, tableSummary{table, t.Created, t.Updated, t.Deleted})
		for column, counts := range t.Columns {
			if counts.Changed > 0 {
				document.Fields = append(document.Fields, s.field(table, column, counts))
			}
		}
	}
	slices.SortFunc(document.Tables, func(x, y tableSummary) int { return cmp.Compare(x.Table, y.Table) })
	slices.SortFunc(document.Fields, func(x, y fieldSummary) int {
		return cmp.Or(cmp.Compare(y.Changed, x.Changed), cmp.Compare(x.Table, y.Table), cmp.Compare(x.Field, y.Field))
	})
	return document
}

func (s *changeSummariser) field(table, column string, counts *changeset.ColumnTally) fieldSummary {
	f := fieldSummary{
		Table: table, Field: s.words.field(column), Changed: counts.Changed, Filled: counts.Filled, Emptied: counts.Emptied,
		Rises: []numberStep{}, Falls: []numberStep{}, Examples: []changeExample{},
		column: column, from: s.best[[2]string{table, column}].at, number: s.numbers[column],
	}
	for i, step := range changeset.ChangeThresholds() {
		if percent := int(math.Round(step * 100)); f.number {
			f.Rises, f.Falls = append(f.Rises, numberStep{percent, counts.Rises[i]}), append(f.Falls, numberStep{percent, counts.Falls[i]})
		}
	}
	return f
}

// addExamples adds up to n examples to each field, from one part of the change set: the largest
// changes of a number, else the first ones.
func (a *api) addExamples(ctx context.Context, tx pgx.Tx, j *job.Job, document *changesSummary, n int) error {
	parts := make(map[changeset.Position][]changeset.Change)
	for i := range document.Fields {
		f := &document.Fields[i]
		part, read := parts[f.from]
		if n == 0 || !read && len(parts) == maxExampleParts {
			continue
		}
		if !read {
			var err error
			if part, err = a.DB.Changes(ctx, tx, changeset.RefOf(j), f.from); err != nil {
				return err
			}
			parts[f.from] = part
		}
		f.Examples = f.examples(part, n)
	}
	return nil
}

func (f *fieldSummary) examples(part []changeset.Change, n int) []changeExample {
	found := []changeExample{}
	for i := range part {
		c := &part[i]
		place := slices.Index(c.Columns, f.column)
		if c.Op != changeset.Updated || c.Table != f.Table || place < 0 {
			continue
		}
		e := changeExample{ID: c.ID, Before: c.Before[place], After: c.After[place]}
		if c.Row != 0 {
			e.RowNumber = &c.Row
		}
		if f.number && e.Before != nil && e.After != nil {
			rise, _ := changeset.RelativeChange(*e.Before, *e.After)
			e.size = math.Abs(rise)
		}
		found = append(found, e)
		if !f.number && len(found) == n {
			break
		}
	}
	slices.SortStableFunc(found, func(x, y changeExample) int { return cmp.Compare(y.size, x.size) })
	return found[:min(n, len(found))]
}
