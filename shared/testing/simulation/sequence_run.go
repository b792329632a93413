package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
	"github.com/loadbay/loadbay/shared/testing/simulation/sequence"
)

// SequenceResult is the result of a sequence of imports.
type SequenceResult struct {
	Kind           string
	Seed           uint64
	Differences    []string
	Imports, Undos int
	Trace          []string
}

// String describes the differences, and how to reproduce them.
func (r *SequenceResult) String() string {
	return fmt.Sprintf("%s %d ended with %d differences:\n  %s\ntrace:\n  %s\nreplay it: make test-random SEQUENCE=%[2]d KIND=%[1]s",
		r.Kind, r.Seed, len(r.Differences), strings.Join(r.Differences, "\n  "), strings.Join(r.Trace, "\n  "))
}

// importSequence runs the imports of a scenario in one organisation, with faults, and undoes some.
// After each import and undo, the database is compared with the model.
type importSequence struct {
	*Simulator
	*rand.Rand
	SequenceResult
	scenario sequence.Scenario
}

// The extent of a sequence.
const (
	sequenceImports = 4
	sequenceFaults  = 3
)

// RunSequence runs a seed of a kind of scenario in its own organisation.
func (s *Simulator) RunSequence(ctx context.Context, kind string, seed uint64) (*SequenceResult, error) {
	s.organisation++
	if kind == RepeatedUploads {
		return s.runUploads(ctx, seed)
	}
	r := rand.New(rand.NewPCG(seed, 0x5e9))
	q := &importSequence{Simulator: s, Rand: r, SequenceResult: SequenceResult{Kind: kind, Seed: seed}, scenario: sequence.New(kind, r)}
	if err := s.createOrganisation(ctx, q.scenario.SetupSQL()); err != nil {
		return nil, fmt.Errorf("%s %d: prepare: %w", kind, seed, err)
	}
	for range 2 + q.IntN(sequenceImports) {
		before := q.scenario.Save()
		p, err := q.runFile(ctx)
		if err == nil && len(q.Differences) == 0 && q.IntN(4) == 0 {
			q.scenario.Restore(before)
			err = q.undo(ctx, p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w\n%s", kind, seed, err, strings.Join(q.Trace, "\n"))
		}
		if len(q.Differences) > 0 {
			break
		}
	}
	return &q.SequenceResult, nil
}

func (q *importSequence) report(format string, args ...any) {
	q.Differences = append(q.Differences, fmt.Sprintf(format, args...))
}

// runFile imports the next file of the scenario.
func (q *importSequence) runFile(ctx context.Context) (*importRun, error) {
	f, want := q.scenario.Next()
	q.Imports++
	p, err := q.newRun(q.Rand, job.Ref{JobID: job.ID(uuid.NewString()), OrganisationID: q.organisation}, f.Type, 1+q.IntN(4))
	if err != nil {
		return nil, err
	}
	p.script.AutoStart = true
	p.plan.faults = q.IntN(sequenceFaults)
	p.sourceKey = fmt.Sprintf("uploads/%d/%s/source", q.organisation, p.ref.JobID)
	if err := p.cloud.Put(ctx, p.sourceKey, "", f.Content); err != nil {
		return nil, err
	}
	shown := string(f.Content)
	if strings.HasSuffix(f.Filename, "xlsx") {
		shown = "(a workbook)"
	}
	q.Trace = append(q.Trace, fmt.Sprintf("import %d, insert %t, strict %t, options %s, %d rows a chunk:\n%s", q.Imports, f.Insert, f.Strict, f.Options, p.script.ChunkRows, shown))
	now := time.Now()
	j := &job.Job{
		ID: p.ref.JobID, OrganisationID: q.organisation, ImportType: f.Type, Mode: rowwrite.Upsert, AutoStart: true, Filename: f.Filename, ObjectKey: p.sourceKey,
		SizeBytes: int64(len(f.Content)), RequestID: "sequence", UploadedAt: &now, Options: []byte(f.Options),
		StatedOptions: job.StoredOptions{Strict: &f.Strict},
	}
	if f.Insert {
		j.Mode = rowwrite.Insert
	}
	if f.InContext {
		j.ContextID, j.WholeFile, j.SkipMapping = new(generate.ContextID(q.organisation)), true, true
	}
	err = q.db.InOrganisation(ctx, q.organisation, func(tx pgx.Tx) error {
		_, err := q.db.CreateJob(ctx, tx, j)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.run(ctx)
	return p, q.compare(ctx, p, want, q.scenario.Tables())
}

// compare compares an import with its expectation.
func (q *importSequence) compare(ctx context.Context, p *importRun, want *sequence.Expectation, tables []checker.Table) error {
	q.Differences = append(q.Differences, p.differences...)
	p.lastJob = jobState{}
	j, err := p.job(ctx)
	if err != nil {
		return err
	}
	expected := checker.Import{JobID: p.ref.JobID, Status: job.Completed, Lines: want.Lines, Tables: tables}
	if want.Failure != "" {
		expected.Status, expected.Lines = job.Failed, nil
	}
	switch {
	case want.Failure == "" && j.Failure != nil:
		q.report("it failed: %s %s", j.Failure.Code, j.Failure.Message)
	case want.Failure != "" && (j.Failure == nil || !slices.Contains(strings.Split(want.Failure, " or "), j.Failure.Code)):
		q.report("it ended as %s with %v, and should have failed with %s", j.Status, j.Failure, want.Failure)
	}
	q.Differences = append(q.Differences, want.CompareWarnings(j.WarningCodes)...)
	found, err := checker.Differences(ctx, q.admin, p.cloud, expected)
	q.Differences = append(q.Differences, found...)
	if len(q.Differences) > 0 {
		q.Trace = append(q.Trace, p.trace...)
	}
	return err
}

// undo undoes the last import: everything is as before.
func (q *importSequence) undo(ctx context.Context, p *importRun) error {
	q.Trace = append(q.Trace, fmt.Sprintf("import %d is undone", q.Imports))
	before := p.undos
	if err := p.undoJob(ctx, p.ref.JobID); err != nil {
		return err
	}
	q.Undos += p.undos - before
	q.Differences = append(q.Differences, p.differences...)
	return q.compareTables(ctx, q.scenario.Tables())
}

// compareTables compares the organisation's tables.
func (q *importSequence) compareTables(ctx context.Context, tables []checker.Table) error {
	found, err := checker.TableDifferences(ctx, q.admin, q.organisation, tables)
	q.Differences = append(q.Differences, found...)
	return err
}
