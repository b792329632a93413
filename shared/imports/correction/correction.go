// Package correction shows the rows of an import that has ended, or of its part that is written,
// and accepts corrections of failed rows.
//
// Cells are not stored: they are read again from the original file, at the position that the
// ledger records. One call reads a limited number of ledger entries and returns the position
// at which the next call continues.
//
// Tested by shared/httpapi: whole imports on a real database.
package correction

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/requestwork"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/rows/rowfetch"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/transform"
)

// Store is the database; the parts of the service declare their requirements separately.
type Store interface {
	requestwork.Slots
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	CellMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedCell, error)
	Ledger
	CorrectionStore
}

// Ledger loads the outcomes of rows.
type Ledger interface {
	// NextChunk returns the first ledger entry that has a row after the position, and one with the
	// outcome unless that is 0; nil if there is none.
	NextChunk(ctx context.Context, tx pgx.Tx, key job.Key, after int64, outcome rowwrite.Outcome) (*job.Chunk, error)
	// ResultsBetween returns the results of rows, filtered by field and code of a row error unless
	// these are "".
	ResultsBetween(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64, field, code string) ([]job.RowResult, error)
	// RowAttempts returns the retries of the rows.
	RowAttempts(ctx context.Context, tx pgx.Tx, of job.ID, first, last int64) ([]job.RowAttempt, error)
	RetryResults(ctx context.Context, tx pgx.Tx, rerun job.ID, rows []int64) ([]job.RowResult, error)
}

// CorrectionStore stores corrections of cells.
type CorrectionStore interface {
	Corrections(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) ([]job.Correction, error)
	CountCorrections(ctx context.Context, tx pgx.Tx, key job.Key) (int, error)
	// AddContributor records that a person determined what the job writes.
	AddContributor(ctx context.Context, tx pgx.Tx, key job.Key, by string) error
	SaveCorrections(ctx context.Context, tx pgx.Tx, j *job.Job, corrections []job.Correction) error
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Service shows rows and accepts corrections.
type Service struct {
	store  Store
	files  rowfetch.Files
	types  Types
	limits sheet.Limits
}

// New returns the service.
func New(store Store, files rowfetch.Files, types Types, limits sheet.Limits) *Service {
	return &Service{store: store, files: files, types: types, limits: limits}
}

// input is the import to read rows from.
type input struct {
	job  *job.Job
	kind entity.Type
	plan *rows.Plan
	// cells holds the decisions about values.
	cells []job.MappedCell
	file  *rowfetch.File
	work  *transform.Allowance // for the steps of the mapping
	// release releases what the work has taken.
	release func()
}

// loadInput loads the state of an import. The caller must close its file.
func (s *Service) loadInput(ctx context.Context, ref job.Ref) (*input, error) {
	in := &input{}
	var columns []job.MappedColumn
	var cells []job.MappedCell
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if in.job, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		if columns, err = s.store.ColumnMappings(ctx, tx, in.job.Key); err != nil {
			return err
		}
		cells, err = s.store.CellMappings(ctx, tx, in.job.Key)
		return err
	})
	if err != nil {
		return nil, err
	}
	if in.kind, err = s.types.Type(ctx, nil, in.job.OrganisationID, in.job.ImportType, in.job.TypeVersion); err != nil {
		return nil, err
	}
	if in.plan, err = rows.NewPlan(in.kind.Declaration(), columns); err != nil {
		return nil, err
	}
	in.plan.ApplyDecisions(cells, false)
	in.cells = cells
	if in.job.FilesDue {
		return nil, problem.New(problem.SourceGone, fileGone)
	}
	if in.file, err = rowfetch.Open(s.files, in.job, s.limits); err != nil {
		return nil, err
	}
	in.work, in.release = requestwork.Open(ctx, s.store, in.job.OrganisationID, transform.RequestWork)
	return in, nil
}

// close closes the file and ends the work.
func (in *input) close() {
	_ = in.file.Close() // it was only read
	in.release()
}

// decoder returns a decoder for rows of the file with the corrections. All decoders share the work of
// one request.
func (in *input) decoder(ctx context.Context, corrections []job.Correction) (*rows.Decoder, error) {
	d := rows.NewDecoder(in.plan, in.job, in.file.Dialect, 1)
	d.Budget.Limit(ctx, in.work)
	return d, d.SetCorrections(corrections)
}

// fileGone is the message if a row cannot be read.
const fileGone = "The file of this import was deleted, so its rows can no longer be shown or corrected."

// errStop stops reading a ledger entry.
var errStop = errors.New("enough rows")

// eachRow reads the rows of a ledger entry until do returns errStop.
func (in *input) eachRow(ctx context.Context, c *job.Chunk, do func(*sheet.Row) error) error {
	err := in.file.EachRow(ctx, c, do)
	switch {
	case errors.Is(err, errStop):
		return nil
	case problem.CodeOf(err) == problem.UploadMissing:
		return problem.Wrap(err, problem.SourceGone, fileGone)
	}
	return err
}
