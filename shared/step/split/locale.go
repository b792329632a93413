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

// Columns keeps what the columns of files are and how they are read.
type Columns interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	SaveColumnDecisions(ctx context.Context, tx pgx.Tx, key job.Key, columns []job.MappedColumn) error
	AddWarnings(ctx context.Context, tx pgx.Tx, key job.Key, warnings []string) error
}

// localeDetector finds out how the columns are read of which the analysis has left that to
// the cutting, from the chunks as they are made.
type localeDetector struct {
	decl     *entity.Declaration
	columns  []job.MappedColumn
	open     []int              // of columns
	detected []job.MappedColumn // those that were open
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

// add looks at the rows of a chunk that has a body of its own.
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

// finish enters into the columns what was found out.
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

// save stores what was settled, in the transaction that completes the cutting:
// before it no row is taken, and after it nothing changes.
func (l *localeDetector) save(ctx context.Context, tx pgx.Tx, store Columns, key job.Key) error {
	if len(l.open) == 0 {
		return nil
	}
	if err := store.SaveColumnDecisions(ctx, tx, key, l.detected); err != nil {
		return err
	}
	return store.AddWarnings(ctx, tx, key, rows.LocaleWarnings(l.decl, l.columns, false))
}

// statedValue is what the caller has said, or "".
func statedValue(f sheet.Finding) string {
	if f.Evidence != sheet.Stated {
		return ""
	}
	return f.Value
}
