package checker

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// declaration is the part of the job's type that concerns its rows.
type declaration struct {
	table     string // the table of the entities that its rows create
	keepsRows bool   // stores rows of numbered uploads
}

func (c *check) declaration() declaration {
	kind, ok := catalog.New().ByName(c.job.ImportType)
	if !ok {
		return declaration{}
	}
	d := kind.Declaration()
	if d.Export == nil {
		return declaration{keepsRows: d.BatchUploads != nil}
	}
	return declaration{table: d.Export.Table, keepsRows: d.BatchUploads != nil}
}

// compareEntities compares everything that the job has written with the ledger: each entity comes
// from a row that was created or updated, and each such row of the file has an entity.
func (c *check) compareEntities(ctx context.Context) error {
	tables, err := c.queryTexts(ctx, `
		SELECT c.relname::text
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'source_job'
		WHERE c.relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND c.relkind = 'r'
		ORDER BY 1`)
	if err != nil {
		return err
	}
	main := c.declaration().table
	for _, table := range tables {
		rows, err := c.db.Query(ctx, `SELECT source_row, organisation_id FROM `+pgx.Identifier{table}.Sanitize()+` WHERE source_job = $1 AND source_row IS NOT NULL ORDER BY 1`, c.job.ID)
		if err != nil {
			return err
		}
		written := make(map[int64]bool)
		var row int64
		var organisation tenant.ID
		_, err = pgx.ForEachRow(rows, []any{&row, &organisation}, func() error {
			c.compareEntity(table, row, organisation, written)
			return nil
		})
		if err != nil {
			return err
		}
		if table == main {
			c.findMissingEntities(table, written)
		}
	}
	return nil
}

// compareEntity compares one entity with the row from which it came.
func (c *check) compareEntity(table string, row int64, organisation tenant.ID, written map[int64]bool) {
	if written[row] {
		c.report("row %d created more than one entry of %s", row, table)
	}
	written[row] = true
	if organisation != c.job.OrganisationID {
		c.report("row %d created an entry of %s for organisation %d", row, table, organisation)
	}
	if o, ok := c.ledger.outcomes[row]; o != rowwrite.Created && o != rowwrite.Updated {
		was := "has no outcome"
		if ok {
			was = "is " + outcomeWord(o)
		}
		c.report("an entry of %s comes from row %d, which %s", table, row, was)
	}
	if c.job.DryRun {
		c.report("row %d of a dry run created an entry of %s", row, table)
	}
}

// findMissingEntities looks for rows without the entity that they should have written. Later
// imports may have written it since. In an upsert, later rows of the file may have, too, so only
// the numbers are compared.
func (c *check) findMissingEntities(table string, written map[int64]bool) {
	if c.job.Later || c.job.DryRun {
		return
	}
	if c.job.Mode == rowwrite.Upsert {
		if n := int64(len(written)); n < c.job.CreatedCount {
			c.report("%d rows were created, but %s has %d entries of them", c.job.CreatedCount, table, n)
		}
		return
	}
	for row, o := range c.ledger.outcomes {
		if o == rowwrite.Created && !written[row] {
			c.report("row %d is CREATED, but %s has no entry of it", row, table)
		}
	}
}

// compareTables compares the contents of tables.
func (c *check) compareTables(ctx context.Context) error {
	for _, t := range c.want.Tables {
		got, err := c.queryTexts(ctx, t.SQL, c.organisation())
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		count := make(map[string]int)
		for _, row := range t.Want {
			count[row]++
		}
		for _, row := range got {
			count[row]--
		}
		var missing, surplus []string
		for row, n := range count {
			for ; n > 0; n-- {
				missing = append(missing, row)
			}
			for ; n < 0; n++ {
				surplus = append(surplus, row)
			}
		}
		slices.Sort(missing)
		slices.Sort(surplus)
		if len(missing) > 0 {
			c.report("%s lacks %s", t.Name, quoted(missing))
		}
		if len(surplus) > 0 {
			c.report("%s has unexpected entries: %s", t.Name, quoted(surplus))
		}
	}
	return nil
}

func (c *check) organisation() tenant.ID {
	if c.job != nil {
		return c.job.OrganisationID
	}
	return c.want.Organisation
}

func (c *check) queryTexts(ctx context.Context, sql string, args ...any) ([]string, error) {
	rows, err := c.db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
