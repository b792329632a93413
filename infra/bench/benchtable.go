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

// benchTable is what the rows of a file are. Its columns are those of its table.
type benchTable struct {
	name       string
	kind       string // the import type
	tableName  string
	sheet      sample.Sheet
	textColumn string // the column of a text that no key has
	key        string // the column by which an upsert knows its rows
	// keys are foreign keys of the table, which a copy of it has, too.
	keys []string
}

var (
	userTable = benchTable{name: "7 columns", kind: "USER", tableName: "users", textColumn: "name", key: "id", sheet: sample.UserSheet(strings.Split(sample.UserColumns, ",")...)}
	// narrowUsers users have what a user must have, and an id.
	narrowUsers = benchTable{name: "narrow, 3 columns", kind: "USER", tableName: "users", textColumn: "name", key: "id", sheet: sample.UserSheet("id", "email", "name")}
	// articleTable are articles: the type with the most columns that is one table, two
	// unique keys and two foreign ones.
	articleTable = benchTable{name: "wide, 11 columns", kind: "ARTICLE", tableName: "articles", textColumn: "title", key: "id", sheet: sample.Articles(), keys: []string{
		"(organisation_id, author_id) REFERENCES users (organisation_id, id)",
	}}
)

// resetTable empties the subject's table and adds what its rows refer to.
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

// deleteHalf deletes half of the subject's rows, evenly, and returns how many are left.
func (b *bench) deleteHalf(ctx context.Context, subj benchTable) (left int64, err error) {
	for _, sql := range []string{"DELETE FROM %s WHERE source_row %% 2 = 0", "VACUUM ANALYZE %s"} {
		if _, err := b.database.Exec(ctx, fmt.Sprintf(sql, subj.tableName)); err != nil {
			return 0, fmt.Errorf("bench: halve %s: %w", subj.tableName, err)
		}
	}
	err = b.database.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM %s", subj.tableName)).Scan(&left)
	return left, err
}

// writeSubjectFile makes the subject's file of that many rows, unless it is there.
func (b *bench) writeSubjectFile(subj benchTable, format string, rows int) (path string, err error) {
	content := map[string]func(io.Writer, int) error{"csv": subj.sheet.CSV, "xlsx": subj.sheet.Workbook}[format]
	return b.writeFile(fmt.Sprintf("%s-%d-%d.%s", subj.tableName, len(subj.sheet.Columns), rows, format), func(w io.Writer) error { return content(w, rows) })
}

// writeHalves are two CSV files that have the rows of one of that many between them.
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

// writeFile makes a file of that name, unless it is there.
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
