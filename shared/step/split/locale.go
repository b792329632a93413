package split

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// Columns stores the columns of files and their locales.
type Columns interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	SaveColumnDecisions(ctx context.Context, tx pgx.Tx, key job.Key, columns []job.MappedColumn) error
	AddWarnings(ctx context.Context, tx pgx.Tx, key job.Key, warnings []string) error
}

// localeDetector detects the locales of columns that the analysis has left open, from the chunks
// as they are created.
type localeDetector struct {
	decl     *entity.Declaration
	columns  []job.MappedColumn
	open     []int              // column indexes
	detected []job.MappedColumn // the columns that were open
	survey   *value.Survey
}

func newLocaleDetector(decl *entity.Declaration, columns []job.MappedColumn, dialect *sheet.Dialect) *localeDetector {
	l := &localeDetector{decl: decl, columns: columns, survey: value.NewSurvey(dialect)}
	if !dialect.RangeReadable() {
		l.open = rows.UnknownLocales(decl, columns)
	}
	l.survey.OnlyColumns(rows.ColumnPlaces(columns, l.open))
	return l
}

// add examines the rows of a chunk that has its own body.
func (l *localeDetector) add(c sheet.Chunk, body []byte) error {
	if len(l.open) == 0 {
		return nil
	}
	pack, err := sheet.NewPackReader(body, c)
	if err != nil {
		return err
	}
	defer pack.Close()
	for pack.Next() {
		l.survey.Add(pack.Row())
	}
	return pack.Err()
}

// finish sets the detected locales of the columns.
func (l *localeDetector) finish() {
	l.detected = make([]job.MappedColumn, len(l.open))
	for i, place := range l.open {
		c := &l.columns[place]
		found := l.survey.Locale(c.ColumnIndex)
		found.DateOrder.SetStated(statedValue(c.Locale.DateOrder))
		found.DecimalMark.SetStated(statedValue(c.Locale.DecimalMark))
		c.Locale = found
		l.detected[i] = *c
	}
}

// save stores the detected locales in the transaction that completes the splitting: no row is
// processed before it, and nothing changes after it.
func (l *localeDetector) save(ctx context.Context, tx pgx.Tx, store Columns, key job.Key) error {
	if len(l.open) == 0 {
		return nil
	}
	if err := store.SaveColumnDecisions(ctx, tx, key, l.detected); err != nil {
		return err
	}
	return store.AddWarnings(ctx, tx, key, rows.LocaleWarnings(l.decl, l.columns, false))
}

// statedValue returns the value specified by the caller, or "".
func statedValue(f sheet.Finding) string {
	if f.Evidence != sheet.Stated {
		return ""
	}
	return f.Value
}
