package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/output/archive"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/export"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// storedFiles is a bucket that also has original files.
type storedFiles struct {
	*bucket
	content map[string]string
}

func (s *storedFiles) Open(_ context.Context, v object.Version) sheet.Source {
	text, found := s.content[v.Key]
	return &storedFile{strings.NewReader(text), v.Size, !found}
}

type storedFile struct {
	*strings.Reader
	size    int64
	missing bool
}

func (f *storedFile) Size() int64 { return f.size }

func (f *storedFile) ReadAt(p []byte, off int64) (int, error) {
	if f.missing {
		return 0, problem.New(problem.UploadMissing, "missing")
	}
	return f.Reader.ReadAt(p, off)
}

// secretText is in every column that no archive may contain.
const secretText = "topsecret"

// ownedTables returns the tables with rows of organisations, from the catalogue.
func (b *harness) ownedTables(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, b.Database, `
		SELECT array_agg(table_schema || '.' || table_name ORDER BY 1)
		FROM information_schema.columns
		JOIN information_schema.tables USING (table_schema, table_name)
		WHERE column_name = 'organisation_id' AND table_type = 'BASE TABLE' AND table_schema IN ('loadbay', 'sample') AND table_name <> 'organisation_deletions'`)
}

// readArchive returns the parts of the archive by path, and its manifest, after checking their sums.
func (b *harness) readArchive(t *testing.T) (map[string]string, archive.Manifest) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(b.file.Bytes()), int64(b.file.Len()))
	require.NoError(t, err)
	parts := make(map[string]string)
	for _, f := range r.File {
		part, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(part)
		require.NoError(t, err)
		parts[f.Name] = string(text)
	}
	var m archive.Manifest
	require.NoError(t, json.Unmarshal([]byte(parts[archive.ManifestPath]), &m))
	require.Len(t, m.Parts, len(parts)-1)
	for _, p := range m.Parts {
		sum := sha256.Sum256([]byte(parts[p.Path]))
		require.Equal(t, hex.EncodeToString(sum[:]), p.SHA256, p.Path)
		require.EqualValues(t, len(parts[p.Path]), p.Bytes, p.Path)
		if p.Kind != archive.File {
			require.EqualValues(t, strings.Count(parts[p.Path], "\n"), p.Records, p.Path)
		}
	}
	return parts, m
}

func TestArchiveContainsEverything(t *testing.T) {
	t.Parallel()
	b := setup(t, 2500)
	b.Exec(t, `INSERT INTO users (organisation_id, email, name) VALUES (2, 'stranger@x.org', 'stranger')`)
	j := b.AddJob(t, "status = 'COMPLETED', completed_at = now(), uploaded_at = now(), size_bytes = 9, started_at = now()")
	gone := b.AddJob(t, "status = 'COMPLETED', completed_at = now(), uploaded_at = now(), size_bytes = 9")
	retry := b.AddJob(t, "status = 'COMPLETED', completed_at = now(), uploaded_at = now()")
	b.Exec(t, `UPDATE import_jobs SET retry_of = $1, rerun = true, object_key = $2 WHERE id = $3`, j.ID, j.ObjectKey, retry.Key)
	b.Exec(t, `INSERT INTO import_chunks (job_id, organisation_id, chunk_index, object_key, byte_offset, byte_length, first_row, line_count, row_count, crc32c, done, outcomes) VALUES ($1, 1, 0, $2, 0, 9, 1, 4, 4, 0, true, 'CCES')`, j.Key, j.ObjectKey)
	b.Exec(t, `INSERT INTO webhooks (organisation_id, url, secret) VALUES (1, 'https://hooks.example.org/', $1)`, secretText)
	b.Exec(t, `INSERT INTO api_keys (organisation_id, id, name, scopes, hash, expires_at) VALUES (1, gen_random_uuid(), 'nightly', '{imports:read}', convert_to(repeat('t', 32), 'UTF8'), now())`)
	b.Exec(t, `INSERT INTO import_sources (job_id, organisation_id, url) VALUES ($1, 1, 'https://files.example.org/?signature=' || $2)`, j.Key, secretText)
	b.Exec(t, `INSERT INTO quarantined_drops (id, organisation_id, object_key, kept_key, size_bytes, code, message) VALUES ('00000000-0000-4000-8000-000000000009', 1, 'drop/1/USER/-/bad.csv', 'drop-quarantine/1/bad.csv', 4, 'X', 'm')`)
	b.inOrganisation(t, func(tx pgx.Tx) error {
		return b.DB.AddChanges(t.Context(), tx, j, 0, []changeset.Change{
			{Row: 3, Table: "users", ID: "4711", Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{new("Ada")}, After: []*string{nil}},
			{Row: 4, Table: "users", ID: "4712", Op: changeset.Created},
		})
	})
	cloud := &storedFiles{b.bucket, map[string]string{j.ObjectKey: "name\nAda\n", "drop-quarantine/1/bad.csv": "bad\n"}}
	b.step = export.New(b.DB, cloud, catalog.New().WithDeclared(b.DB), slog.New(slog.NewTextHandler(&b.log, nil)))
	ref := b.create(t, func(e *job.Export) { e.ImportType, e.Format = "ORGANISATION", "zip" })
	rows := make(map[string]int)
	for _, table := range b.ownedTables(t) {
		rows[table] = postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM `+table+` WHERE organisation_id = 1`)
	}
	require.NoError(t, b.step.Run(t.Context(), ref))

	require.Equal(t, "complete", b.state)
	parts, m := b.readArchive(t)
	e := b.export(t, ref)
	require.Equal(t, job.ExportCompleted, e.Status)
	require.Equal(t, "One", m.OrganisationName)
	require.Equal(t, string(ref.ExportID), m.ExportID)
	// The tables are those of the catalogue, so this fails for a new table that the archive does not contain.
	for table, count := range rows {
		text, found := parts["tables/"+table+".ndjson"]
		require.True(t, found, table)
		require.Equal(t, count, strings.Count(text, "\n"), table)
	}
	require.Equal(t, 2500, strings.Count(parts["entities/USER.ndjson"], "\n"))
	for _, typ := range catalog.New().Types() {
		require.Contains(t, parts, "entities/"+typ.Declaration().Name+".ndjson")
	}
	require.Contains(t, parts["tables/loadbay.import_chunks.ndjson"], `"outcomes": "CCES"`)
	var change map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(parts["changes.ndjson"], "\n", 2)[0]), &change))
	require.Equal(t, map[string]any{
		"job_id": float64(j.Key), "chunk_index": 0.0, "part": 0.0, "row": 3.0, "table": "users", "id": "4711", "op": "UPDATED",
		"before": map[string]any{"name": "Ada"}, "after": map[string]any{"name": nil}, "prev_job": 0.0, "prev_row": 0.0,
	}, change)
	require.Equal(t, "name\nAda\n", parts["files/"+string(j.ID)])
	require.Equal(t, "bad\n", parts["quarantine/00000000-0000-4000-8000-000000000009"])
	require.NotContains(t, parts, "files/"+string(retry.ID), "a file is contained once")
	require.Equal(t, []archive.Skipped{{Kind: archive.File, Name: gone.Filename, Code: "UPLOAD_MISSING"}}, m.Skipped)
	for path, text := range parts {
		require.NotContains(t, text, secretText, path)
		require.NotContains(t, text, "stranger", path)
		require.NotContains(t, text, fmt.Sprintf("%x", "tttttttt"), path)
	}
}

// Secrets and encoded values need a decision: a column for them must not get into the archive unnoticed.
func TestArchiveHidesSecretsAndEncodedColumns(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	b.step = export.New(b.DB, &storedFiles{bucket: b.bucket}, catalog.New().WithDeclared(b.DB), slog.New(slog.DiscardHandler))
	b.Exec(t, `INSERT INTO webhooks (organisation_id, url, secret, previous_secret, previous_until) VALUES (1, 'https://hooks.example.org/', 'a', 'b', now())`)
	hidden := postgrestest.Query[[]string](t, b.Database, `
		SELECT array_agg(c.oid::regclass::text || '.' || attname ORDER BY 1)
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND c.relkind = 'r'
		  AND (a.atttypid = 'bytea'::regtype OR a.attname ~ 'secret|token|password|credential' OR a.attname IN ('hash', 'previous_hash'))
		  AND EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = c.oid AND o.attname = 'organisation_id')`)
	require.ElementsMatch(t, []string{
		"api_keys.hash", "api_keys.previous_hash", "import_changes.data", "import_chunks.outcomes", "import_chunks.repeated",
		"import_plan_changes.data", "webhooks.previous_secret", "webhooks.secret",
	}, hidden, "decide in shared/postgres/archive.go how the archive contains a new one")
	require.NoError(t, b.step.Run(t.Context(), b.create(t, func(e *job.Export) { e.ImportType, e.Format = "ORGANISATION", "zip" })))
	parts, _ := b.readArchive(t)
	require.NotContains(t, parts["tables/loadbay.webhooks.ndjson"], "secret")
}

// A retry begins again, and a cancelled archive leaves nothing.
func TestInterruptedArchiveIsRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t, 3000)
	b.step = export.New(b.DB, &storedFiles{bucket: b.bucket}, catalog.New().WithDeclared(b.DB), slog.New(slog.DiscardHandler))
	ref := b.create(t, func(e *job.Export) { e.ImportType, e.Format = "ORGANISATION", "zip" })
	b.fail = io.ErrClosedPipe
	require.ErrorIs(t, b.step.Run(t.Context(), ref), io.ErrClosedPipe)
	require.Equal(t, "aborted", b.state)
	require.Equal(t, job.ExportProcessing, b.export(t, ref).Status)
	b.fail = nil
	b.file.Reset()
	require.NoError(t, b.step.Run(t.Context(), ref))
	_, m := b.readArchive(t)
	require.Empty(t, m.Skipped)
	require.Equal(t, job.ExportCompleted, b.export(t, ref).Status)
}
