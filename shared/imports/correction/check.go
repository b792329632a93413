package correction

import (
	"bytes"
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

// checkEntry validates corrections of rows of a ledger entry. correct receives the current values of
// a row's fields.
func (s *Service) checkEntry(ctx context.Context, in *input, e *entry, wanted []int64, correct func(row int64, now []rows.Value) (Cells, error)) ([]CheckedRow, error) {
	before, err := in.decoder(ctx, e.corrections)
	if err != nil {
		return nil, err
	}
	after, err := in.decoder(ctx, e.corrections)
	if err != nil {
		return nil, err
	}
	var checked []CheckedRow
	err = in.eachRow(ctx, e.chunk, func(r *sheet.Row) error {
		for len(wanted) > 0 && wanted[0] < r.Number {
			wanted = wanted[1:]
		}
		if len(wanted) == 0 {
			return errStop
		}
		if wanted[0] != r.Number {
			return nil
		}
		now := before.ReadValues(r)
		cells, err := correct(r.Number, now)
		if err = cmp.Or(before.Budget.Err(), err); err != nil || len(cells) == 0 {
			return err
		}
		one, err := checkRow(after, r, now, cells)
		checked = append(checked, one)
		return cmp.Or(after.Budget.Err(), err)
	})
	if err != nil {
		return nil, err
	}
	return checked, s.checkReferences(ctx, in, checked)
}

// checkRow validates the corrections of a row.
func checkRow(d *rows.Decoder, r *sheet.Row, now []rows.Value, cells Cells) (CheckedRow, error) {
	corrections := make([]job.Correction, 0, len(cells))
	for field, value := range cells {
		corrections = append(corrections, job.Correction{Row: r.Number, Field: field, Value: value})
	}
	if err := d.SetCorrections(corrections); err != nil {
		return CheckedRow{}, err
	}
	one := CheckedRow{Row: r.Number}
	for i, v := range d.ReadValues(r) {
		if given, ok := cells[v.Field]; ok {
			one.Cells = append(one.Cells, CheckedCell{Value: v, Before: now[i].Read, fieldIndex: bytes.Clone(given)})
		}
	}
	one.Remaining = d.Add(r)
	return one, nil
}

// checkReferences resolves corrected references.
func (s *Service) checkReferences(ctx context.Context, in *input, checked []CheckedRow) error {
	texts := make(map[string][]string) // by field
	for _, r := range checked {
		for _, c := range r.Cells {
			if c.Kind == entity.Reference && c.Typed != nil {
				texts[c.Field] = append(texts[c.Field], *c.Typed)
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	known := make(map[string]map[string]bool, len(texts))
	err := s.store.InOrganisation(ctx, in.job.OrganisationID, func(tx pgx.Tx) (err error) {
		for field, asked := range texts {
			if known[field], err = in.resolve(ctx, tx, field, asked); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range checked {
		checked[i].checkReferences(in.kind.Declaration(), known)
	}
	return nil
}

// resolve returns the texts that match an entity, by decision or by lookup.
func (in *input) resolve(ctx context.Context, tx pgx.Tx, field string, asked []string) (map[string]bool, error) {
	d := in.kind.Declaration()
	var contextID int64
	if in.job.ContextID != nil {
		contextID = *in.job.ContextID
	}
	ids, err := entity.Resolve(ctx, tx, d.Fields[d.FieldIndex(field)].Lookup, contextID, asked)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(ids))
	for text := range ids {
		known[text] = true
	}
	for _, m := range in.cells {
		if m.TargetField == field && m.Status != job.Unresolved {
			known[m.Value] = true
		}
	}
	return known, nil
}

// checkReferences rejects references without a match.
func (r *CheckedRow) checkReferences(d *entity.Declaration, known map[string]map[string]bool) {
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Kind != entity.Reference || c.Typed == nil || known[c.Field][*c.Typed] {
			continue
		}
		c.Error = unresolvedError(&d.Fields[d.FieldIndex(c.Field)], *c.Typed)
		r.Remaining = append(r.Remaining, *c.Error)
	}
}
