package columnmatch

import (
	"fmt"
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// SheetComparison is the result of comparing the first sheet of a workbook, which was read, with the
// others.
type SheetComparison struct {
	Better *sheet.Summary // the sheet to read instead; nil for none
	Chosen []string       // the warning about it
	Unread []string       // warnings about the other sheets with rows
}

// CompareSheets compares the sheet first, which has these columns, with all visible sheets that have
// rows. If it lacks the type's columns, the first other one that has them by its header is better.
func CompareSheets(d *entity.Declaration, matcher *mapping.Matcher, columns []job.MappedColumn, all []sheet.Summary, first int) (c SheetComparison) {
	others := slices.DeleteFunc(slices.Clone(all), func(s sheet.Summary) bool {
		return s.Index == first || s.Hidden || s.TableRows == 0 || entity.AreInstructions(s.Name, s.Header)
	})
	read := &all[first]
	if c.Better = betterSheet(d, matcher, columns, others, first); c.Better != nil {
		c.Chosen = []string{fmt.Sprintf("%s: the sheet %.60q was read, because the first sheet %.60q does not have the required columns", problem.SheetChosen, c.Better.Name, read.Name)}
		read = c.Better
	}
	c.Unread = unreadWarnings(others, read)
	return c
}

func betterSheet(d *entity.Declaration, matcher *mapping.Matcher, columns []job.MappedColumn, all []sheet.Summary, first int) *sheet.Summary {
	fieldsOf := func(header []string) sheet.Fields {
		return job.TargetFields(Columns(matcher, header, NewSamples(len(header)), false))
	}
	return sheet.BetterSheet(all, first, job.TargetFields(columns), fieldsOf, func(fields sheet.Fields) bool { return len(d.MissingFields(fields)) == 0 })
}

// maxListedSheets limits how many sheets are listed individually.
const maxListedSheets = 10

// unreadWarnings returns a warning for each sheet that is not read; the last one counts those that
// are not listed.
func unreadWarnings(sheets []sheet.Summary, read *sheet.Summary) (lines []string) {
	sheets = slices.DeleteFunc(sheets, func(s sheet.Summary) bool { return s.Index == read.Index })
	for i, s := range sheets {
		if i == maxListedSheets {
			return append(lines, fmt.Sprintf("%s: %d more sheets with rows are not read", problem.SheetUnused, len(sheets)-i))
		}
		rows := "rows"
		switch {
		case s.Exact && s.TableRows == 1:
			rows = "1 row"
		case s.Exact:
			rows = fmt.Sprintf("%d rows", s.TableRows)
		}
		lines = append(lines, fmt.Sprintf("%s: the sheet %.60q with %s is not read, only %.60q; to import it, select it (sheetName)", problem.SheetUnused, s.Name, rows, read.Name))
	}
	return lines
}
