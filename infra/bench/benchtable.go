package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/loadbay/loadbay/infra/sample"
)

// benchTable describes the rows of a file. They have the columns of the table.
type benchTable struct {
	name       string
	kind       string // the import type
	tableName  string
	sheet      sample.Sheet
	textColumn string // a text column without a key
	key        string // the key column of upserts
	// keys are foreign keys of the table, which a copy of it needs, too.
	keys []string
}

var (
	userTable = benchTable{name: "7 columns", kind: "USER", tableName: "users", textColumn: "name", key: "id", sheet: sample.UserSheet(strings.Split(sample.UserColumns, ",")...)}
	// narrowUsers are users with only the required columns and an id.
	narrowUsers = benchTable{name: "narrow, 3 columns", kind: "USER", tableName: "users", textColumn: "name", key: "id", sheet: sample.UserSheet("id", "email", "name")}
	// articleTable are articles: the type with the most columns in a single table, two unique keys
	// and two foreign keys.
	articleTable = benchTable{name: "wide, 11 columns", kind: "ARTICLE", tableName: "articles", textColumn: "title", key: "id", sheet: sample.Articles(), keys: []string{
		"(organisation_id, author_id) REFERENCES users (organisation_id, id)",
	}}
)

// resetTable empties the subject's table and inserts the rows that it refers to.
func (b *bench) resetTable(ctx context.Context, subj benchTable) error {
	_, err := b.database.Exec(ctx, fmt.Sprintf(`
		TRUNCATE users, articles, comments;
		INSERT INTO users (organisation_id, id, email, name)
		SELECT 1, ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'author' || n || '@example.org', 'Author ' || n
		FROM generate_series(1, %d) AS n
		WHERE '%s' <> 'users'`, sample.Authors, subj.tableName))
	if err != nil {
		return fmt.Errorf("bench: prepare %s: %w", subj.tableName, err)
	}
	return nil
}

// deleteHalf deletes every second row of the subject and returns the number of remaining rows.
func (b *bench) deleteHalf(ctx context.Context, subj benchTable) (left int64, err error) {
	for _, sql := range []string{"DELETE FROM %s WHERE source_row %% 2 = 0", "VACUUM ANALYZE %s"} {
		if _, err := b.database.Exec(ctx, fmt.Sprintf(sql, subj.tableName)); err != nil {
			return 0, fmt.Errorf("bench: halve %s: %w", subj.tableName, err)
		}
	}
	err = b.database.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM %s", subj.tableName)).Scan(&left)
	return left, err
}

// writeSubjectFile writes the subject's file with the given number of rows, unless it exists.
func (b *bench) writeSubjectFile(subj benchTable, format string, rows int) (path string, err error) {
	content := map[string]func(io.Writer, int) error{"csv": subj.sheet.CSV, "xlsx": subj.sheet.Workbook}[format]
	return b.writeFile(fmt.Sprintf("%s-%d-%d.%s", subj.tableName, len(subj.sheet.Columns), rows, format), func(w io.Writer) error { return content(w, rows) })
}

// writeHalves writes two CSV files that together have the given number of rows.
func (b *bench) writeHalves(subj benchTable, rows int) (paths []string, err error) {
	for i, part := range []sample.Sheet{subj.sheet, subj.sheet.Skip(rows / 2)} {
		n := []int{rows / 2, rows - rows/2}[i]
		path, err := b.writeFile(fmt.Sprintf("%s-%d-%d-half%d.csv", subj.tableName, len(subj.sheet.Columns), rows, i+1), func(w io.Writer) error { return part.CSV(w, n) })
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// writeFile writes a file unless it exists.
func (b *bench) writeFile(name string, content func(io.Writer) error) (path string, err error) {
	path = filepath.Join(b.dir, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	if err := content(f); err != nil {
		return "", fmt.Errorf("bench: write %s: %w", path, err)
	}
	return path, f.Close()
}
