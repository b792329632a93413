package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
	"github.com/loadbay/loadbay/shared/job"
)

// importFlags are the flags of the command import.
type importFlags struct {
	kind, name, key, profile, mapping string
	resource                          string // the name of the type in /v1, known after resolveNames
	resolved                          bool   // resolveNames has been called
	options                           []string
	watch                             string
	belongs                           contextFlags
	answers                           answerFlags
	yes, noWait                       bool
	batch                             batchFlags
	importOptions                     optionFlags
	// defaults are the remaining properties that a manifest declares for an import.
	defaults api.Creation
	// exitOnChanges ends a plan that contains changes with an exit code of its own.
	exitOnChanges bool
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "import FILE...", Short: "Import files",
		Long: `Import files: CSV, XLSX, XLS or NDJSON of any size. "-" is standard input; pipes such as
<(command) are read to their end first. Several files are imported at once, and reported in their
order. Files at https:// or http:// URLs are fetched by the installation, without questions.

On a terminal, you are asked about columns and values that cannot be matched automatically.
Otherwise, the questions are printed as JSON and the exit code is 3. With --yes there are no
questions: matched columns are imported, other columns are ignored, and rows with unmatched
values have errors.`,
		Example: `  loadbay import members.xlsx --type MEMBERSHIP --period 2026
  loadbay import adherents.csv --type MEMBERSHIP --period 2026 --map "Catégorie=MEMBERSHIP_TYPE_ID" --value GENDER:Homme=MALE
  loadbay import --watch inbox --type USER --mode upsert
  loadbay import users-*.csv --type USER --mode upsert --yes
  gunzip -c users.csv.gz | loadbay import - --name users.csv --type USER --yes`,
		Args: manifestOr(&f.watch, cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			return a.importFiles(c.Context(), &f, given)
		},
	})
	f.register(c)
	c.Flags().StringVar(&f.watch, "watch", "", "import each file that appears in this folder, without questions, and move it to its folder done or failed")
	_ = c.MarkFlagDirname("watch") // the flag is registered above
	return c
}

// register adds the flags of an import, apart from those of the options named.
func (f *importFlags) register(c *cobra.Command, except ...string) {
	f.registerReading(c)
	flags := c.Flags()
	f.importOptions.register(flags, job.AsFlag, except...)
	f.belongs.register(flags)
	f.answers.register(flags)
	flags.BoolVarP(&f.yes, "yes", "y", false, "never ask; rows with unmatched values have errors")
	f.batch.register(flags)
	flags.BoolVar(&f.noWait, "no-wait", false, "return after the upload")
	flags.StringVar(&f.key, "idempotency-key", "", "make the command safe to repeat: the same key and file create one import")
}

// registerReading adds the flags that control how a file is read.
func (f *importFlags) registerReading(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&f.kind, "type", "t", "", "the import type, such as USER, or its table, such as shop.products")
	flags.StringVar(&f.name, "name", "", "the file name for standard input")
	flags.StringVar(&f.profile, "profile", "", "the profile to use for the file")
	flags.StringVar(&f.mapping, "mapping", "", "a JSON file with the mapping of columns and values")
	flags.StringArrayVar(&f.options, "option", nil, "an option of the file or type as NAME=VALUE, such as sheetName=Members")
}

// createRequest returns the request that creates an import of a file.
func (f *importFlags) createRequest(name, sum string) (api.Creation, error) {
	c := f.defaults
	c.Filename, c.ImportType, c.Sha256 = name, f.kind, &sum
	setIfNonZero(&c.ContextID, f.belongs.id)
	setIfNonZero(&c.Profile, f.profile)
	setIfNonZero(&c.AutoStart, f.yes)
	if err := f.importOptions.apply(&c); err != nil {
		return c, err
	}
	if f.mapping != "" {
		mapping, err := readMapping(f.mapping)
		if err != nil {
			return c, err
		}
		c.Mapping = mapping
	}
	mapping, err := f.answers.apply(c.Mapping)
	if err != nil {
		return c, err
	}
	c.Mapping = mapping
	options, err := f.parseOptions()
	if options != nil {
		c.Options = options
	}
	return c, err
}

// readMapping reads a mapping from a file.
func readMapping(path string) (*api.Mapping, error) {
	text, err := os.ReadFile(path)
	m := new(api.Mapping)
	if err == nil {
		err = decodeStrictly(text, m)
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("--mapping %s: %w", path, err)}
	}
	return m, nil
}

// setIfNonZero stores a flag that was set; otherwise the previous value remains.
func setIfNonZero[T comparable](target **T, value T) {
	if given := nonZero(value); given != nil {
		*target = given
	}
}

// idempotencyKey makes the command safe to repeat: the caller's key, or a random one for the
// retries within the call.
func (f *importFlags) idempotencyKey() *string { return new(cmp.Or(f.key, uuid.NewString())) }

// nonZero returns a pointer to the value of a flag, or nil if it was not set.
func nonZero[T comparable](value T) *T {
	var unset T
	if value == unset {
		return nil
	}
	return &value
}

// parseOptions converts the options for the API: numbers stay numbers, the rest is text.
func (f *importFlags) parseOptions() (*api.Options, error) {
	if len(f.options) == 0 {
		return nil, nil //nolint:nilnil // none are given
	}
	text, err := parseMembers("--option ", f.options, func(value string) any {
		var n int
		if json.Unmarshal([]byte(value), &n) == nil {
			return n
		}
		return value
	})
	if err != nil {
		return nil, err
	}
	options := new(api.Options)
	if err := decodeStrictly(text, options); err != nil {
		return nil, usageError{fmt.Errorf("--option: %w", err)}
	}
	return options, nil
}

// importFiles imports the files, and returns the worst result.
func (a *app) importFiles(ctx context.Context, f *importFlags, paths []string) error {
	if err := a.requireType(ctx, f, paths); err != nil {
		return err
	}
	caller, err := a.client()
	if err != nil {
		return err
	}
	f.batch.yes = f.yes
	if f.watch != "" {
		a.neverAsk = true
		if err := f.resolveNames(ctx, caller); err != nil {
			return err
		}
		return a.watchFolder(ctx, caller, f, f.watch)
	}
	sources := make([]source, len(paths))
	for i, path := range paths {
		sources[i] = source{f, path}
	}
	return a.importAll(ctx, caller, sources, f.batch)
}

// resolveNames replaces what a person calls the type with its name, and the name of what the rows
// belong to with its ID.
func (f *importFlags) resolveNames(ctx context.Context, caller *client.Client) error {
	if f.resolved {
		return nil // for another file with the same flags
	}
	f.resolved = true
	of, err := findType(ctx, caller, f.kind)
	var unknown unknownType
	switch {
	case errors.As(err, &unknown):
		// The server knows whether it is retired or not installed.
		f.kind, f.resource = strings.ToUpper(f.kind), strings.ToLower(f.kind)
	case err != nil:
		return notUsage(err)
	default:
		f.kind, f.resource = of.Name, of.Resource
	}
	id, err := f.belongs.resolve(ctx, caller, f.kind)
	f.belongs = contextFlags{id: id}
	return err
}

// createImport creates an import from a file, which it uploads, or from an address, which the
// server fetches.
func (a *app) createImport(ctx context.Context, caller *client.Client, f *importFlags, path string) (*api.ImportJob, error) {
	if isURL(path) {
		return a.createFromURL(ctx, caller, f, path)
	}
	source, name, err := a.openFile(path, f.name)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	size, sum, err := hashFile(source)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	creation, err := f.createRequest(name, sum)
	if err != nil {
		return nil, err
	}
	job, err := a.uploadFile(ctx, caller, f, creation, source, size)
	if err != nil || !f.noWait {
		return job, err
	}
	return reread(ctx, caller, job)
}

// arrivalTimeout is how long --no-wait waits until the installation has noticed the uploaded file.
const arrivalTimeout = 5 * time.Second

// reread returns the state of an import after the upload of its file: the response to its creation
// says that the file is awaited.
func reread(ctx context.Context, caller *client.Client, job *api.ImportJob) (*api.ImportJob, error) {
	awaits := func(j *api.ImportJob) bool {
		return j.WaitingFor != nil && *j.WaitingFor == api.ImportJobWaitingForFILE
	}
	if !awaits(job) {
		return job, nil
	}
	limited, cancel := context.WithTimeout(ctx, arrivalTimeout)
	defer cancel()
	now, err := caller.WaitUntil(limited, job.Identifier.String(), nil, func(j *api.ImportJob) bool { return !awaits(j) })
	if now != nil && (err == nil || ctx.Err() == nil) {
		return now, nil
	}
	return job, err
}

// watchCreated watches a new import to its end, unless noWait is set.
func (a *app) watchCreated(ctx context.Context, caller *client.Client, job *api.ImportJob, noWait bool) error {
	if noWait {
		if a.format.JSON() {
			return a.printResult(job)
		}
		return jobDetails(job).Print(a.streams)
	}
	return a.watchToEnd(ctx, caller, job.Identifier.String())
}

// uploadFile uploads a file and shows a progress bar.
func (a *app) uploadFile(ctx context.Context, caller *client.Client, f *importFlags, creation api.Creation, source *os.File, size int64) (*api.ImportJob, error) {
	bar := terminal.NewBar(a.streams)
	job, err := caller.Import(ctx, f.key, creation, source, size, uploadProgress(bar))
	bar.Done()
	if err != nil && job != nil && source.Name() != "" {
		a.report("To resume the upload: loadbay imports resume %s %s", job.Identifier, source.Name())
	}
	return job, err
}

// uploadProgress shows the progress of an upload.
func uploadProgress(bar *terminal.Bar) client.Progress {
	return func(sent, total int64) {
		bar.Set("Uploading ", sent, total, formatBytes(sent)+" of "+formatBytes(total))
	}
}

// hashFile returns a file's size in bytes and its SHA-256.
func hashFile(file *os.File) (size int64, sum string, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, "", err
	}
	if info.IsDir() {
		return 0, "", errors.New("is a directory")
	}
	hash := sha256.New()
	size, err = io.Copy(hash, io.NewSectionReader(file, 0, info.Size()))
	return size, hex.EncodeToString(hash.Sum(nil)), err
}

// watchToEnd watches an import to its end and asks the person about open questions.
func (a *app) watchToEnd(ctx context.Context, caller *client.Client, id string) error {
	job, err := a.watchUntilPlanned(ctx, caller, id)
	switch {
	case err != nil:
		return err
	case !client.NeedsInput(job):
		return a.finish(ctx, caller, job)
	case client.AwaitsApproval(job) && !plansChanges(job):
		return a.discardPlan(ctx, caller, job)
	case client.AwaitsApproval(job) && a.canPrompt():
		return a.confirmPlan(ctx, caller, job, "")
	default:
		return a.printQuestions(ctx, caller, job)
	}
}

// watchUntilPlanned watches an import until it has ended or is a plan, and asks the person about
// columns and values. Without a terminal it stops at the first question.
func (a *app) watchUntilPlanned(ctx context.Context, caller *client.Client, id string) (*api.ImportJob, error) {
	for {
		job, err := a.watch(ctx, caller, id)
		if err != nil || !client.NeedsInput(job) || client.AwaitsApproval(job) || !a.canPrompt() {
			return job, err
		}
		if err := a.answerQuestions(ctx, caller, job); err != nil {
			return nil, err
		}
	}
}

// canPrompt reports whether a person can answer questions.
func (a *app) canPrompt() bool { return a.streams.CanAsk && !a.format.JSON() && !a.neverAsk }
