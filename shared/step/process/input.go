package process

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/rows/keygroup"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Inputs reads jobs, chunks, and the decisions about their files.
type Inputs interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Chunk(ctx context.Context, tx pgx.Tx, key job.Key, index int) (*job.Chunk, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	// CellMappingsOfFields returns the decisions about the values of some fields.
	CellMappingsOfFields(ctx context.Context, tx pgx.Tx, key job.Key, fields []string) ([]job.MappedCell, error)
	// Corrections returns the corrections of the rows first to last.
	Corrections(ctx context.Context, tx pgx.Tx, key job.Key, first, last int64) ([]job.Correction, error)
}

// chunkInput is the input of a chunk. It is immutable once its rows are decoded.
type chunkInput struct {
	job     *job.Job
	chunk   *job.Chunk // as read without a lock
	kind    entity.Type
	dialect sheet.Dialect
	plan    *rows.Plan
	// corrections are those of the chunk's rows in a retry.
	corrections []job.Correction
	// keyGroups holds the chunk's rows that share keys with others; foreignChunks are the
	// chunks of the foreign rows that it decides.
	keyGroups     *keygroup.Rows
	foreignChunks []*job.Chunk
	decoded       decodedRows
}

// load reads the chunk's input except its rows, without a lock.
func (s *Step) load(ctx context.Context, ref job.ChunkRef) (*chunkInput, error) {
	in := &chunkInput{}
	var columns []job.MappedColumn
	var words []job.MappedCell
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if in.job, err = s.store.Job(ctx, tx, ref.JobID); err != nil {
			return err
		}
		if in.chunk, err = s.store.Chunk(ctx, tx, in.job.Key, ref.Chunk); err != nil {
			return err
		}
		if err = s.loadForeignRows(ctx, tx, in); err != nil {
			return err
		}
		if err = in.findType(ctx, tx, s.types); err != nil || in.job.IsApplying() {
			return err
		}
		if columns, err = s.store.ColumnMappings(ctx, tx, in.job.Key); err != nil {
			return err
		}
		if words, err = s.loadWords(ctx, tx, in); err != nil || !in.job.RowRetry {
			return err
		}
		in.corrections, err = s.store.Corrections(ctx, tx, in.job.Key, in.chunk.FirstRow, in.chunk.FirstRow+int64(in.chunk.Lines)-1)
		return err
	})
	if err != nil || in.job.IsApplying() {
		return in, err
	}
	if err := json.Unmarshal(in.job.Dialect, &in.dialect); err != nil {
		return nil, fmt.Errorf("dialect: %w", err)
	}
	if in.plan, err = rows.NewPlan(in.kind.Declaration(), columns); err != nil {
		return nil, err
	}
	in.plan.ApplyDecisions(words, in.job.AsksForValues())
	return in, nil
}

// findType sets the import type of the job.
func (in *chunkInput) findType(ctx context.Context, tx pgx.Tx, types Types) (err error) {
	if in.kind, err = types.Type(ctx, tx, in.job.OrganisationID, in.job.ImportType, in.job.TypeVersion); err != nil {
		return err
	}
	if _, ok := in.kind.(entity.RowWriter); !ok && !in.job.IsApplying() {
		return fmt.Errorf("import type %s has no rows", in.job.ImportType)
	}
	return nil
}

// loadWords loads the decisions about values that affect a cell while it is decoded. Decisions
// about references are looked up later by the texts of the chunk, which are not known yet.
func (s *Step) loadWords(ctx context.Context, tx pgx.Tx, in *chunkInput) ([]job.MappedCell, error) {
	fields := rows.DecisionFields(in.kind.Declaration())
	if len(fields) == 0 {
		return nil, nil
	}
	return s.store.CellMappingsOfFields(ctx, tx, in.job.Key, fields)
}
