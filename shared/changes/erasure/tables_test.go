package erasure_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// looksPersonal matches names of fields that may be about a person.
var looksPersonal = regexp.MustCompile(`NAME|MAIL|PHONE|MOBILE|ADDRESS|BIRTH|BORN|GENDER|SEX|NATIONAL|COUNTRY|CITY|PINCODE|POSTAL|CONTACT|INSTRUCTION|NOTE|REMARK|PASSPORT|IDENTITY|NUMBER|PERSON|USER|CLIENT|AUTHOR|PARTICIPANT|CUSTOM`)

// unmarked lists the fields that look personal and are not marked, with the reason. Orders, users and
// their texts belong to no person in the table persons: see "Erasing a person" in docs/undo.md.
var unmarked = map[string]string{
	"USER.NAME":                             "an account belongs to no person",
	"USER.EMAIL":                            "an account belongs to no person",
	"ARTICLE.AUTHOR_ID":                     "the id of an account",
	"COMMENT.USER_ID":                       "the id of an account",
	"ORDER.CLIENT_ID":                       "the number of a company",
	"ORDER.CLIENT_REFERENCE":                "the reference of a company",
	"ORDER.SENDER_NAME":                     "an order belongs to no person",
	"ORDER.SENDER_ADDRESS":                  "an order belongs to no person",
	"ORDER.SENDER_CONTACT":                  "an order belongs to no person",
	"ORDER.RECEIVER_NAME":                   "an order belongs to no person",
	"ORDER.RECEIVER_ADDRESS":                "an order belongs to no person",
	"ORDER.RECEIVER_CITY":                   "an order belongs to no person",
	"ORDER.RECEIVER_PINCODE":                "an order belongs to no person",
	"ORDER.SPECIAL_INSTRUCTIONS":            "an order belongs to no person",
	"EVENT_PARTICIPANT.CUSTOM_LIST_1":       "the texts of a list are shared; unused ones are deleted",
	"EVENT_PARTICIPANT.CUSTOM_LIST_2":       "the texts of a list are shared; unused ones are deleted",
	"EVENT_PARTICIPANT.CUSTOM_LIST_3":       "the texts of a list are shared; unused ones are deleted",
	"EVENT_PARTICIPANT.EVENT_CATEGORY_NAME": "the name of a category",
	"RESULT.EVENT_CATEGORY_NAME":            "the name of a category",
	"PERIOD.NAME":                           "the name of a period",
	"EVENT.NAME":                            "the name of an event",
	"EVENT_CATEGORY.NAME":                   "the name of a category",
	"RESULT.PARTICIPANT_ID":                 "an id of Loadbay, which is deleted with the result",
}

func TestPersonalFieldsAreMarked(t *testing.T) {
	t.Parallel()
	used := make(map[string]bool)
	for _, of := range catalog.New().Types() {
		d := of.Declaration()
		for i := range d.Fields {
			f, name := &d.Fields[i], d.Name+"."+d.Fields[i].Name
			if f.Personal || !looksPersonal.MatchString(f.Name) {
				continue
			}
			used[name] = true
			if unmarked[name] == "" {
				t.Errorf("%s looks personal: set Personal, or add it to the exceptions with the reason", name)
			}
		}
	}
	for name := range unmarked {
		require.True(t, used[name], "%s is no exception any more", name)
	}
}

// Each table with a path of foreign keys to persons is one that an erasure empties.
func TestTablesReferringToPersonsAreOwned(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	tables, err := erasure.TablesOf(catalog.New().Types())
	require.NoError(t, err)
	var owned []string
	for _, o := range tables.Owned {
		owned = append(owned, o.Name)
	}
	slices.Sort(owned)
	require.Equal(t, owned, postgrestest.Query[[]string](t, d, `
		WITH RECURSIVE owned AS (
			SELECT 'persons'::regclass::oid AS id
			UNION
			SELECT conrelid FROM pg_constraint JOIN owned ON confrelid = owned.id WHERE contype = 'f'
		)
		SELECT array_agg(id::regclass::text ORDER BY id::regclass::text) FROM owned`))
	for _, o := range tables.Owned {
		for _, c := range o.Values {
			require.True(t, postgrestest.Query[bool](t, d, `SELECT EXISTS (SELECT FROM information_schema.columns WHERE table_name = $1 AND column_name = $2)`, o.Name, c.Name), "%s.%s", o.Name, c.Name)
		}
	}
}

// badge is a type of the tests, with a table of its own. Its nickname is a personal field.
type badge struct {
	entity.Table
	declaration entity.Declaration
}

func (b *badge) Declaration() *entity.Declaration { return &b.declaration }

func badgeType(change func(*entity.Declaration)) *badge {
	b := &badge{declaration: entity.Declaration{
		Name: "BADGE", Resource: "badges", Title: "Badges", Modes: []rowwrite.Mode{rowwrite.Upsert},
		Export: &entity.Export{Table: "badges", Key: "id"},
		Owner:  &entity.Owner{Column: "person_id", Table: entity.PersonTable},
		Fields: []entity.Field{
			{Name: "NICKNAME", Column: "nickname", Title: "Nickname", Kind: entity.Text, Personal: true},
			{Name: "NAMES", Column: "names", Title: "Names", Kind: entity.TextList, Personal: true},
			{Name: "COLOUR", Column: "colour", Title: "Colour", Kind: entity.Enum, Enum: []string{"RED", "BLUE"}, Personal: true},
		},
	}}
	if change != nil {
		change(&b.declaration)
	}
	return b
}

func TestInvalidPersonalDeclarationsAreRejected(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*entity.Declaration){
		"belongs to no person": func(d *entity.Declaration) { d.Owner = nil },
		"has no column":        func(d *entity.Declaration) { d.Fields[0].Expr = "x.nickname" },
		"no table":             func(d *entity.Declaration) { d.Export = nil },
		"do not lead to":       func(d *entity.Declaration) { d.Owner.Table = "events" },
	} {
		_, err := erasure.TablesOf([]entity.Type{badgeType(change)})
		require.ErrorContains(t, err, want)
	}
}

const (
	nickname, otherNickname = `Zorblax "Z" Nine`, "Zorblax of Old"
	listed                  = "Zorblina, the second"
)

// A personal field of a new type is erased wherever imports store its values; without the mark its
// values stay.
func TestNewPersonalFieldIsErased(t *testing.T) {
	t.Parallel()
	for _, marked := range []bool{true, false} {
		t.Run(fmt.Sprintf("marked %v", marked), func(t *testing.T) {
			t.Parallel()
			w := setup(t, 2)
			w.Exec(t, `CREATE TABLE badges (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, organisation_id bigint NOT NULL, person_id bigint NOT NULL, FOREIGN KEY (organisation_id, person_id) REFERENCES persons (organisation_id, id),
				nickname text, names text[], colour text, source_job bigint, source_row bigint)`)
			w.Exec(t, `CALL isolate_tenants('badges')`)
			w.Exec(t, `INSERT INTO badges (organisation_id, person_id, nickname, names, colour) VALUES (1, $1::text::bigint, $2, ARRAY[$3], 'RED')`, w.person, nickname, listed)
			w.storeEverywhere(t, nickname, otherNickname, listed)
			kind := badgeType(func(d *entity.Declaration) {
				for i := range d.Fields {
					d.Fields[i].Personal = marked
				}
			})
			var logs bytes.Buffer
			service, err := erasure.New(w.DB, append(catalog.New().Types(), kind), telemetry.NewLogger(&logs, slog.LevelDebug))
			require.NoError(t, err)
			r, err := service.ErasePerson(t.Context(), "op", 1, w.person, 1<<40)
			require.NoError(t, err)
			require.True(t, r.Complete)
			if !marked {
				require.NotEmpty(t, w.placesOf(t, "zorbl"))
				return
			}
			require.Empty(t, w.placesOf(t, "zorbl"))
			require.Contains(t, w.allValues(t), "ann1@example.org")
			require.NotEmpty(t, w.placesOf(t, "RED"), "a colour that everybody may have is not searched for")
			require.NotContains(t, strings.ToLower(logs.String()), "zorbl")
		})
	}
}

// A person whose name is also that of an operation or a part of a field's name leaves mappings valid.
func TestErasureKeepsNamesOfFields(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.JSONEq(t, `{"fields": [{"field": "LAST_NAME", "from": ["Erased."], "transforms": [{"op": "map", "values": {"Erased.": "x", "b": "Erased."}}]}]}`,
		postgrestest.Query[string](t, d, `SELECT without_values('{"fields": [{"field": "LAST_NAME", "from": ["At last"], "transforms": [{"op": "map", "values": {"Last": "x", "b": "LAST"}}]}]}',
			'{last,map}', '{%last%}')::text`))
}

// storeEverywhere stores the values of the badge where imports leave them: in rows of others, in
// decisions, in a profile, in change sets, in a plan and in the notes of an undo.
func (w *fixture) storeEverywhere(t *testing.T, now, before, list string) {
	t.Helper()
	badge := postgrestest.Query[string](t, w.Database, `SELECT id::text FROM badges`)
	w.addPart(t, 0, 0, updated("badges", badge, "nickname", before, now),
		updated("badges", badge, "names", `{"`+before+`"}`, `{"`+list+`"}`))
	w.addPart(t, 0, 1, otherPersonsPart(1))
	w.inOrganisation(t, func(tx pgx.Tx) error {
		return w.DB.AddPlannedChanges(t.Context(), tx, w.jobs[1], 0, []changeset.Change{updated("badges", badge, "nickname", now, "Zorblax to be")})
	})
	spaced := strings.ReplaceAll(before, " ", "\u00a0")
	for row, text := range map[int]string{40: now, 41: before, 42: list, 43: spaced, 44: "RED"} {
		w.Exec(t, `INSERT INTO import_row_results (job_id, row_number, organisation_id, outcome, faults)
			VALUES ($1, $2, 1, 'E', jsonb_build_array(jsonb_build_object('field', 'X', 'code', 'CELL_X', 'value', $3::text, 'message', 'Not: ' || $3)))`, w.jobs[0].Key, row, text)
		w.Exec(t, `INSERT INTO import_row_corrections (job_id, organisation_id, row_number, field, value) VALUES ($1, 1, $2, 'X', to_jsonb($3::text))`, w.jobs[0].Key, row, text)
		w.Exec(t, `INSERT INTO import_cell_mappings (job_id, organisation_id, target_field, source_value, status) VALUES ($1, 1, 'F', $2, 'IGNORED')`, w.jobs[0].Key, text)
	}
	document := `jsonb_build_object('fields', jsonb_build_array(jsonb_build_object('field', 'NICKNAME', 'transforms',
			jsonb_build_array(jsonb_build_object('op', 'map', 'values', jsonb_build_object($2::text, 'Pet')), jsonb_build_object('op', 'trim')))),
		'values', jsonb_build_array(jsonb_build_object('field', 'COLOUR', 'value', $3::text, 'to', 'RED')))`
	w.Exec(t, `INSERT INTO import_given_mappings (job_id, organisation_id, document) VALUES ($1, 1, `+document+`)`, w.jobs[0].Key, now, before)
	w.Exec(t, `INSERT INTO import_column_mappings (job_id, organisation_id, column_index, source_header, status, samples, transforms)
		VALUES ($1, 1, 0, $2, 'IGNORED', ARRAY[$3], `+document+` #> '{fields,0,transforms}')`, w.jobs[0].Key, now, before)
	const profile = `00000000-0000-4000-8000-000000000009`
	w.Exec(t, `INSERT INTO import_profiles (id, organisation_id, import_type, name, version) VALUES ($1, 1, 'BADGE', $2, 1)`, profile, "Of "+spaced)
	w.Exec(t, `INSERT INTO import_profile_versions (profile_id, organisation_id, version, name, auto, headers, mapping) VALUES ($1, 1, 1, $2, false, ARRAY[$3], `+document+`)`, profile, now, before)
	w.Exec(t, `INSERT INTO kept_changes (organisation_id, job_id, entity_table, entity_id, column_name, given) VALUES (1, $1, 'badges', $2, 'nickname', $3)`, w.jobs[0].Key, badge, before)
	w.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', completed_at = now(), label = $1, original_filename = $2`, spaced, now+".csv")
}

// placesOf returns the tables with rows that contain a text, and the change sets.
func (w *fixture) placesOf(t *testing.T, text string) (places []string) {
	t.Helper()
	for _, table := range postgrestest.Query[[]string](t, w.Database, `
		SELECT array_agg(oid::regclass::text ORDER BY oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = ANY ('{loadbay,sample}'::regnamespace[])`) {
		if found := postgrestest.Query[[]string](t, w.Database, `SELECT coalesce(array_agg(t::text), '{}') FROM `+table+` AS t WHERE strpos(lower(t::text), lower($1)) > 0`, text); len(found) > 0 {
			places = append(places, fmt.Sprint(table, found))
		}
	}
	if strings.Contains(strings.ToLower(w.allValues(t)), strings.ToLower(text)) {
		places = append(places, "change sets")
	}
	return places
}
