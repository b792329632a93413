package resolve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// maxPeopleRows is the maximum number of rows in a file that asks about people: they are
// compared in memory. Unclear rows of larger files have a warning.
const maxPeopleRows = 100_000

// collectPeople saves the questions about the people of rows.
func (s *Step) collectPeople(ctx context.Context, j *job.Job, asker entity.PersonAsker, columns []job.MappedColumn) error {
	f, err := s.readFile(ctx, j, asker.Declaration(), columns)
	if err != nil || f == nil {
		return err
	}
	return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		questions, err := asker.PersonQuestions(ctx, tx, f)
		if err != nil {
			return err
		}
		field := &entity.Field{Name: job.PersonField}
		people := &distinctValues{cells: make(map[string]*job.MappedCell)}
		var cells []job.MappedCell
		for _, q := range questions {
			people.add(field, []byte(q.Text), q.Row)
		}
		for _, q := range questions {
			if c := people.cells[q.Text]; c != nil {
				cells = append(cells, *c)
				delete(people.cells, q.Text)
			}
		}
		return s.store.AddCellMappings(ctx, tx, j, cells)
	})
}

// readFile reads the valid rows of the file; nil if there are too many.
func (s *Step) readFile(ctx context.Context, j *job.Job, d *entity.Declaration, columns []job.MappedColumn) (*entity.File, error) {
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return nil, fmt.Errorf("dialect: %w", err)
	}
	settings, err := d.ParseSettings(j.Options)
	if err != nil {
		return nil, err
	}
	columnmatch.CompleteSettings(d, settings, columns)
	plan, err := rows.NewPlan(d, columns)
	if err != nil {
		return nil, err
	}
	file, err := reader.Open(ctx, s.files.Open(ctx, j.ObjectVersion()), &dialect, s.limits)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	header, decoder := rows.NewHeader(&dialect), rows.NewDecoder(plan, j, &dialect, 0)
	decoder.Budget.Limit(ctx, nil)
	invalid := 0
	for decoder.Budget.Err() == nil && file.Next() {
		r := file.Row()
		if header.RepeatedBy(r) {
			continue
		}
		if decoder.Add(r) != nil {
			invalid++
		}
		if decoder.Batch.Len() > maxPeopleRows {
			return nil, nil
		}
	}
	if err := cmp.Or(decoder.Budget.Err(), file.Err()); err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	return &entity.File{Batch: decoder.Batch, Invalid: invalid, Settings: settings}, nil
}
