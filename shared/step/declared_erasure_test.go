package step_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

func (d *declaredTypes) DeclaredTypes(context.Context, pgx.Tx, tenant.ID) ([]entity.Type, error) {
	return []entity.Type{d.kind}, nil
}

const people = `
	CREATE SCHEMA app;
	CREATE TABLE app.people (
		no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		org_id bigint NOT NULL,
		"E-mail" varchar(20) NOT NULL,
		name text,
		born date,
		tags text[],
		plan text NOT NULL DEFAULT 'free',
		CONSTRAINT people_mail UNIQUE (org_id, "E-mail")
	);
	INSERT INTO app.people (org_id, "E-mail", name) VALUES (2, 'zebedea@quill.ex', 'Zebedea Quillfeather');
	GRANT USAGE ON SCHEMA app TO loadbay_app;
	GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA app TO loadbay_app`

const peopleDeclaration = `
loadbay: type/1
name: CLIENT
title: Clients
target: {table: app.people}
tenant: {column: org_id, value: organisation}
identity: ["no"]
keys: [{name: mail, fields: [EMAIL], index: people_mail}]
person: {key: EMAIL}
fields:
  - {name: EMAIL, column: E-mail, required: true}
  - {name: NAME, column: name, personal: true}
  - {name: BORN, column: born, personal: true}
  - {name: TAGS, column: tags, kind: textList, personal: true}
  - {name: PLAN, column: plan}
`

// findStored returns the places of Loadbay's tables and change sets that contain a text.
func (e *engine) findStored(t *testing.T, text string) (places []string) {
	t.Helper()
	for _, table := range strings.Fields(postgrestest.Query[string](t, e.Database, `
		SELECT string_agg(oid::regclass::text, ' ') FROM pg_class WHERE relkind = 'r' AND relnamespace = ANY ('{loadbay,sample}'::regnamespace[])`)) {
		if n := postgrestest.Query[int](t, e.Database, `SELECT count(*) FROM `+table+` AS t WHERE strpos(lower(t::text), lower($1)) > 0`, text); n > 0 {
			places = append(places, table)
		}
	}
	tables := &erasure.Tables{Declared: []erasure.DeclaredTable{{Table: erasure.Table{Name: "app.people"}}}}
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		for _, planned := range []bool{false, true} {
			_, err := e.DB.EachPersonChanges(t.Context(), tx, tables, erasure.Position{Planned: planned}, 1000, func(_ changeset.PartRef, changes []changeset.Change) error {
				for i := range changes {
					if (changeset.Filter{Text: text}).Matches(&changes[i]) {
						places = append(places, "changes")
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return places
}

func (e *engine) eraser(t *testing.T) *erasure.Service {
	t.Helper()
	service, err := erasure.New(e.DB, catalog.New().Types(), telemetry.NewLogger(e.log, slog.LevelDebug))
	require.NoError(t, err)
	return service.WithDeclared(e.types.(*declaredTypes))
}

// An erasure finds a person by the key of a declared type: in rows of the table, change sets, plans,
// errors and decisions. Rows of others, and of other organisations, stay.
func TestErasureReachesDeclaredTypes(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 2, people, peopleDeclaration)
	for _, file := range []string{
		"E-mail,Name,Born,Tags,Plan\nzebedea@quill.ex,Zebedea Quillfeather,1990-02-03,fencing club,gold\nann@x.org,Ann,1980-01-01,,free\n",
		"E-mail,Name,Plan\nann@x.org,Anne,free\nZEBEDEA@QUILL.EX,Not zebedea@quill.ex,\nzebedea@quill.ex,Z. Quillfeather,gold\nzebedea@quill.ex is too long for the column,,\n",
	} {
		e.importFile(t, "CLIENT", file, false, declaredJob(rowwrite.Upsert))
	}
	e.plan(t, "CLIENT", "E-mail,Name\nzebedea@quill.ex,Zeb\nann@x.org,Annie\n", func(j *job.Job) { j.TypeVersion = 1 })
	e.drain(t, false)
	for _, text := range []string{"quillfeather", "zebedea@quill.ex"} {
		require.NotEmpty(t, e.findStored(t, text))
	}
	service := e.eraser(t)
	_, err := service.ErasePerson(t.Context(), "op", 1, "nobody@quill.ex", time.Minute)
	require.Equal(t, problem.NotFound, problem.CodeOf(err))

	report, err := service.ErasePerson(t.Context(), "op", 1, " Zebedea@Quill.ex ", time.Minute)
	require.NoError(t, err)
	require.True(t, report.Complete)
	require.Equal(t, int64(4), report.Changes)
	for _, text := range []string{"quillfeather", "zebedea@quill.ex", "fencing"} {
		require.Empty(t, e.findStored(t, text), text)
	}
	require.NotEmpty(t, e.findStored(t, "Annie"), "planned")
	rows := postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(concat_ws(' ', org_id, CASE WHEN "E-mail" ~ '^[0-9a-f]{20}$' THEN 'erased' ELSE "E-mail" END, name, born, tags, plan) ORDER BY "no") FROM app.people`)
	require.Equal(t, []string{"2 zebedea@quill.ex Zebedea Quillfeather free", "1 erased gold", "1 ann@x.org Anne 1980-01-01 free", "1 erased free"}, rows)
	require.NotContains(t, e.log.String(), "uill")

	again, err := service.ErasePerson(t.Context(), "op", 1, "zebedea@quill.ex", time.Minute)
	require.Equal(t, problem.NotFound, problem.CodeOf(err), "%v", again)
}

// A table that does not allow its rows to be emptied is named, and the erasure continues once the
// application has deleted them. Changes of a deleted row are erased as well.
func TestErasureNamesTableThatRefuses(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 100, people, strings.Replace(peopleDeclaration, "E-mail,", "E-mail, personal: true,", 1))
	e.importFile(t, "CLIENT", "E-mail,Name\nzoe@x.org,Zoe Quillfeather\n", false, declaredJob(rowwrite.Upsert))
	e.importFile(t, "CLIENT", "E-mail,Name\nzoe@x.org,Zo Quillfeather\n", false, declaredJob(rowwrite.Upsert))
	e.Exec(t, `ALTER TABLE app.people ADD CONSTRAINT mails CHECK ("E-mail" LIKE '%@%')`)
	_, err := e.eraser(t).ErasePerson(t.Context(), "op", 1, "zoe@x.org", time.Minute)
	require.Equal(t, problem.StateConflict, problem.CodeOf(err))
	require.ErrorContains(t, err, "app.people")
	require.NotContains(t, problem.From(err).Message, "zoe")
	e.Exec(t, `DELETE FROM app.people`)
	report, err := e.eraser(t).ErasePerson(t.Context(), "op", 1, "zoe@x.org", time.Minute)
	require.NoError(t, err)
	require.True(t, report.Complete)
	require.Empty(t, e.findStored(t, "Quillfeather"))
	require.Empty(t, e.findStored(t, "zoe@x.org"))
}

// An erasure ends before it erases anything if a table no longer fits its type: the person's data could be
// in a column with another name. A table that was dropped has none.
func TestErasureComparesTables(t *testing.T) {
	t.Parallel()
	e := setupDeclared(t, 100, people, peopleDeclaration)
	e.importFile(t, "CLIENT", "E-mail,Name\nzoe@x.org,Zoe Quillfeather\n", false, declaredJob(rowwrite.Upsert))
	for change, restore := range map[string]string{
		`ALTER TABLE app.people RENAME name TO called`: `ALTER TABLE app.people RENAME called TO name`,
		`ALTER TABLE app.people RENAME TO persons`:     `ALTER TABLE app.persons RENAME TO people`,
	} {
		e.Exec(t, change)
		_, err := e.eraser(t).ErasePerson(t.Context(), "op", 1, "zoe@x.org", time.Minute)
		require.Equal(t, problem.TableChanged, problem.CodeOf(err), change)
		require.NotEmpty(t, e.findStored(t, "Quillfeather"), "nothing was erased")
		e.Exec(t, restore)
	}
	e.Exec(t, `DROP TABLE app.people`)
	_, err := e.eraser(t).ErasePerson(t.Context(), "op", 1, "zoe@x.org", time.Minute)
	require.Equal(t, problem.NotFound, problem.CodeOf(err), "nothing has the key any more")
}
