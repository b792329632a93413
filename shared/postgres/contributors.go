package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/apikey"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxContributors is the maximum number of people who can determine what a job writes, besides
// its uploader. import_jobs checks it too.
const maxContributors = 200

// AddContributor records that a person determined what a job writes: its columns, values,
// reading options, corrections or bytes. "" is unknown and not recorded. It also updates the
// job's last activity, which restarts the retention of waiting jobs.
func (*DB) AddContributor(ctx context.Context, tx pgx.Tx, key job.Key, by string) error {
	tag, err := tx.Exec(ctx, `
		UPDATE import_jobs
		SET updated_at = CASE WHEN completed_at IS NULL THEN now() ELSE updated_at END,
			contributors = CASE WHEN $2 IN ('', uploader) OR $2 = ANY (contributors) THEN contributors ELSE contributors || $2 END
		WHERE id = $1 AND ($2 IN ('', uploader) OR $2 = ANY (contributors) OR cardinality(contributors) < $3)`, key, by, maxContributors)
	switch {
	case err != nil:
		return fmt.Errorf("add contributor of job %d: %w", key, err)
	case tag.RowsAffected() == 0:
		return problem.New(problem.StateConflict, "%d people have already worked on this import, which is the limit. Import the file again.", maxContributors)
	}
	return nil
}

// HasContributed reports whether a person determined what a job writes. It alone decides who is
// somebody else when a plan must be approved by another person: neither the uploader, nor
// those recorded by AddContributor, nor who saved the version of the profile that the job uses.
// A retry of rows writes what people determined for the original job, too. What an API key has done
// was possible for everybody who has seen the key: who created or rotated it.
func (*DB) HasContributed(ctx context.Context, tx pgx.Tx, key job.Key, by string) (bool, error) {
	rows, err := tx.Query(ctx, `
		WITH known AS (
			SELECT j.organisation_id, unnest(j.contributors || array_remove(ARRAY[j.uploader, j.columns_said_by, v.saved_by], NULL)) AS name
			FROM import_jobs AS this
			JOIN import_jobs AS j ON j.id = this.id OR this.rerun AND j.uuid = this.retry_of
			LEFT JOIN import_profile_versions AS v ON v.profile_id = j.profile_id AND v.version = j.profile_version
			WHERE this.id = $1
		)
		SELECT name FROM known
		UNION
		SELECT unnest(k.rotated_by || k.created_by)
		FROM known
		JOIN api_keys AS k ON k.organisation_id = known.organisation_id AND $2 || k.name = known.name`, key, apikey.SubjectPrefix)
	if err != nil {
		return false, fmt.Errorf("load contributors of job %d: %w", key, err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return false, fmt.Errorf("load contributors of job %d: %w", key, err)
	}
	return slices.Contains(names, by), nil
}
