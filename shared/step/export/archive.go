package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/deletion"
	"github.com/loadbay/loadbay/shared/output/archive"
	files "github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Organisations reads everything that an organisation owns.
type Organisations interface {
	InSnapshot(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	OrganisationName(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (string, error)
	OwnedTables(ctx context.Context, tx pgx.Tx) ([]deletion.Table, error)
	WriteArchivedTable(ctx context.Context, tx pgx.Tx, organisation tenant.ID, table deletion.Table, w io.Writer, progress func(rows int64) error) (int64, error)
	WriteArchivedChanges(ctx context.Context, tx pgx.Tx, organisation tenant.ID, planned bool, w io.Writer, progress func(rows int64) error) (int64, error)
	StoredFiles(ctx context.Context, tx pgx.Tx, organisation tenant.ID, after job.Key, limit int) (files []job.StoredFile, last job.Key, err error)
	QuarantinedFiles(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]job.StoredFile, error)
}

// archiving is the state of writing one archive.
type archiving struct {
	*Step
	export *job.Export
	out    *archive.Writer
	saved  time.Time // when the progress was last saved
}

// archive writes the archive of the organisation: first the database in one consistent snapshot, then the
// files. A retry begins again.
func (s *Step) archive(ctx context.Context, e *job.Export, dst io.Writer) (int64, error) {
	a := &archiving{Step: s, export: e, saved: time.Now()}
	began := false
	err := s.store.InSnapshot(ctx, e.OrganisationID, func(tx pgx.Tx) error {
		if began {
			return errors.New("transaction lost before the end") // the rows already written cannot be removed
		}
		began = true
		return a.writeDatabase(ctx, tx, dst)
	})
	if err == nil {
		err = a.writeFiles(ctx)
	}
	if err == nil {
		err = a.out.Close()
	}
	if a.out == nil {
		return 0, err
	}
	return a.out.Records(), err
}

func (a *archiving) writeDatabase(ctx context.Context, tx pgx.Tx, dst io.Writer) error {
	name, err := a.store.OrganisationName(ctx, tx, a.export.OrganisationID)
	if err != nil {
		return err
	}
	a.out = archive.New(dst, archive.Manifest{
		OrganisationID: int64(a.export.OrganisationID), OrganisationName: name, ExportID: string(a.export.ID), CreatedAt: time.Now().UTC(),
	})
	types, err := a.types.TypesOf(ctx, tx, a.export.OrganisationID)
	if err != nil {
		return err
	}
	for _, t := range types {
		if err := a.writeEntities(ctx, tx, t); err != nil {
			return err
		}
	}
	tables, err := a.store.OwnedTables(ctx, tx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		err := a.out.Add(archive.Table, "tables/"+table.Name+".ndjson", table.Name, func(w io.Writer) (int64, error) {
			return a.store.WriteArchivedTable(ctx, tx, a.export.OrganisationID, table, w, a.progress(ctx))
		})
		if err != nil {
			return err
		}
	}
	for name, planned := range map[string]bool{"changes": false, "planned-changes": true} {
		err := a.out.Add(archive.Changes, name+".ndjson", name, func(w io.Writer) (int64, error) {
			return a.store.WriteArchivedChanges(ctx, tx, a.export.OrganisationID, planned, w, a.progress(ctx))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeEntities writes the rows of a type as an export of the type does. A type that cannot be exported, or
// whose table does not fit its declaration, is skipped: its rows are in the organisation's own table.
func (a *archiving) writeEntities(ctx context.Context, tx pgx.Tx, t entity.Type) error {
	d := t.Declaration()
	if d.Export == nil {
		a.out.Skip(archive.Entities, d.Name, string(problem.ImportTypeUnknown))
		return nil
	}
	err := entity.WithCurrent(ctx, tx, t, func(entity.Type, []string) error {
		selection, err := files.Select(d, nil, nil)
		if err != nil {
			return err
		}
		return a.out.Add(archive.Entities, "entities/"+d.Name+".ndjson", d.Name, func(w io.Writer) (int64, error) {
			lines, err := files.NewWriter(files.NDJSON, w, files.Fields(d, selection))
			if err != nil {
				return 0, err
			}
			rows, err := files.WriteRows(ctx, tx, d, selection, lines, a.progress(ctx))
			if err == nil {
				err = lines.Close()
			}
			if err == nil {
				_, err = tx.Exec(ctx, "CLOSE export") // the next type uses the same name
			}
			return rows, err
		})
	})
	if code := problem.CodeOf(err); err != nil && code != problem.Internal {
		a.out.Skip(archive.Entities, d.Name, string(code))
		return nil
	}
	return err
}

// filesPerPage is the number of files that are listed at a time.
const filesPerPage = 500

func (a *archiving) writeFiles(ctx context.Context) error {
	for after := job.Key(0); ; {
		var found []job.StoredFile
		err := a.store.InOrganisation(ctx, a.export.OrganisationID, func(tx pgx.Tx) (err error) {
			found, after, err = a.store.StoredFiles(ctx, tx, a.export.OrganisationID, after, filesPerPage)
			return err
		})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			break
		}
		for i := range found {
			if err := a.writeFile(ctx, "files/", &found[i]); err != nil {
				return err
			}
		}
	}
	var quarantined []job.StoredFile
	err := a.store.InOrganisation(ctx, a.export.OrganisationID, func(tx pgx.Tx) (err error) {
		quarantined, err = a.store.QuarantinedFiles(ctx, tx, a.export.OrganisationID)
		return err
	})
	for i := 0; err == nil && i < len(quarantined); i++ {
		err = a.writeFile(ctx, "quarantine/", &quarantined[i])
	}
	return err
}

// writeFile copies an original file. One that was deleted or replaced is skipped.
func (a *archiving) writeFile(ctx context.Context, folder string, f *job.StoredFile) error {
	name := f.Name
	if slash := strings.LastIndexByte(name, '/'); slash >= 0 {
		name = name[slash+1:]
	}
	src := a.objects.Open(ctx, object.Version{Key: f.Key, Size: f.Size, ETag: f.ETag})
	if f.Size > 0 {
		if _, err := src.ReadAt(make([]byte, 1), 0); err != nil && !errors.Is(err, io.EOF) {
			if code := problem.CodeOf(err); code == problem.UploadMissing || code == problem.SourceChanged {
				a.out.Skip(archive.File, name, string(code))
				return nil
			}
			return fmt.Errorf("read %s: %w", f.Key, err)
		}
	}
	err := a.out.Add(archive.File, folder+string(f.ID), name, func(w io.Writer) (int64, error) {
		_, err := io.Copy(w, sheet.ReadFrom(src, 0))
		return 1, err
	})
	if err != nil {
		return err
	}
	return a.progress(ctx)(0)
}

// progressInterval is the time between updates of an archive's progress.
const progressInterval = 5 * time.Second

// progress saves the number of records, at intervals, and detects a cancellation.
func (a *archiving) progress(ctx context.Context) func(rows int64) error {
	return func(rows int64) error {
		if time.Since(a.saved) < progressInterval {
			return nil
		}
		a.saved = time.Now()
		return a.guardedUpdate(ctx, a.export, func(tx pgx.Tx) (bool, error) {
			return a.store.SaveExportProgress(ctx, tx, a.export.ID, a.out.Records()+rows)
		})
	}
}
