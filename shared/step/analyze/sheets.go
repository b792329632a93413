package analyze

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// compareSheets compares the first sheet of a workbook with the others, unless the options or the
// profile state a sheet. If only another one has the type's columns, it is read instead: the first
// one is probably a cover. All sheets with rows that are not read become warnings.
func (s *Step) compareSheets(ctx context.Context, j *job.Job, decl *entity.Declaration, matcher *mapping.Matcher, found *findings, columns []job.MappedColumn,
	read func(*job.Job) (*findings, []job.MappedColumn, error)) (*findings, []job.MappedColumn, error) {
	if found.options.StatesSheet() || found.dialect.Format.IsText() {
		return found, columns, nil
	}
	all, err := reader.SheetSummaries(ctx, s.files.Open(ctx, found.version), found.dialect.Format, s.limits)
	if err != nil { // a damaged sheet that is not read does not matter
		return found, columns, ignoreOptionError(err)
	}
	compared := columnmatch.CompareSheets(decl, matcher, columns, all, found.dialect.SheetIndex)
	if compared.Better != nil {
		other := *j
		if other.Options, err = withSheet(j.Options, compared.Better.Index); err != nil {
			return nil, nil, err
		}
		if found, columns, err = read(&other); err != nil {
			return nil, nil, err
		}
		found.stated = j.Options // as stored with the job
	}
	found.sheetChoice, found.unreadSheets = compared.Chosen, compared.Unread
	return found, columns, nil
}

// withSheet returns the reading options with a sheet.
func withSheet(options json.RawMessage, index int) (json.RawMessage, error) {
	all := make(map[string]json.RawMessage)
	if err := json.Unmarshal(options, &all); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	all["sheetIndex"] = json.RawMessage(fmt.Sprint(index))
	return json.Marshal(all)
}
