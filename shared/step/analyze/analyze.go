// Package analyze detects the format of a job's file and maps its columns.
//
// Tested by shared/step: whole imports on a real database.
package analyze

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/concept"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Store loads and saves jobs and mappings.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	SaveAnalysis(ctx context.Context, tx pgx.Tx, key job.Key, a job.Analysis) error
	SaveColumnMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedColumn) error
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
	Reanalysis
	InitialMappings
	Profiles
	Previews
	reading.Slots
}

// Files opens sources.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
	Head(ctx context.Context, key string) (object.Info, error)
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Step is the analyze function.
type Step struct {
	store    Store
	files    Files
	types    Types
	recorder job.Recorder
	limits   sheet.Limits
	log      *slog.Logger
}

// New returns the step.
func New(store Store, files Files, types Types, recorder job.Recorder, limits sheet.Limits, log *slog.Logger) *Step {
	return &Step{store: store, files: files, types: types, recorder: recorder, limits: limits, log: log}
}

// The next steps of the execution.
const (
	NextColumns   = "COLUMN_MAPPING"
	NextResolve   = "RESOLVE"
	NextWholeFile = "WHOLE_FILE"
)

// Run analyses the file and returns the next step of the execution.
func (s *Step) Run(ctx context.Context, ref job.Ref) (callback.Result, error) {
	var j *job.Job
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("analyze: %w", err)
	}
	ctx = telemetry.WithJob(ctx, j)
	if j.Status != job.Uploaded {
		return nextResult(j, j.Status), nil // an earlier attempt was successful
	}
	if j.RowRetry || j.Undo != nil {
		return s.startProcessing(ctx, ref)
	}
	kind, err := s.types.Type(ctx, nil, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return callback.Result{}, fmt.Errorf("analyze: %w", err)
	}
	release, err := reading.TakeSlot(ctx, s.store, ref, j, nil)
	if err != nil {
		return callback.Result{}, fmt.Errorf("analyze: %w", err)
	}
	defer release()
	decl := kind.Declaration()
	found, columns, err := s.readFile(ctx, j, decl)
	if err != nil && isReanalysis(j) && isOptionError(err) {
		return s.rejectReanalysis(ctx, ref, err)
	}
	if err != nil {
		return callback.Result{}, fmt.Errorf("analyze: %w", s.compareChecksum(ctx, j, err))
	}
	switch {
	case oneShot(j) && found.undecided != nil:
		// The findings are stored with the job, so that unrecognised columns can be inspected.
		if _, err := s.saveAnalysis(ctx, ref, found, columns); err != nil {
			return callback.Result{}, err
		}
		return callback.Result{}, found.undecided
	case j.SkipMapping:
		s.log.InfoContext(ctx, "mapping phases skipped", "skip_mapping_phases", true)
		return s.saveAnalysis(ctx, ref, found, columns, job.Processing)
	case found.needsReview:
		return s.saveAnalysis(ctx, ref, found, columns, job.ColumnMapping)
	default:
		return s.saveAnalysis(ctx, ref, found, columns, job.ColumnMapping, job.CellMapping)
	}
}

// compareChecksum returns CHECKSUM_MISMATCH instead of an error in the content of a file that is not
// the announced one. Otherwise the checksum is compared when the whole file is read.
func (s *Step) compareChecksum(ctx context.Context, j *job.Job, err error) error {
	if j.SHA256 == "" {
		return err
	}
	version, lost := s.fileVersion(ctx, j)
	if lost != nil {
		return err
	}
	return sheet.NewDigest(s.files.Open(ctx, version)).Cause(err, j.SHA256)
}

// readFile reads the file as far as necessary to map its columns, and determines what a person is
// asked.
func (s *Step) readFile(ctx context.Context, j *job.Job, decl *entity.Declaration) (*findings, []job.MappedColumn, error) {
	chosen, err := decl.ChosenSettings(j.Options)
	if err != nil {
		return nil, nil, err
	}
	matcher, err := columnmatch.NewMatcher(decl, chosen, concept.Vocabulary{})
	if err != nil {
		return nil, nil, err
	}
	read := func(j *job.Job) (*findings, []job.MappedColumn, error) {
		return s.readSheet(ctx, j, decl, chosen, matcher)
	}
	found, columns, err := read(j)
	if err != nil {
		return nil, nil, err
	}
	if found, columns, err = s.compareSheets(ctx, j, decl, matcher, found, columns, read); err != nil {
		return nil, nil, err
	}
	found.needsReview = found.requiresReview(matcher, j, decl, columns)
	found.warnings = slices.Concat(found.dialect.Warnings, found.sheetChoice, found.unreadSheets, found.decisions, found.misfits, rows.LocaleWarnings(decl, columns, !oneShot(j)),
		found.unclearWarning(), found.unknownColumns(), found.finalWarnings())
	if !found.needsReview {
		// Otherwise a person decides about these columns first: see package review.
		found.countUnused(columns)
		found.warnings = append(found.warnings, columnmatch.UnitWarnings(decl, columns)...)
		found.warnings = append(found.warnings, columnmatch.ContraryWarnings(columnmatch.ContraryColumns(decl, columns))...)
		columnmatch.ConfirmMatches(columns)
	}
	return found, columns, nil
}

// readSheet reads the rows of the stated sheet, or of the first one, to match its columns and
// determine their locales.
func (s *Step) readSheet(ctx context.Context, j *job.Job, decl *entity.Declaration, chosen entity.Settings, matcher *mapping.Matcher) (*findings, []job.MappedColumn, error) {
	found, err := s.inspectWithProfile(ctx, j)
	if err != nil {
		return nil, nil, err
	}
	defer found.rows.Close()
	columns := columnmatch.Columns(matcher, found.dialect.Header, found.samples, !oneShot(j))
	unclear := columnmatch.RejectUnclearVariants(decl, chosen, columns)
	if columns, err = s.decideColumns(ctx, j, decl, found, columns); err != nil {
		return nil, nil, err
	}
	found.noteUnclear(unclear, columns)
	if err := found.detectLocales(decl, columns, j); err != nil {
		return nil, nil, err
	}
	if err := s.detectComposedLocales(ctx, found, decl, columns, j); err != nil {
		return nil, nil, err
	}
	found.describe(matcher, columns)
	switch found.undecided = columnmatch.UndecidedError(decl, columns); {
	case found.unclear != nil:
		found.undecided = found.unclear
	case found.undecided == nil:
		found.undecided = columnmatch.UnusedError(found.storedOptions(j), columnmatch.UnusedColumns(columns), found.complete)
	}
	if found.undecided == nil {
		found.undecided = columnmatch.ContraryError(found.storedOptions(j), columnmatch.ContraryColumns(decl, columns))
	}
	return found, columns, nil
}

// decideColumns applies the decisions that override the headers: those of the file's profile, then
// of the mapping supplied with the job, and then those of a person before the file was
// reanalysed.
func (s *Step) decideColumns(ctx context.Context, j *job.Job, decl *entity.Declaration, found *findings, columns []job.MappedColumn) ([]job.MappedColumn, error) {
	columns = found.applyProfile(decl, columns)
	mapping, err := s.loadMapping(ctx, j, columns)
	if err != nil {
		return nil, err
	}
	by := job.ByMapping
	if isReanalysis(j) {
		by = job.ByPerson // a person has decided or confirmed it
	}
	columns, unfit := applyDocument(decl, mapping, columns, by)
	found.misfits = append(found.misfits, misfitWarnings(unfit)...)
	return columns, s.restoreDecisions(ctx, j, columns)
}

// saveAnalysis stores the findings and moves the job through the statuses of path, in one
// transaction.
func (s *Step) saveAnalysis(ctx context.Context, ref job.Ref, found *findings, columns []job.MappedColumn, path ...job.Status) (callback.Result, error) {
	dialect, err := json.Marshal(found.dialect)
	if err != nil {
		return callback.Result{}, fmt.Errorf("analyze: %w", err)
	}
	var j *job.Job
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.LockJob(ctx, tx, ref.JobID); err != nil || j.Status != job.Uploaded {
			return err
		}
		if !bytes.Equal(j.Options, found.stated) {
			return errors.New("reading options of the file were changed during the analysis")
		}
		if err := s.saveProfile(ctx, tx, j, found.profile); err != nil {
			return err
		}
		err = s.store.SaveAnalysis(ctx, tx, j.Key, job.Analysis{ETag: found.version.ETag, Dialect: dialect, Warnings: found.warnings, Total: found.estimate, MachineVersion: ref.MachineVersion})
		if err != nil {
			return err
		}
		if err := s.store.SaveColumnMappings(ctx, tx, j, columns); err != nil {
			return err
		}
		if err := s.saveLastRows(ctx, tx, j, found); err != nil {
			return err
		}
		for _, to := range path {
			// If all columns are mapped, no person is asked about them. Whether one is asked
			// about values is determined next.
			if _, _, err := s.store.Transition(ctx, tx, j.Key, job.Transition{To: to, Provisional: len(path) > 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("analyze: %w", err)
	}
	if j.Status != job.Uploaded {
		return nextResult(j, j.Status), nil
	}
	from := job.Uploaded
	for _, to := range path {
		s.recorder.Record(ctx, j, from, to)
		from = to
	}
	s.log.InfoContext(ctx, "file analysed", "format", found.dialect.Format, "encoding", found.dialect.Encoding, "columns", len(found.dialect.Header), "size_bytes", j.SizeBytes)
	return nextResult(j, from), nil
}

// nextResult returns the next step for a job of that status.
func nextResult(j *job.Job, status job.Status) callback.Result {
	switch {
	case j.SkipMapping:
		return callback.Result{Next: NextWholeFile}
	case status == job.ColumnMapping:
		return callback.Result{Next: NextColumns}
	default:
		return callback.Result{Next: NextResolve}
	}
}
