package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/imports/correction"
	"github.com/loadbay/loadbay/shared/imports/preview"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/profile"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// reader is the API, used to read the content of the database.
type reader struct{ handler http.Handler }

// newReader returns the API without a cloud: a method that needs one would panic.
func newReader(db *postgres.DB) (*reader, error) {
	log := telemetry.NewLogger(io.Discard, slog.LevelError)
	types, limits := catalog.New(), sheet.DefaultLimits()
	h, err := httpapi.New(httpapi.Dependencies{
		DB: db, Types: types, Log: log,
		Review: &review.Service{}, Rows: &correction.Service{}, MappingPreviews: preview.New(db, nil, types, limits), Readings: &reading.Service{}, Profiles: profile.New(db, types, true), Declarations: struct{ httpapi.Declarations }{},
		Imports: struct{ httpapi.Imports }{}, Canceller: struct{ httpapi.Canceller }{}, Exports: struct{ httpapi.Exports }{}, Downloads: struct{ httpapi.Downloads }{},
		Drops: struct{ httpapi.Drops }{}, Streams: struct{ httpapi.StreamSigner }{}, ErrorWorkbooks: struct{ httpapi.ErrorWorkbooks }{}, Webhooks: struct{ httpapi.WebhookChecker }{},
		Secrets: struct{ httpapi.SecretSealer }{}, WebhookQueue: struct{ httpapi.WebhookQueue }{},
		Quotas:       quota.Limits{OpenImports: everyJob, AnnouncedBytes: 1 << 40, OpenExports: 1, Streams: 1, RequestsPerMinute: everyJob},
		MaxFileBytes: 1 << 30,
	})
	return &reader{h}, err
}

// get reads a document with the organisation's permissions.
func (r *reader) get(ctx context.Context, organisation tenant.ID, path string, into any) error {
	claims := map[string]string{"sub": "simulation", "organisation_id": fmt.Sprint(organisation), "scope": "imports:read"}
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, httptest.NewRequestWithContext(httpapi.WithClaims(ctx, claims), http.MethodGet, path, http.NoBody))
	if w.Code != http.StatusOK {
		return fmt.Errorf("GET %s: %d %s", path, w.Code, w.Body)
	}
	return json.Unmarshal(w.Body.Bytes(), into)
}

// changesResponse is ChangesPart of the API.
type changesResponse struct {
	Changes []struct {
		RowNumber       *int64
		Kind, Table, ID string
		Fields          []struct {
			Field         string
			Before, After *string
		}
		Previous *struct{ Identifier *job.ID }
	}
	Cursor   string
	Complete bool
}

// changes reads the change set of a job, page by page.
func (r *reader) changes(ctx context.Context, organisation tenant.ID, id job.ID, importType string) ([]checker.Change, error) {
	columns := columnsOf(importType)
	var all []checker.Change
	for cursor := ""; ; {
		var part changesResponse
		if err := r.get(ctx, organisation, "/api/imports/"+string(id)+"/changes?limit=7&cursor="+url.QueryEscape(cursor), &part); err != nil {
			return nil, err
		}
		for _, c := range part.Changes {
			change := checker.Change{Job: id, Key: checker.EntityKey{Table: c.Table, ID: c.ID}, Kind: c.Kind}
			if c.RowNumber != nil {
				change.RowNumber = *c.RowNumber
			}
			if c.Previous != nil && c.Previous.Identifier != nil {
				change.Previous = *c.Previous.Identifier
			}
			for _, f := range c.Fields {
				change.Columns = append(change.Columns, columns.column(f.Field))
				if c.Kind != "CREATED" {
					change.Before = append(change.Before, f.Before)
				}
				if c.Kind != "DELETED" {
					change.After = append(change.After, f.After)
				}
			}
			all = append(all, change)
		}
		if part.Complete {
			return all, nil
		}
		cursor = part.Cursor
	}
}

// columnNames are the columns of an import type by field.
type columnNames map[string]string

func columnsOf(importType string) columnNames {
	names := make(columnNames)
	if kind, ok := catalog.New().ByName(importType); ok {
		for _, f := range kind.Declaration().Fields {
			if f.Column != "" {
				names[f.Name] = f.Column
			}
		}
	}
	return names
}

func (n columnNames) column(field string) string {
	if name, ok := n[field]; ok {
		return name
	}
	return strings.ToLower(field)
}

// compareChanges compares the change sets of all imports of the run with the actual changes.
func (p *importRun) compareChanges(ctx context.Context) error {
	after, err := p.camera.Take(ctx, p.admin, p.ref.OrganisationID)
	if err != nil {
		return err
	}
	ids, err := p.jobs(ctx, "NOT (plan AND applied_at IS NULL)") // other plans show what would have changed
	if err != nil {
		return err
	}
	var changes []checker.Change
	for _, id := range ids {
		more, err := p.reader.changes(ctx, p.ref.OrganisationID, id, p.script.Type)
		if err != nil {
			return err
		}
		changes = append(changes, more...)
	}
	p.changeCount += len(changes)
	for _, f := range p.before.Unexplained(after, changes) {
		p.report("the change sets do not explain the changes: %s", f)
	}
	return nil
}
