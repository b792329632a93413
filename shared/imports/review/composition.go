package review

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/document"
)

// isComposition reports whether the decision defines how a field is composed: from columns,
// from a constant, or with transformation steps.
func (c *ColumnDecision) isComposition() bool {
	return c.From != nil || c.Separator != nil || c.Constant != nil || c.Transforms != nil
}

// withoutCompositions returns the decisions about single columns without compositions.
func withoutCompositions(decisions []ColumnDecision) (plain []ColumnDecision) {
	for _, c := range decisions {
		if !c.isComposition() {
			plain = append(plain, c)
		}
	}
	return plain
}

// applyCompositions applies the decisions that compose fields. A column that was matched to
// one of those fields becomes unresolved. It reports whether there are such decisions.
func applyCompositions(decl *entity.Declaration, columns []job.MappedColumn, decisions []ColumnDecision) ([]job.MappedColumn, bool, error) {
	d := &document.Document{}
	names := document.NewHeaders(apply.Header(columns))
	plain := make(map[string]bool)
	for i := range decisions {
		c := &decisions[i]
		if !c.isComposition() {
			plain[c.TargetField] = true
			continue
		}
		f, err := c.toField(columns, names)
		if err != nil {
			return nil, false, err
		}
		d.Fields = append(d.Fields, f)
	}
	if len(d.Fields) == 0 {
		return columns, false, nil
	}
	for _, f := range d.Fields {
		if plain[f.Field] {
			return nil, false, invalidDecision("More than one column is matched to %s. Join them with from.", entity.Shorten(f.Field))
		}
	}
	if err := apply.Validate(d, decl); err != nil {
		return nil, false, err
	}
	columns, err := apply.ToColumnsStrict(d, columns)
	if err != nil {
		return nil, false, err
	}
	apply.MarkMatchedBy(columns, d, job.ByPerson)
	return columns, true, nil
}

// toField converts the decision to an entry of a mapping.
func (c *ColumnDecision) toField(columns []job.MappedColumn, names *document.Headers) (document.Field, error) {
	f := document.Field{
		Field: c.TargetField, From: c.From, Separator: c.Separator, Constant: c.Constant, Transforms: c.Transforms, DateOrder: c.DateOrder, DecimalMark: c.DecimalMark,
	}
	if c.TargetField == "" || c.Confirm || c.Ignore {
		return f, invalidDecision("A composed column (from, separator, constant or transforms) needs a targetField, without confirm and ignore.")
	}
	if c.ID == 0 {
		return f, nil
	}
	for i := range columns {
		if own := &columns[i]; own.ID == c.ID {
			if c.From != nil || c.Constant != nil {
				return f, invalidDecision("Compose %s with from or constant and no id, or with the id of a column and transforms.", entity.Shorten(c.TargetField))
			}
			for _, place := range own.Columns() {
				f.From = append(f.From, names.Name(place))
			}
			return f, nil
		}
	}
	return f, invalidDecision("This import has no column with ID %d.", c.ID)
}

// saveColumnDecisions saves the decisions about all columns as the job's given mapping, so
// that they apply when the file is analysed again; the mapping's value entries are kept.
func (s *Service) saveColumnDecisions(ctx context.Context, tx pgx.Tx, j *job.Job, columns []job.MappedColumn, before *document.Document) error {
	confirmed := make([]job.MappedColumn, len(columns))
	for i, c := range columns {
		if confirmed[i] = c; !c.Confirmed {
			confirmed[i].TargetField, confirmed[i].Status = "", job.Unresolved
		}
	}
	d := apply.DocumentOf(confirmed, nil)
	if before != nil {
		d.Source, d.Values, d.Defaults = before.Source, before.Values, before.Defaults
	}
	return s.saveGivenMapping(ctx, tx, j, d)
}

func (s *Service) saveGivenMapping(ctx context.Context, tx pgx.Tx, j *job.Job, d *document.Document) error {
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("decode mapping of job %s: %w", j.ID, err)
	}
	return s.store.SaveSuppliedMapping(ctx, tx, j, text)
}

// loadGivenMapping returns the job's given mapping, or nil.
func (s *Service) loadGivenMapping(ctx context.Context, tx pgx.Tx, j *job.Job) (*document.Document, error) {
	text, err := s.store.SuppliedMapping(ctx, tx, j.Key)
	if err != nil || text == nil {
		return nil, err
	}
	return document.Parse(text)
}
