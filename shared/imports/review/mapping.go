package review

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// MappingStore stores the given mappings of jobs.
type MappingStore interface {
	SuppliedMapping(ctx context.Context, tx pgx.Tx, key job.Key) (json.RawMessage, error)
	SaveSuppliedMapping(ctx context.Context, tx pgx.Tx, j *job.Job, document json.RawMessage) error
	ReplaceColumns(ctx context.Context, tx pgx.Tx, j *job.Job, columns []job.MappedColumn) error
}

// Mapping returns the job's columns and the decisions about its values as a document, which
// can be given to another import of the same columns with the same result.
func (s *Service) Mapping(ctx context.Context, ref job.Ref) (d *document.Document, err error) {
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.store.Job(ctx, tx, ref.JobID)
		if err != nil {
			return err
		}
		d, err = s.mapping(ctx, tx, j)
		return err
	})
	return d, err
}

func (s *Service) mapping(ctx context.Context, tx pgx.Tx, j *job.Job) (*document.Document, error) {
	columns, err := s.store.ColumnMappings(ctx, tx, j.Key)
	if err != nil {
		return nil, err
	}
	cells, err := s.store.CellMappings(ctx, tx, j.Key)
	if err != nil {
		return nil, err
	}
	before, err := s.loadGivenMapping(ctx, tx, j)
	if err != nil {
		return nil, err
	}
	d := apply.DocumentOf(columns, cells)
	if before != nil {
		if len(columns) == 0 { // not analysed yet
			d.Fields, d.Ignore = before.Fields, before.Ignore
		}
		d.AddValues(before)
	}
	d.Source, err = readingOptionsOf(j)
	return d, err
}

// readingOptionsOf returns the stated reading options of the job's file; nil for none.
func readingOptionsOf(j *job.Job) (*sheet.Options, error) {
	var stated sheet.Options
	if err := json.Unmarshal(j.Options, &stated); err != nil {
		return nil, fmt.Errorf("decode options of job %s: %w", j.ID, err)
	}
	if reflect.ValueOf(stated).IsZero() {
		return nil, nil
	}
	return &stated, nil
}

// MappingUpdate replaces all column decisions of a job at once.
type MappingUpdate struct {
	Document json.RawMessage
	By       string // "" if unknown
	// Matches reports whether the version of the mapping to replace is the one that By has
	// read; nil accepts every version.
	Matches func(version string) bool
}

// ReplaceMapping replaces the columns of a job by those of a document; its value entries
// apply once the values are looked up. On MAPPING_INVALID and VERSION_CHANGED nothing is
// saved; on MAPPING_INCOMPLETE everything is saved and returned, and the error lists the
// missing decisions.
func (s *Service) ReplaceMapping(ctx context.Context, ref job.Ref, p MappingUpdate) (d *document.Document, err error) {
	var decl *entity.Declaration
	var columns []job.MappedColumn
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.lockJob(ctx, tx, ref.JobID, job.ColumnMapping)
		if err != nil {
			return err
		}
		if decl, err = s.declaration(ctx, tx, j); err != nil {
			return err
		}
		doc, err := apply.Parse(p.Document, decl)
		if err == nil {
			err = checkReadingOptions(j, doc)
		}
		if err == nil {
			err = s.checkVersion(ctx, tx, j, p, doc)
		}
		if err != nil {
			return err
		}
		if columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		if columns, err = apply.ToColumnsStrict(doc, apply.ResetColumns(columns)); err != nil {
			return err
		}
		apply.MarkMatchedBy(columns, doc, job.ByPerson)
		for i := range columns {
			if columns[i].Status == job.Ignored {
				columns[i].MatchedBy = job.ByPerson
			}
		}
		if err := s.replaceColumns(ctx, tx, j, columns, doc, p.By); err != nil {
			return err
		}
		d, err = s.mapping(ctx, tx, j)
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, incompleteError(decl, columns, false)
}

// replaceColumns replaces all columns of the job, and saves the mapping that they stem from.
func (s *Service) replaceColumns(ctx context.Context, tx pgx.Tx, j *job.Job, columns []job.MappedColumn, doc *document.Document, by string) error {
	if err := s.store.ReplaceColumns(ctx, tx, j, columns); err != nil {
		return err
	}
	if err := s.saveGivenMapping(ctx, tx, j, doc); err != nil {
		return err
	}
	return s.store.SaveColumnsDecidedBy(ctx, tx, j.Key, by)
}

// checkReadingOptions rejects a document with reading options other than the job's.
func checkReadingOptions(j *job.Job, d *document.Document) error {
	if d.Source == nil {
		return nil
	}
	stated, err := readingOptionsOf(j)
	if err != nil {
		return err
	}
	if stated == nil || !reflect.DeepEqual(*stated, *d.Source) {
		return invalidDecision("The file was read with other options than the mapping contains.").
			With("source", problem.MappingInvalid, "Omit it, or send it unchanged as GET returns it.")
	}
	return nil
}
