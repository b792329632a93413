package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// Profiles are selected with their current versions, without the mappings in lists.
const (
	selectProfiles = `SELECT ` + profileColumns + versionColumns + `, v.mapping ` + profileTables
	listProfiles   = `SELECT ` + profileColumns + versionColumns + `, NULL::jsonb ` + profileTables

	profileColumns = `p.id::text, p.organisation_id, p.import_type, p.created_at, p.notify, `
	versionColumns = `v.version, v.name, v.auto, v.headers, coalesce(v.saved_from::text, ''), v.saved_by, v.created_at, v.import_options`
	profileTables  = `
		FROM import_profiles AS p
		JOIN import_profile_versions AS v ON v.profile_id = p.id AND v.version = p.version `
)

func versionTargets(v *profile.Version) []any {
	return []any{&v.Number, &v.Name, &v.Auto, &v.Headers, &v.SavedFrom, &v.SavedBy, &v.SavedAt, &v.StoredOptions, &v.Mapping}
}

func scanProfile(row pgx.CollectableRow) (p profile.Profile, err error) {
	err = row.Scan(append([]any{&p.ID, &p.OrganisationID, &p.ImportType, &p.CreatedAt, &p.Notify}, versionTargets(&p.Version)...)...)
	return p, err
}

func scanVersion(row pgx.CollectableRow) (v profile.Version, err error) {
	err = row.Scan(versionTargets(&v)...)
	return v, err
}

// ProfileFilter narrows a list of profiles; zero values match all.
type ProfileFilter struct {
	ImportType string
	Name       string // prefix of the name, ignoring case
	Page       job.Page
}

func profileOrder() listOrder {
	return listOrder{textKey("p.import_type", `$%[1]d`), textKey("lower(p.name)", `lower($%[1]d)`), uuidKey("p.id")}
}

// ProfileCursor returns the keys of a profile in the list.
func ProfileCursor(p *profile.Profile) []string { return []string{p.ImportType, p.Name, string(p.ID)} }

// Profiles lists profiles by type and name, without their mappings, and their total number.
func (*DB) Profiles(ctx context.Context, tx pgx.Tx, f ProfileFilter) ([]profile.Profile, int64, error) {
	c := &conditions{}
	if f.ImportType != "" {
		c.add(`p.import_type = $%d`, f.ImportType)
	}
	if f.Name != "" {
		c.add(`starts_with(lower(p.name), lower($%d))`, f.Name)
	}
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM import_profiles AS p `+c.where(), c.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count profiles: %w", err)
	}
	if err := c.addAfter(profileOrder(), f.Page.After); err != nil {
		return nil, 0, err
	}
	sql := listProfiles + c.where() + profileOrder().clause() + c.page(f.Page)
	found, err := collectProfiles(ctx, tx, sql, c.args...)
	return found, total, err
}

// AutoProfiles returns the profiles of a type that are applied to matching files
// automatically, the oldest first.
func (*DB) AutoProfiles(ctx context.Context, tx pgx.Tx, importType string) ([]profile.AutoProfile, error) {
	rows, err := tx.Query(ctx, `
		SELECT p.id::text, p.name, p.version, p.fingerprint, v.mapping -> 'source'
		FROM import_profiles AS p
		JOIN import_profile_versions AS v ON v.profile_id = p.id AND v.version = p.version
		WHERE p.import_type = $1 AND p.auto
		ORDER BY p.created_at, p.id`, importType)
	if err != nil {
		return nil, fmt.Errorf("load automatic profiles: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[profile.AutoProfile])
	if err != nil {
		return nil, fmt.Errorf("load automatic profiles: %w", err)
	}
	return found, nil
}

// KnownProfiles returns the profiles of a type with known headers.
func (*DB) KnownProfiles(ctx context.Context, tx pgx.Tx, importType string) ([]profile.ProfileHeaders, error) {
	rows, err := tx.Query(ctx, `
		SELECT p.id::text, p.name, v.headers
		FROM import_profiles AS p
		JOIN import_profile_versions AS v ON v.profile_id = p.id AND v.version = p.version
		WHERE p.import_type = $1 AND v.headers <> '{}'`, importType)
	if err != nil {
		return nil, fmt.Errorf("load profiles with headers: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[profile.ProfileHeaders])
	if err != nil {
		return nil, fmt.Errorf("load profiles with headers: %w", err)
	}
	return found, nil
}

func collectProfiles(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]profile.Profile, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("find profiles: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanProfile)
	if err != nil {
		return nil, fmt.Errorf("find profiles: %w", err)
	}
	return found, nil
}

// CountProfiles returns the number of profiles of a type.
func (*DB) CountProfiles(ctx context.Context, tx pgx.Tx, importType string) (n int64, err error) {
	if err = tx.QueryRow(ctx, `SELECT count(*) FROM import_profiles WHERE import_type = $1`, importType).Scan(&n); err != nil {
		return 0, fmt.Errorf("count profiles: %w", err)
	}
	return n, nil
}

// Profile returns the profile of that id, or NOT_FOUND.
func (db *DB) Profile(ctx context.Context, tx pgx.Tx, id job.ProfileID) (*profile.Profile, error) {
	return oneProfile(ctx, tx, selectProfiles+`WHERE p.id = $1`, id)
}

// LockProfile is Profile, and locks the profile until the transaction ends: it cannot be
// changed, and no import that uses it can be created.
func (db *DB) LockProfile(ctx context.Context, tx pgx.Tx, id job.ProfileID) (*profile.Profile, error) {
	if _, err := tx.Exec(ctx, `SELECT FROM import_profiles WHERE id = $1 FOR UPDATE`, id); err != nil {
		return nil, fmt.Errorf("lock profile %s: %w", id, err)
	}
	return db.Profile(ctx, tx, id)
}

// ProfileNamed returns the profile with that name, ignoring case, or NOT_FOUND.
func (*DB) ProfileNamed(ctx context.Context, tx pgx.Tx, importType, name string) (*profile.Profile, error) {
	return oneProfile(ctx, tx, selectProfiles+`WHERE p.import_type = $1 AND lower(p.name) = lower($2)`, importType, name)
}

func oneProfile(ctx context.Context, tx pgx.Tx, sql string, args ...any) (*profile.Profile, error) {
	found, err := collectProfiles(ctx, tx, sql, args...)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, problem.New(problem.NotFound, "Profile not found.")
	}
	return &found[0], nil
}

// ProfileVersion returns a version of a profile, or NOT_FOUND.
func (*DB) ProfileVersion(ctx context.Context, tx pgx.Tx, id job.ProfileID, number int) (*profile.Version, error) {
	rows, err := tx.Query(ctx, `SELECT `+versionColumns+`, v.mapping FROM import_profile_versions AS v WHERE v.profile_id = $1 AND v.version = $2`, id, number)
	if err != nil {
		return nil, fmt.Errorf("load version %d of profile %s: %w", number, id, err)
	}
	v, err := pgx.CollectExactlyOneRow(rows, scanVersion)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, problem.New(problem.NotFound, "The profile does not have this version, or it was deleted.")
	case err != nil:
		return nil, fmt.Errorf("load version %d of profile %s: %w", number, id, err)
	}
	return &v, nil
}

// ProfileVersions lists the versions of a profile, the newest first and without their
// mappings, and their total number.
func (*DB) ProfileVersions(ctx context.Context, tx pgx.Tx, id job.ProfileID, p job.Page) ([]profile.Version, int64, error) {
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM import_profile_versions WHERE profile_id = $1`, id).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count versions of profile %s: %w", id, err)
	}
	c, order := &conditions{}, listOrder{intKey("v.version").desc()}
	c.add(`v.profile_id = $%d`, id)
	if err := c.addAfter(order, p.After); err != nil {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, `SELECT `+versionColumns+`, NULL::jsonb FROM import_profile_versions AS v `+c.where()+order.clause()+c.page(p), c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("load versions of profile %s: %w", id, err)
	}
	found, err := pgx.CollectRows(rows, scanVersion)
	if err != nil {
		return nil, 0, fmt.Errorf("load versions of profile %s: %w", id, err)
	}
	return found, total, nil
}

// ProfileVersionCursor returns the keys of a version in the list.
func ProfileVersionCursor(v *profile.Version) []string { return []string{intCursor(v.Number)} }

// CreateProfile adds a profile with its first version. ENTITY_EXISTS if another one of the
// type has its name, or applies to the same files automatically.
func (db *DB) CreateProfile(ctx context.Context, tx pgx.Tx, p *profile.Profile, fingerprint string) (*profile.Profile, error) {
	_, err := tx.Exec(ctx, `
		INSERT INTO import_profiles (id, organisation_id, import_type, name, auto, fingerprint, version, notify)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, p.ID, p.OrganisationID, p.ImportType, p.Name, p.Auto, fingerprint, p.Number, orEmpty(p.Notify))
	if err != nil {
		return nil, profileTakenError(err)
	}
	return db.saveVersion(ctx, tx, p)
}

// AddProfileVersion makes p the current version of the profile, with the same errors as
// CreateProfile. Of the versions before the last keep ones, it deletes those that no open
// import uses.
func (db *DB) AddProfileVersion(ctx context.Context, tx pgx.Tx, p *profile.Profile, fingerprint string, keep int) (*profile.Profile, error) {
	_, err := tx.Exec(ctx, `
		UPDATE import_profiles
		SET name = $2, auto = $3, fingerprint = $4, version = $5, notify = $6, updated_at = now()
		WHERE id = $1`, p.ID, p.Name, p.Auto, fingerprint, p.Number, orEmpty(p.Notify))
	if err != nil {
		return nil, profileTakenError(err)
	}
	_, err = tx.Exec(ctx, `
		DELETE FROM import_profile_versions AS v
		WHERE v.profile_id = $1 AND v.version <= $2
		  AND NOT EXISTS (
			SELECT FROM import_jobs AS j
			WHERE j.profile_id = v.profile_id AND j.profile_version = v.version AND j.completed_at IS NULL)`, p.ID, p.Number-keep)
	if err != nil {
		return nil, fmt.Errorf("delete old versions of profile %s: %w", p.ID, err)
	}
	return db.saveVersion(ctx, tx, p)
}

func (db *DB) saveVersion(ctx context.Context, tx pgx.Tx, p *profile.Profile) (*profile.Profile, error) {
	_, err := tx.Exec(ctx, `
		INSERT INTO import_profile_versions (profile_id, organisation_id, version, name, auto, headers, mapping, saved_from, saved_by, import_options)
		VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, '')::uuid, $9, jsonb_strip_nulls($10::jsonb))`,
		p.ID, p.OrganisationID, p.Number, p.Name, p.Auto, orEmpty(p.Headers), pgtext.SanitizeJSON(p.Mapping), string(p.SavedFrom), p.SavedBy, p.StoredOptions)
	if err != nil {
		return nil, fmt.Errorf("save version %d of profile %s: %w", p.Number, p.ID, err)
	}
	return db.Profile(ctx, tx, p.ID)
}

// profileTakenError reports which other profile conflicts.
func profileTakenError(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return fmt.Errorf("save profile: %w", err)
	}
	switch pg.ConstraintName {
	case "import_profiles_name":
		return problem.New(problem.EntityExists, "Another profile with this name already exists.").
			With("name", problem.EntityExists, "A name that is unique among the profiles of the type; case is ignored.")
	case "import_profiles_auto":
		return problem.New(problem.EntityExists, "Another profile of the type already applies automatically to files with these headers.").
			With("auto", problem.EntityExists, "Only one profile with the same headers can apply automatically.")
	}
	return fmt.Errorf("save profile: %w", err)
}

// DeleteProfile deletes a profile that the transaction has locked, with its versions.
// Imports retain its name.
func (*DB) DeleteProfile(ctx context.Context, tx pgx.Tx, id job.ProfileID) error {
	if _, err := tx.Exec(ctx, `UPDATE import_jobs SET profile_id = NULL WHERE profile_id = $1`, id); err != nil {
		return fmt.Errorf("delete profile %s: %w", id, err)
	}
	if _, err := tx.Exec(ctx, `DELETE FROM import_profiles WHERE id = $1`, id); err != nil {
		return fmt.Errorf("delete profile %s: %w", id, err)
	}
	return nil
}

// OpenImportsOf returns the number of open imports that use a profile.
func (*DB) OpenImportsOf(ctx context.Context, tx pgx.Tx, id job.ProfileID) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT count(*) FROM import_jobs WHERE profile_id = $1 AND completed_at IS NULL`, id).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("load imports of profile %s: %w", id, err)
	}
	return n, nil
}

// UseProfile sets the profile of a job and the resulting options of its file, and adds the
// profile's options that the job does not state. A job that already has a profile keeps it.
// PROFILE_UNKNOWN if the profile has been deleted; otherwise it cannot be deleted before the
// transaction ends.
func (*DB) UseProfile(ctx context.Context, tx pgx.Tx, key job.Key, p *job.UsedProfile, options json.RawMessage) error {
	held, err := anyAffected(tx.Exec(ctx, `SELECT FROM import_profiles WHERE id = $1 FOR KEY SHARE`, p.ID))
	if err != nil {
		return fmt.Errorf("lock profile %s: %w", p.ID, err)
	}
	if !held {
		return profile.NotFoundError(p.Name)
	}
	_, err = tx.Exec(ctx, `
		UPDATE import_jobs
		SET profile_id = $2, profile_name = $3, profile_version = $4, profile_choice = $5, options = $6,
		    import_options = coalesce((
				SELECT v.import_options
				FROM import_profile_versions AS v
				WHERE v.organisation_id = import_jobs.organisation_id AND v.profile_id = $2 AND v.version = $4), '{}') || import_options
		WHERE id = $1 AND status = 'UPLOADED' AND profile_name IS NULL`, key, p.ID, p.Name, p.Version, p.Choice, jsonOrDefault(options, "{}"))
	if err != nil {
		return fmt.Errorf("save profile of job %d: %s: %w", key, p.ID, err)
	}
	return nil
}
