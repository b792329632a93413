package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// JobFilter narrows and sorts a list of jobs; zero values match all.
type JobFilter struct {
	Statuses   []job.Status
	Errors     *bool // only those with failed rows, or only those without
	Waiting    *bool // only those that wait for a person, or only those that do not
	ImportType string
	Filename   string // part of the name, ignoring case
	SHA256     string // of the file, in lower case
	Uploader   string
	Label      string
	Profile    job.ProfileID // profile that they use
	// ProfileName is the current name of the profile or, if it was deleted, its name when it was
	// used, ignoring case.
	ProfileName string
	Created     Period
	Sort        JobSort
	job.Page
}

// JobSort is the order of a list of jobs; the zero value is the newest first. Jobs that
// compare equal are ordered newest first.
type JobSort struct {
	By         string // see CanSortJobs
	Descending bool
}

// sortColumns returns the columns by which jobs can be sorted. Those without an index are
// sorted each time, which takes some milliseconds for an organisation's jobs.
func sortColumns() map[string]string {
	return map[string]string{
		"createdAt": "id", // ids are assigned in the order of creation
		"updatedAt": "updated_at", "filename": "lower(original_filename)", "label": "lower(label)", "status": "status",
	}
}

// CanSortJobs reports whether jobs can be sorted by that member.
func CanSortJobs(by string) bool { return sortColumns()[by] != "" }

// order returns the keys by which the list is sorted.
func (s JobSort) order() listOrder {
	id := createdKey("import_jobs", s.Descending || s.By != "createdAt")
	column, known := sortColumns()[s.By]
	if !known || column == "id" {
		return listOrder{id}
	}
	key := timeKey(column)
	if s.By != "updatedAt" {
		key = textKey(column, map[bool]string{true: `lower($%[1]d)`, false: `$%[1]d`}[strings.HasPrefix(column, "lower(")])
	}
	key.descending = s.Descending
	return listOrder{key, id}
}

// Cursor returns the keys of an entry of the list.
func (s JobSort) Cursor(j *job.Job) []string {
	id := createdCursor(j.ID, j.CreatedAt)
	switch s.By {
	case "updatedAt":
		return append([]string{timeCursor(j.UpdatedAt)}, id...)
	case "filename":
		return append([]string{j.Filename}, id...)
	case "label":
		return append([]string{j.Label}, id...)
	case "status":
		return append([]string{string(j.Status)}, id...)
	}
	return id
}

func (f *JobFilter) conditions() *conditions {
	c := &conditions{}
	if len(f.Statuses) > 0 {
		c.add(`status = ANY ($%d)`, statusTexts(f.Statuses))
	}
	if f.ImportType != "" {
		c.add(`import_type = $%d`, f.ImportType)
	}
	if f.Filename != "" {
		c.add(`strpos(lower(original_filename), lower($%d)) > 0`, f.Filename)
	}
	if f.SHA256 != "" {
		c.add(`sha256 <> '' AND sha256 = $%d`, f.SHA256)
	}
	if f.Uploader != "" {
		c.add(`uploader = $%d`, f.Uploader)
	}
	if f.Label != "" {
		c.add(`label <> '' AND label = $%d`, f.Label)
	}
	if f.Profile != "" {
		c.add(`profile_id = $%d`, f.Profile)
	}
	if f.ProfileName != "" {
		c.add(`(profile_id IN (SELECT id FROM import_profiles WHERE lower(name) = lower($%[1]d))
			OR profile_id IS NULL AND lower(profile_name) = lower($%[1]d))`, f.ProfileName)
	}
	if f.Errors != nil {
		c.add(`(error_count > 0) = $%d`, *f.Errors)
	}
	if f.Waiting != nil {
		c.add(`(status = 'AWAITING_APPROVAL' OR status IN ('COLUMN_MAPPING', 'CELL_MAPPING') AND announced) = $%d`, *f.Waiting)
	}
	c.inPeriod(`created_at`, f.Created)
	return c
}

// Jobs lists the organisation's jobs, and their total number.
func (db *DB) Jobs(ctx context.Context, tx pgx.Tx, f JobFilter) ([]*job.Job, int64, error) {
	c := f.conditions()
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM import_jobs `+c.where(), c.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count jobs: %w", err)
	}
	order := f.Sort.order()
	if err := c.addAfter(order, f.After); err != nil {
		return nil, 0, err
	}
	where := c.where() + order.clause() + c.page(f.Page)
	jobs, err := db.jobsWhere(ctx, tx, where, c.args...)
	return jobs, total, err
}
