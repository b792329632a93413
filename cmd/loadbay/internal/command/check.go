package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/declared"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/filecheck"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
)

func (a *app) checkCommand() *cobra.Command {
	var f importFlags
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "check FILE", Short: "Check a file for errors without uploading it", Args: exactUsage(cobra.ExactArgs(1)),
		Long: `Check all rows of a file on this machine and report the errors like loadbay errors. The file
is not uploaded; only the fields of the type and the organisation's settings are downloaded.
Checks that need the database are skipped: duplicates of existing entries and the matching of
names to entries.

The exit code is 4 if rows have errors, and 1 if the file cannot be imported at all. With --strict,
or if the profile or the organisation's settings say so, a column with values that is not used is
such an error.`,
		Example: `  loadbay check members.xlsx --type MEMBERSHIP
  loadbay check users.csv --type USER --profile Shop --strict --jq 'map(.rowNumber)'`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			if err := a.requireType(ctx, &f, given); err != nil {
				return err
			}
			return a.checkFile(ctx, caller, &f, given[0], limit)
		}),
	})
	f.registerReading(c)
	f.importOptions.register(c.Flags(), job.InProfile)
	c.Flags().IntVar(&limit, "limit", 100, "maximum number of rows")
	_ = c.RegisterFlagCompletionFunc("type", a.completeArgs(typeNames)) // the flag is registered above
	return c
}

// checkFile checks a file and prints its first rows with errors.
func (a *app) checkFile(ctx context.Context, caller *client.Client, f *importFlags, path string, limit int) error {
	importType, err := findType(ctx, caller, f.kind)
	if err != nil {
		return err
	}
	declaration, err := declared.Type(importType)
	if err != nil {
		return err
	}
	file, name, err := a.openFile(path, f.name)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := f.checkInput(ctx, caller, importType.Name, name, file)
	if err != nil {
		return err
	}
	bar := terminal.NewBar(a.streams)
	found := []api.RowResult{}
	report, err := filecheck.File(ctx, declaration, in, func(r job.RowResult) error {
		if len(found) < limit {
			found = append(found, rowResult(r))
		}
		return nil
	}, func(rows int64) { bar.Set("Checking  ", 0, 0, fmt.Sprintf("%d rows", rows)) })
	bar.Done()
	if filecheck.MayMatchMore(report, err) {
		a.notify("Note: the import knows headers in more languages than this check, and may match more columns.")
	}
	if err != nil {
		return err
	}
	return a.printCheck(report, found)
}

// checkInput combines a file with the flags and the organisation's settings.
func (f *importFlags) checkInput(ctx context.Context, caller *client.Client, kind, name string, file *os.File) (filecheck.Input, error) {
	info, err := file.Stat()
	if err != nil {
		return filecheck.Input{}, err
	}
	in := filecheck.Input{Source: sizedFile{file, info.Size()}, Name: name, CreatedAt: time.Now(), Limits: sheet.DefaultLimits()}
	profile, err := f.loadProfile(ctx, caller, kind)
	if err != nil {
		return in, err
	}
	mapping := &profile.Mapping
	if f.mapping != "" {
		if mapping, err = readMapping(f.mapping); err != nil {
			return in, err
		}
	}
	options, err := f.parseOptions()
	if err != nil {
		return in, err
	}
	if f.mapping != "" || f.profile != "" {
		if in.Mapping, err = json.Marshal(mapping); err == nil && mapping.Source != nil {
			err = convertJSON(mapping.Source, &in.Options)
		}
	}
	if err == nil && options != nil {
		err = convertJSON(options, &in.Options) // they override the options of the mapping
	}
	if err != nil {
		return in, err
	}
	own, err := client.Read[api.Settings](caller.API.GetSettings(ctx))
	if err != nil {
		return in, err
	}
	var assumed sheet.Assumptions
	err = convertJSON(own, &assumed)
	in.Options.Assume = in.Options.Assume.WithDefaults(assumed)
	if err == nil {
		in.Stored, err = f.storedOptions(profile, own)
	}
	return in, err
}

// storedOptions returns the options of the flags, completed by those of the profile and the
// organisation.
func (f *importFlags) storedOptions(profile *api.Profile, own *api.Settings) (stored job.StoredOptions, err error) {
	for _, from := range []any{f.importOptions, profile, own} {
		var options job.StoredOptions
		if err := convertJSON(from, &options); err != nil {
			return stored, err
		}
		stored = stored.Over(options)
	}
	return stored, nil
}

// sizedFile is a file of known size.
type sizedFile struct {
	*os.File
	size int64
}

// Size returns the file's size in bytes.
func (s sizedFile) Size() int64 { return s.size }

// convertJSON converts an API type to the product's type with the same JSON names.
func convertJSON(from, to any) error {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	return err
}

// loadProfile returns the profile named by the flags, or an empty one.
func (f *importFlags) loadProfile(ctx context.Context, caller *client.Client, kind string) (*api.Profile, error) {
	if f.profile == "" {
		return &api.Profile{}, nil
	}
	params := &api.ListProfilesParams{ImportType: &kind, Name: &f.profile, Size: new(listPageSize)}
	profiles, err := client.Read[[]api.ProfileSummary](caller.API.ListProfiles(ctx, params))
	if err != nil {
		return nil, err
	}
	for i := range *profiles {
		if p := &(*profiles)[i]; strings.EqualFold(p.Name, f.profile) {
			return client.Read[api.Profile](caller.API.GetProfile(ctx, p.ID.String()))
		}
	}
	return nil, usageError{fmt.Errorf("no profile %q for %s; run loadbay profiles list to see all profiles", f.profile, kind)}
}

// rowResult converts a row with errors to its API form.
func rowResult(r job.RowResult) api.RowResult {
	out := api.RowResult{RowNumber: r.Row, Outcome: api.OutcomeERROR, Faults: []api.Fault{}}
	for _, e := range r.Errors {
		out.Faults = append(out.Faults, api.Fault{Code: string(e.Code), Field: nonZero(e.Field), Value: nonZero(e.Value), Message: e.Message})
	}
	return out
}

// printCheck prints the result of a check and sets the exit code.
func (a *app) printCheck(report *filecheck.Report, found []api.RowResult) error {
	for _, w := range report.Warnings {
		a.notify("Note: %s", w)
	}
	for i := range report.Columns {
		if c := &report.Columns[i]; c.TargetField == "" && c.ColumnIndex >= 0 && !c.IsComposed() && c.Content.Filled == 0 {
			a.notify("Note: the column %q is ignored.", cmp.Or(c.Header, fmt.Sprintf("#%d", c.ColumnIndex+1)))
		}
	}
	if err := a.print(found, func() *render.Table { return errorTable(found) }); err != nil {
		return err
	}
	a.notify("%d of %d rows have errors.", report.ErrorRows, report.Rows)
	if int64(len(found)) < report.ErrorRows {
		a.notifyMore(len(found), strconv.FormatInt(report.ErrorRows, 10))
	}
	if report.ErrorRows > 0 {
		return exitStatus(exitRowErrors)
	}
	return nil
}
