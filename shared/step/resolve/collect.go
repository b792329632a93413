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

// maxValues bounds what a person can be asked about one column. Values beyond
// it are met while processing.
const maxValues = 10_000

// maxValueBytes bounds the text of the values of one column: a person and an answer
// take names, not whatever a cell can hold.
const maxValueBytes = 4 << 20

// distinct are the distinct values of one column.
type distinct struct {
	cells  map[string]*job.MappedCell
	size   int             // bytes of their texts
	wanted map[string]bool // those that mappings name, which are kept beyond all bounds: they have bounds of their own
}

// collect reads the file, if any of its columns is of a field whose values people say
// something about, and keeps what they stand for. A one-shot import asks nobody: it only
// looks for what mappings say something of.
func (s *Step) collect(ctx context.Context, j *job.Job, d *entity.Declaration, columns []job.MappedColumn, sources []source) error {
	settings, err := d.SettingsOf(j.Options)
	if err != nil {
		return err
	}
	plan, err := rows.NewPlan(d, columns)
	if err != nil {
		return err
	}
	values := make(map[*entity.Field]*distinct)
	for _, f := range plan.Mappable() {
		if j.AsksForValues() || speaks(sources, f.Name) {
			values[f] = &distinct{cells: make(map[string]*job.MappedCell), wanted: texts(sources, f.Name)}
		}
	}
	if len(values) == 0 {
		return nil
	}
	if err := s.read(ctx, j, plan, values); err != nil {
		return err
	}
	k := &keeping{step: s, job: j, settings: settings, sources: sources}
	return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		k.notes = newNotes(j.Profile) // the transaction may run more than once
		for _, f := range slices.SortedFunc(maps.Keys(values), func(a, b *entity.Field) int { return strings.Compare(a.Name, b.Name) }) {
			if err := k.keep(ctx, tx, f, values[f].cells); err != nil {
				return err
			}
		}
		return s.store.AddWarnings(ctx, tx, j.Key, k.notes.lines())
	})
}

// read notes the values of the file's rows.
func (s *Step) read(ctx context.Context, j *job.Job, plan *rows.Plan, values map[*entity.Field]*distinct) error {
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return fmt.Errorf("dialect: %w", err)
	}
	texts := rows.NewTexts(plan, &dialect)
	file, err := reader.Open(ctx, s.files.Open(ctx, j.Source()), &dialect, s.limits)
	if err != nil {
		return err
	}
	defer file.Close()
	header := rows.NewHeader(&dialect)
	for file.Next() {
		r := file.Row()
		if j.WholeFile && header.RepeatedBy(r) {
			continue
		}
		texts.Each(r, func(f *entity.Field, text []byte) {
			if d := values[f]; d != nil {
				d.note(f, text, r.Number)
			}
		})
	}
	return file.Err()
}

// note counts a value.
func (d *distinct) note(f *entity.Field, text []byte, row int64) {
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
