package resolve

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// maxValues is the maximum number of values of one column that a person can be asked about.
// Further values are handled during processing.
const maxValues = 10_000

// maxValueBytes limits the total size of one column's values: a question contains names, not
// arbitrarily large cells.
const maxValueBytes = 4 << 20

// distinctValues are the distinct values of one column.
type distinctValues struct {
	cells  map[string]*job.MappedCell
	size   int             // total bytes of the texts
	wanted map[string]bool // values named in mappings; they are exempt from these limits, since mappings have their own
}

// collectValues reads the file if any of its columns has a field with mappable values, and
// saves their matches. A one-shot import asks no questions: it only collects values that
// mappings decide.
func (s *Step) collectValues(ctx context.Context, j *job.Job, d *entity.Declaration, columns []job.MappedColumn, sources []valueMapping) error {
	settings, err := d.ParseSettings(j.Options)
	if err != nil {
		return err
	}
	plan, err := rows.NewPlan(d, columns)
	if err != nil {
		return err
	}
	values := make(map[*entity.Field]*distinctValues)
	for _, f := range plan.MappableFields() {
		if j.AsksForValues() || hasDecisions(sources, f.Name) {
			values[f] = &distinctValues{cells: make(map[string]*job.MappedCell), wanted: decidedTexts(sources, f.Name)}
		}
	}
	if len(values) == 0 {
		return nil
	}
	if err := s.readValues(ctx, j, plan, values); err != nil {
		return err
	}
	k := &valueMatcher{step: s, job: j, settings: settings, mappings: sources}
	return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		k.notes = newDecisionNotes(j.Profile) // the transaction may run more than once
		for _, f := range slices.SortedFunc(maps.Keys(values), func(a, b *entity.Field) int { return strings.Compare(a.Name, b.Name) }) {
			if err := k.matchField(ctx, tx, f, values[f].cells); err != nil {
				return err
			}
		}
		return s.store.AddWarnings(ctx, tx, j.Key, k.notes.lines())
	})
}

// readValues collects the values of the file's rows.
func (s *Step) readValues(ctx context.Context, j *job.Job, plan *rows.Plan, values map[*entity.Field]*distinctValues) error {
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return fmt.Errorf("dialect: %w", err)
	}
	texts := rows.NewTextReader(ctx, plan, &dialect)
	file, err := reader.Open(ctx, s.files.Open(ctx, j.ObjectVersion()), &dialect, s.limits)
	if err != nil {
		return err
	}
	defer file.Close()
	header := rows.NewHeader(&dialect)
	stopped := s.stopCheck(ctx, j, texts)
	for file.Next() {
		r := file.Row()
		if j.WholeFile && header.RepeatedBy(r) {
			continue
		}
		texts.Each(r, func(f *entity.Field, text []byte) {
			if d := values[f]; d != nil {
				d.add(f, text, r.Number)
			}
		})
		if err := stopped(); err != nil {
			return err
		}
	}
	return file.Err()
}

// checkWork is the work of steps after which the import is checked: less than a second.
const checkWork = 50_000_000

// stopCheck returns a function that is called after each row. Its error ends the reading: that of the
// context, or of an import that was cancelled while expensive steps ran.
func (s *Step) stopCheck(ctx context.Context, j *job.Job, texts *rows.TextReader) func() error {
	next := int64(checkWork)
	return func() error {
		if err := texts.Err(); err != nil || texts.Work() < next {
			return err
		}
		next = texts.Work() + checkWork
		return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
			now, err := s.store.Job(ctx, tx, j.ID)
			if err == nil && now.Status != job.CellMapping {
				return statusConflict(now)
			}
			return err
		})
	}
}

// add counts a value.
func (d *distinctValues) add(f *entity.Field, text []byte, row int64) {
	m, ok := d.cells[string(text)]
	if !ok {
		if full := len(d.cells) >= maxValues || d.size+len(text) > maxValueBytes; full && !d.wanted[string(text)] {
			return
		}
		m = &job.MappedCell{TargetField: f.Name, Value: string(text), Status: job.Unresolved, FirstRow: row}
		d.cells[m.Value] = m
		d.size += len(text)
	}
	m.Rows++
}
