package step_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
	"github.com/loadbay/loadbay/shared/step/analyze"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// members is a roster with an unknown header and an unknown value.
const members = "First name;Last name;Email;Type;Shoe size\n" +
	"Anna;Berg;anna@x.org;senior;40\n" +
	"Cleo;Dahl;cleo@x.org;Veteran;42\n" +
	"Dora;Eng;dora@x.org;VETERAN;43\n"

func asking(j *job.Job) { member(j); j.AutoStart = false }

// profileWays are the ways to import: with questions and without.
var profileWays = map[string]func(*job.Job){"asking": asking, "one shot": member}

// applyDecisions decides as a person would: the shoe size is ignored, and a veteran is a senior.
func (e *engine) applyDecisions(t *testing.T, ref job.Ref) {
	t.Helper()
	e.ignoreColumns(t, ref)
	next, err := e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPING", next.Next)
	j := e.job(t, ref)
	e.Exec(t, `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', target_entity_id = '1', confirmed = true, decided = true WHERE job_id = $1 AND status = 'UNRESOLVED'`, j.Key)
	e.transition(t, j, job.Processing)
}

// ignoreColumns ignores unknown columns.
func (e *engine) ignoreColumns(t *testing.T, ref job.Ref) {
	t.Helper()
	j := e.job(t, ref)
	e.Exec(t, `UPDATE import_column_mappings SET status = 'IGNORED', confirmed = true, decided = true WHERE job_id = $1 AND status = 'UNRESOLVED'`, j.Key)
	e.transition(t, j, job.CellMapping)
}

func (e *engine) texts(t *testing.T, ref job.Ref, sql string) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, sql, e.job(t, ref).Key)
}

// importWithDecisions imports the members with a person's decisions.
func (e *engine) importWithDecisions(t *testing.T) job.Ref {
	t.Helper()
	ref := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, analyze.NextColumns, next.Next)
	e.applyDecisions(t, ref)
	return ref
}

// createProfile creates a profile.
func (e *engine) createProfile(t *testing.T, d profile.Draft) *profile.Profile {
	t.Helper()
	p, err := profile.New(e.DB, e.types, false).Create(t.Context(), profile.Caller{Organisation: 1, Name: "test"}, d)
	require.NoError(t, err)
	return p
}

// useProfile selects the profile of that name for the job, as the creation of a job does.
func (e *engine) useProfile(t *testing.T, ref job.Ref, name string) {
	t.Helper()
	j := e.job(t, ref)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		p, err := e.DB.ProfileNamed(t.Context(), tx, j.ImportType, name)
		require.NoError(t, err)
		options, err := p.Options(j.Options)
		require.NoError(t, err)
		return e.DB.UseProfile(t.Context(), tx, j.Key, p.UsedProfile(job.ChosenByName), options)
	}))
}

// runUnattended runs a job to its end without questions.
func (e *engine) runUnattended(t *testing.T, ref job.Ref) {
	t.Helper()
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, analyze.NextResolve, next.Next)
	next, err = e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, resolve.NextSplit, next.Next)
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
}

// memberships returns persons with their membership types, in row order.
func (e *engine) memberships(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(p.first_name || ' ' || m.type_id ORDER BY m.source_job, m.source_row) FROM memberships AS m JOIN persons AS p ON p.id = m.person_id`)
}

// TestProfileAnswersSecondFile: the profile is selected by name or by the headers, and all rows
// are imported. The decisions of the profile are saved with the import.
func TestProfileAnswersSecondFile(t *testing.T) {
	t.Parallel()
	for name, how := range profileWays {
		for choice, auto := range map[job.ProfileChoice]bool{job.ChosenByName: false, job.ChosenByFingerprint: true} {
			t.Run(fmt.Sprint(name, " ", choice), func(t *testing.T) {
				t.Parallel()
				e := setup(t, 10)
				p := e.createProfile(t, profile.Draft{Name: "Club", Auto: auto, FromImport: e.importWithDecisions(t).JobID})
				again := e.create(t, "MEMBERSHIP", "members.csv", members, how)
				if !auto {
					e.useProfile(t, again, "club")
				}
				e.runUnattended(t, again)
				require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED"}, e.results(t, again))
				require.Equal(t, []string{"Anna 1", "Cleo 1", "Dora 1"}, e.memberships(t))
				j := e.job(t, again)
				require.Equal(t, &job.UsedProfile{ID: p.ID, Name: "Club", Version: 1, Choice: choice}, j.Profile)
				const by = ` (version 1 of profile "Club")`
				require.Equal(t, []string{
					`PROFILE_DECIDED: column "First name" is matched to FIRST_NAME` + by, `PROFILE_DECIDED: column "Last name" is matched to LAST_NAME` + by,
					`PROFILE_DECIDED: column "Email" is matched to EMAIL` + by, `PROFILE_DECIDED: column "Type" is matched to MEMBERSHIP_TYPE_ID` + by,
					`PROFILE_DECIDED: column "Shoe size" is ignored` + by,
					`PROFILE_DECIDED: value "VETERAN" of MEMBERSHIP_TYPE_ID is 1` + by, `PROFILE_DECIDED: value "Veteran" of MEMBERSHIP_TYPE_ID is 1` + by,
				}, j.WarningCodes)
			})
		}
	}
}

// TestChangedHeaderAsksOnlyAboutItself: the import asks about no other column.
func TestChangedHeaderAsksOnlyAboutItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ header, open, misfit string }{
		"mapped column":  {"First name;Last name;Email;Kind of thing;Shoe size", "Kind of thing", `MEMBERSHIP_TYPE_ID uses the column "Type", which the file does not have`},
		"guessed column": {"First name;Surname;Email;Type;Shoe size", "Surname", `LAST_NAME uses the column "Last name", which the file does not have`},
		"ignored column": {"First name;Last name;Email;Type;Glove size", "Glove size", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 10)
			e.createProfile(t, profile.Draft{Name: "Club", Auto: true, FromImport: e.importWithDecisions(t).JobID})
			file := strings.Replace(members, "First name;Last name;Email;Type;Shoe size", c.header, 1)
			other := e.create(t, "MEMBERSHIP", "members.csv", file, asking)
			e.useProfile(t, other, "Club")
			next, err := e.analyze.Run(t.Context(), other)
			require.NoError(t, err)
			require.Equal(t, analyze.NextColumns, next.Next)
			require.Equal(t, []string{c.open}, e.texts(t, other, `SELECT array_agg(source_header) FROM import_column_mappings WHERE job_id = $1 AND NOT confirmed`))
			misfit := "PROFILE_MISFIT: " + c.misfit + ` (version 1 of profile "Club")`
			if c.misfit == "" {
				require.NotContains(t, strings.Join(e.job(t, other).WarningCodes, "\n"), "PROFILE_MISFIT")
			} else {
				require.Contains(t, e.job(t, other).WarningCodes, misfit)
			}

			unnamed := e.create(t, "MEMBERSHIP", "members.csv", file, asking)
			_, err = e.analyze.Run(t.Context(), unnamed)
			require.NoError(t, err)
			require.Nil(t, e.job(t, unnamed).Profile, "a profile that only partly matches is at most suggested")
		})
	}
}

// TestConfirmedGuessIsNotReused: swapped names affect one import and the profiles saved from it.
// Other imports are not affected unless the profile is selected.
func TestConfirmedGuessIsNotReused(t *testing.T) {
	t.Parallel()
	for name, how := range profileWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 10)
			first := e.importWithDecisions(t)
			j := e.job(t, first)
			e.Exec(t, `UPDATE import_column_mappings SET target_field = NULL WHERE job_id = $1`, j.Key)
			for header, field := range map[string]string{"First name": "LAST_NAME", "Last name": "FIRST_NAME", "Type": "MEMBERSHIP_TYPE_ID", "Email": "EMAIL"} {
				e.Exec(t, `UPDATE import_column_mappings SET target_field = $3, status = 'MANUAL_MATCHED', confirmed = true, decided = true WHERE job_id = $1 AND source_header = $2`, j.Key, header, field)
			}
			e.createProfile(t, profile.Draft{Name: "Poison", FromImport: first.JobID})
			const clean = "First name;Last name;Email;Type\nJane;Doe;jane@x.org;Senior\n"
			again := e.create(t, "MEMBERSHIP", "members.csv", clean, how)
			e.runUnattended(t, again)
			require.Equal(t, []string{"Jane 1"}, e.memberships(t))
			require.Empty(t, e.job(t, again).WarningCodes)

			// The same file as before asks the same questions.
			same := e.create(t, "MEMBERSHIP", "members.csv", members, how)
			_, err := e.analyze.Run(t.Context(), same)
			require.NoError(t, err)
			require.Equal(t, []string{"FIRST_NAME", "LAST_NAME"}, e.texts(t, same, `
				SELECT array_agg(target_field ORDER BY column_index) FROM import_column_mappings WHERE job_id = $1 AND column_index < 2`))
			unused := []string{`COLUMN_UNUSED: column "Shoe size" with 3 values is not used`}
			require.Equal(t, map[string][]string{"one shot": unused, "asking": {}}[name], e.job(t, same).WarningCodes, "a person is asked about the column instead")
		})
	}
}

// TestDecisionAppliesToOneImport: mapping the shoe size to a gender, and a veteran to a junior,
// applies to this file only. The next import asks again.
func TestDecisionAppliesToOneImport(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	ask := func() (j *job.Job, shoes job.MappedColumn, values map[string]job.MappedCell) {
		ref := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
		_, err := e.analyze.Run(t.Context(), ref)
		require.NoError(t, err)
		j, columns, err := e.review().Columns(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, job.ColumnMapping, j.Status)
		_, _, err = e.review().DecideColumns(t.Context(), ref, "", []review.ColumnDecision{{ID: columns[4].ID, TargetField: "PHONE"}})
		require.NoError(t, err)
		return j, columns[4], e.runUntilValues(t, ref, "CELL_MAPPING")
	}
	j, shoes, values := ask()
	require.Equal(t, job.Unresolved, shoes.Status)
	first := job.Ref{JobID: j.ID, OrganisationID: 1}
	e.decideValues(t, first, review.CellDecision{ID: values["MEMBERSHIP_TYPE_ID Veteran"].ID, TargetEntityID: new(int64(2))}, review.CellDecision{ID: values["MEMBERSHIP_TYPE_ID VETERAN"].ID, TargetEntityID: new(int64(2))})
	j, shoes, values = ask()
	require.Equal(t, job.Unresolved, shoes.Status)
	require.Equal(t, job.Unresolved, values["MEMBERSHIP_TYPE_ID Veteran"].Status)
	require.Empty(t, j.WarningCodes)
}

// TestOutdatedProfileAsks: the import has a warning, and a person is asked.
func TestOutdatedProfileAsks(t *testing.T) {
	t.Parallel()
	for name, how := range profileWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 10)
			e.createProfile(t, profile.Draft{Name: "Club", FromImport: e.importWithDecisions(t).JobID})
			e.Exec(t, `UPDATE membership_types SET id = 7 WHERE id = 1`)
			again := e.create(t, "MEMBERSHIP", "members.csv", members, how)
			e.useProfile(t, again, "Club")
			_, err := e.analyze.Run(t.Context(), again)
			require.NoError(t, err)
			next, err := e.resolve.Run(t.Context(), again)
			require.NoError(t, err)
			warning := `PROFILE_MISFIT: value "Veteran" of MEMBERSHIP_TYPE_ID: target 1 no longer exists (version 1 of profile "Club")`
			require.Contains(t, e.job(t, again).WarningCodes, warning)
			if name == "asking" {
				require.Equal(t, "CELL_MAPPING", next.Next)
				return
			}
			require.NoError(t, e.split.Run(t.Context(), again))
			e.drain(t, false)
			require.Equal(t, []string{"2 CREATED", "3 ERROR MEMBERSHIP_TYPE_ID CELL_UNRESOLVED", "4 ERROR MEMBERSHIP_TYPE_ID CELL_UNRESOLVED"}, e.results(t, again))
		})
	}
}

// TestProfileWithRemovedField uses a field that does not exist in this version of the type.
func TestProfileWithRemovedField(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	e.createProfile(t, profile.Draft{Name: "Club", FromImport: e.importWithDecisions(t).JobID})
	e.Exec(t, `ALTER TABLE import_profile_versions NO FORCE ROW LEVEL SECURITY`)
	e.Exec(t, `UPDATE import_profile_versions SET mapping = replace(mapping::text, '"EMAIL"', '"MAIL"')::jsonb`)
	e.Exec(t, `ALTER TABLE import_profile_versions FORCE ROW LEVEL SECURITY`)
	again := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	e.useProfile(t, again, "Club")
	next, err := e.analyze.Run(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, analyze.NextColumns, next.Next)
	require.Contains(t, e.job(t, again).WarningCodes, `PROFILE_MISFIT: field "MAIL" no longer exists (version 1 of profile "Club")`)
}

// TestProfileOfEarlierTypeAsks uses a constant and a unit that were valid before the type changed.
func TestProfileOfEarlierTypeAsks(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	e.createProfile(t, profile.Draft{
		ImportType: "MEMBERSHIP", Name: "Club", Headers: []string{"First name"},
		Mapping: []byte(`{"fields":[{"field":"BIRTH_DATE","constant":"1990-01-31"},{"field":"FIRST_NAME","from":["First name"]}]}`),
	})
	e.Exec(t, `ALTER TABLE import_profile_versions NO FORCE ROW LEVEL SECURITY`)
	e.Exec(t, `UPDATE import_profile_versions SET mapping = replace(mapping::text, '1990-01-31', 'in spring')::jsonb`)
	e.Exec(t, `ALTER TABLE import_profile_versions FORCE ROW LEVEL SECURITY`)
	again := e.create(t, "MEMBERSHIP", "members.csv", members, asking)
	e.useProfile(t, again, "Club")
	next, err := e.analyze.Run(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, analyze.NextColumns, next.Next, "a person decides")
	require.Contains(t, strings.Join(e.job(t, again).WarningCodes, "\n"), `PROFILE_MISFIT: field "BIRTH_DATE": `)
}

// TestProfileSetsReadingOptions: the headers in the second row are only found with the profile's
// options, whether it is selected by name or by its headers.
func TestProfileSetsReadingOptions(t *testing.T) {
	t.Parallel()
	const file = "a;b;c;d;e\n" + members
	draft := profile.Draft{
		ImportType: "MEMBERSHIP", Name: "Club", Auto: true, Headers: []string{"First name", "Last name", "Email", "Type", "Shoe size"},
		Mapping: []byte(`{"source":{"headerRow":2,"delimiter":";"},"ignore":["Shoe size"],"values":[{"field":"MEMBERSHIP_TYPE_ID","value":"veteran","to":"Junior"}]}`),
	}
	for _, named := range []bool{true, false} {
		t.Run(fmt.Sprint("named ", named), func(t *testing.T) {
			t.Parallel()
			e := setup(t, 10)
			e.createProfile(t, draft)
			other := draft
			other.Name, other.Mapping = "Other", []byte(`{"source":{"headerRow":3}}`)
			other.Headers = []string{"nothing"}
			e.createProfile(t, other)
			ref := e.create(t, "MEMBERSHIP", "members.csv", file, asking)
			if named {
				e.useProfile(t, ref, "Club")
			}
			e.runUnattended(t, ref)
			require.Equal(t, []string{"3 CREATED", "4 CREATED", "5 CREATED"}, e.results(t, ref))
			require.Equal(t, []string{"Anna 1", "Cleo 2", "Dora 2"}, e.memberships(t))
			require.JSONEq(t, `{"headerRow":2,"delimiter":";"}`, string(e.job(t, ref).Options))
			require.Equal(t, "Club", e.job(t, ref).Profile.Name)
		})
	}
}

// TestImportMappingOverridesProfile: a default of the import applies to unmatched values.
func TestImportMappingOverridesProfile(t *testing.T) {
	t.Parallel()
	for name, how := range profileWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 10)
			e.createProfile(t, profile.Draft{Name: "Club", ImportType: "MEMBERSHIP", Mapping: []byte(`{
				"fields": [{"field":"FIRST_NAME","from":["Last name"]},{"field":"LAST_NAME","from":["First name"]}], "ignore": ["Shoe size"],
				"values": [{"field":"MEMBERSHIP_TYPE_ID","value":"senior","to":"Junior"},{"field":"MEMBERSHIP_TYPE_ID","value":"Veteran","to":"Junior"}]}`)})
			ref := e.create(t, "MEMBERSHIP", "members.csv", members+"Eva;Falk;eva@x.org;Guest;41\nFinn;Gran;finn@x.org;Junior;44\n", how)
			e.useProfile(t, ref, "Club")
			e.saveMapping(t, ref, `{"fields": [{"field":"FIRST_NAME","from":["First name"]},{"field":"LAST_NAME","from":["Last name"]}],
				"values": [{"field":"MEMBERSHIP_TYPE_ID","value":"VETERAN","toId":"1"}], "defaults": [{"field":"MEMBERSHIP_TYPE_ID","then":"skip"}]}`)
			e.runUnattended(t, ref)
			require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED", "5 SKIPPED MEMBERSHIP_TYPE_ID CELL_UNRESOLVED", "6 CREATED"}, e.results(t, ref))
			require.Equal(t, []string{"Anna 2", "Cleo 1", "Dora 1", "Finn 2"}, e.memberships(t), "the profile maps senior to junior")
		})
	}
}

// TestInvalidMappingValueIsAsked: the import has a warning and asks about the value.
func TestInvalidMappingValueIsAsked(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	ref := e.create(t, "MEMBERSHIP", "members.csv", strings.ReplaceAll(members, ";Shoe size", ";Gender"), func(j *job.Job) {
		asking(j)
		j.Review = job.ReviewNever // shoe sizes are not genders, which would raise another question
	})
	e.saveMapping(t, ref, `{"values": [{"field":"MEMBERSHIP_TYPE_ID","value":"senior","to":"Elder"},{"field":"MEMBERSHIP_TYPE_ID","value":"veteran","toId":"99"},
		{"field":"GENDER","value":"40","to":"FEMALE"},{"field":"GENDER","value":"42","then":"empty"},{"field":"GENDER","value":"43","then":"skip"}]}`)
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	next, err := e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPING", next.Next)
	unfit := string(problem.MappingUnfit)
	require.Contains(t, e.job(t, ref).WarningCodes, unfit+`: value "senior" of MEMBERSHIP_TYPE_ID: target "Elder" does not exist`)
	require.Contains(t, e.job(t, ref).WarningCodes, unfit+`: value "Veteran" of MEMBERSHIP_TYPE_ID: target 99 no longer exists`)
	require.Equal(t, []string{
		"GENDER 40 MANUAL_MATCHED FEMALE", "GENDER 42 MANUAL_MATCHED empty", "GENDER 43 IGNORED", "MEMBERSHIP_TYPE_ID VETERAN UNRESOLVED",
		"MEMBERSHIP_TYPE_ID Veteran UNRESOLVED", "MEMBERSHIP_TYPE_ID senior UNRESOLVED",
	}, e.texts(t, ref, `
		SELECT array_agg(concat_ws(' ', target_field, source_value, status, target_value, CASE WHEN leave_empty THEN 'empty' END) ORDER BY target_field, source_value COLLATE "C")
		FROM import_cell_mappings WHERE job_id = $1`))
}

func TestErrorWorkbookColumnsAreIgnored(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	ref := e.create(t, "USER", "users.csv", job.RowHeader+","+job.ErrorHeader+",Email,Name\n7,wrong,a@x.org,A\n", func(j *job.Job) { j.AutoStart = false })
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, analyze.NextResolve, next.Next, "no column needs a decision")

	// Its profile is that of the file from which its rows are retried.
	e.createProfile(t, profile.Draft{Name: "Users", Auto: true, ImportType: "USER", Headers: []string{"email", "name"}, Mapping: []byte(`{}`)})
	ref = e.create(t, "USER", "users.csv", job.RowHeader+","+job.ErrorHeader+",Email,Name\n7,wrong,a@x.org,A\n", nil)
	_, err = e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "Users", e.job(t, ref).Profile.Name)
}
