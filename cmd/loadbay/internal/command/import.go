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
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

// importFlags are those of the command import.
type importFlags struct {
	kind, mode, name, retryOf, key, profile, mapping, review, label string
	options                                                         []string
	contextID                                                       int64
	yes, dryRun, plan, noWait                                       bool
	// base is what a file that declares imports says besides.
	defaults api.Creation
	// compares has a plan that would change something end with an exit code of its own.
	exitOnChanges bool
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "import FILE...", Short: "Import files",
		Long: `Import files, one after the other: CSV, XLSX, XLS or NDJSON of any size; "-" is standard input.
What begins with https:// or http:// is fetched by the installation, and asks nobody.

On a terminal, what cannot be decided without you is asked. Elsewhere, what is asked is
printed as JSON and the command ends with exit code 3; with --yes nothing is asked: columns
that match are taken, the others left out, and values that stand for nothing make their
rows errors.`,
		Example: `  loadbay import members.xlsx --type MEMBERSHIP --context-id 12
  loadbay import users-*.csv --type USER --mode upsert --yes
  gunzip -c users.csv.gz | loadbay import - --name users.csv --type USER --yes`,
		Args: exactUsage(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			return a.importFiles(c.Context(), &f, given)
		},
	})
	f.register(c)
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "check every row and write none")
	c.Flags().BoolVar(&f.plan, "plan", false, "show what would change, and write it only when it is applied")
	return c
}

func (f *importFlags) register(c *cobra.Command) {
	f.registerReading(c)
	flags := c.Flags()
	flags.StringVar(&f.mode, "mode", "", "what a row does to something that exists: insert makes it an error, upsert updates it")
	flags.Int64Var(&f.contextID, "context-id", 0, "what the rows belong to, such as a period or an event")
	flags.BoolVarP(&f.yes, "yes", "y", false, "ask nothing")
	flags.BoolVar(&f.noWait, "no-wait", false, "return when the file has been sent")
	flags.StringVar(&f.review, "review", "", "when you are asked about columns: always, unsure or never")
	flags.StringVar(&f.label, "label", "", "a word of your own, to find the import by")
	flags.StringVar(&f.retryOf, "retry-of", "", "the import whose failed rows the file brings again")
	flags.StringVar(&f.key, "idempotency-key", "", "makes the command safe to repeat: the same key and file are the same import")
}

// registerReading adds the flags that say how a file is read.
func (f *importFlags) registerReading(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&f.kind, "type", "t", "", "what the rows are, such as USER")
	flags.StringVar(&f.name, "name", "", "the file's name, for standard input")
	flags.StringVar(&f.profile, "profile", "", "the profile that the file is read by")
	flags.StringVar(&f.mapping, "mapping", "", "a file with the mapping: what columns and values are, as JSON")
	flags.StringArrayVar(&f.options, "option", nil, "an option of the file or type as NAME=VALUE, such as sheetName=Members")
}

// createRequest is what is announced of a file.
func (f *importFlags) createRequest(name, sum string) (api.Creation, error) {
	c := f.defaults
	c.Filename, c.ImportType, c.Sha256 = name, strings.ToUpper(f.kind), &sum
	setIfGiven(&c.ContextID, f.contextID)
	setIfGiven(&c.Profile, f.profile)
	setIfGiven(&c.Label, f.label)
	setIfGiven(&c.Review, api.Review(f.review))
	setIfGiven(&c.Mode, api.Mode(f.mode))
	setIfGiven(&c.AutoStart, f.yes)
	setIfGiven(&c.DryRun, f.dryRun)
	setIfGiven(&c.Plan, f.plan)
	setIfGiven(&c.RetryOf, f.retryOf)
	if f.mapping != "" {
		mapping, err := readMapping(f.mapping)
		if err != nil {
			return c, err
		}
		c.Mapping = mapping
	}
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
		err = json.Unmarshal(text, m)
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("--mapping %s: %w", path, err)}
	}
	return m, nil
}

// setIfGiven says what a flag was set to; what was said before stays where it was not.
func setIfGiven[T comparable](said **T, value T) {
	if given := nonZero(value); given != nil {
		*said = given
	}
}

// idempotencyKey is the key that makes the command safe to repeat: the caller's own, or one
// for the repetitions within the call.
func (f *importFlags) idempotencyKey() *string { return new(cmp.Or(f.key, uuid.NewString())) }

// nonZero is what a flag was set to; nil where it was not.
func nonZero[T comparable](value T) *T {
	var unset T
	if value == unset {
		return nil
	}
	return &value
}

// parseOptions are the options as the API takes them: numbers as such, all else as text.
func (f *importFlags) parseOptions() (*api.Options, error) {
	if len(f.options) == 0 {
		return nil, nil //nolint:nilnil // none are given
	}
	values := make(map[string]any, len(f.options))
	for _, o := range f.options {
		name, value, ok := strings.Cut(o, "=")
		if !ok {
			return nil, usageError{fmt.Errorf("--option %s: write NAME=VALUE", o)}
		}
		values[name] = value
		var n int
		if json.Unmarshal([]byte(value), &n) == nil {
			values[name] = n
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	options := new(api.Options)
	if err := json.Unmarshal(text, options); err != nil {
		return nil, usageError{fmt.Errorf("--option: %w", err)}
	}
	return options, nil
}

// importFiles imports the files one after the other. It goes on after one that has failed,
// and ends as the worst of them.
func (a *app) importFiles(ctx context.Context, f *importFlags, paths []string) error {
	if f.kind == "" {
		return usageError{errors.New("say what the rows are with --type; loadbay types lists what there is")}
	}
	caller, err := a.client()
	if err != nil {
		return err
	}
	var all []func() error
	for _, path := range paths {
		all = append(all, func() error { return a.importOne(ctx, caller, f, path) })
	}
	return a.runAll(ctx, all)
}

func (a *app) importFile(ctx context.Context, caller *client.Client, f *importFlags, path string) error {
	job, err := a.createImport(ctx, caller, f, path)
	if err != nil {
		return err
	}
	if f.exitOnChanges && !f.noWait {
		return a.watchPlan(ctx, caller, job.Identifier.String())
	}
	return a.watchCreated(ctx, caller, job, f.noWait)
}

// createImport makes an import of a file, which is sent, or of an address, which is fetched.
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
	return a.uploadFile(ctx, caller, f, creation, source, size)
}

// watchCreated goes on with an import that has been made: it is watched to its end, unless nobody
// wants to wait.
func (a *app) watchCreated(ctx context.Context, caller *client.Client, job *api.ImportJob, noWait bool) error {
	if noWait {
		return a.print(job, func() *render.Table { return jobDetails(job) })
	}
	return a.watchToEnd(ctx, caller, job.Identifier.String())
}

// uploadFile sends a file, with a bar.
func (a *app) uploadFile(ctx context.Context, caller *client.Client, f *importFlags, creation api.Creation, source *os.File, size int64) (*api.ImportJob, error) {
	bar := terminal.NewBar(a.streams)
	job, err := caller.Import(ctx, f.key, creation, source, size, uploadProgress(bar))
	bar.Done()
	if err != nil && job != nil && source.Name() != "" {
		a.notify("Go on with sending it: loadbay imports resume %s %s", job.Identifier, source.Name())
	}
	return job, err
}

// uploadProgress shows how far a file has been sent.
func uploadProgress(bar *terminal.Bar) client.Progress {
	return func(sent, total int64) {
		bar.Set("Sending   ", sent, total, formatBytes(sent)+" of "+formatBytes(total))
	}
}

// openFile opens a file, or keeps standard input in one: its size is announced before it is
// sent.
func (a *app) openFile(path, name string) (*os.File, string, error) {
	if path != "-" {
		file, err := os.Open(path)
		return file, cmp.Or(name, filepath.Base(path)), err
	}
	if name == "" {
		return nil, "", usageError{errors.New("say what standard input is called with --name: its ending tells the format")}
	}
	file, err := os.CreateTemp("", "loadbay-*")
	if err != nil {
		return nil, "", err
	}
	if err := os.Remove(file.Name()); err != nil { // its room is free again once it is closed
		return nil, "", errors.Join(err, file.Close())
	}
	if _, err := io.Copy(file, a.streams.In); err != nil {
		return nil, "", fmt.Errorf("read standard input: %w", errors.Join(err, file.Close()))
	}
	return file, name, nil
}

// hashFile returns how many bytes a file has, and their SHA-256.
func hashFile(file *os.File) (size int64, sum string, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, "", err
	}
	if info.IsDir() {
		return 0, "", errors.New("it is a folder")
	}
	hash := sha256.New()
	size, err = io.Copy(hash, io.NewSectionReader(file, 0, info.Size()))
	return size, hex.EncodeToString(hash.Sum(nil)), err
}

// watchToEnd watches an import to its end, and asks a person for what it asks.
func (a *app) watchToEnd(ctx context.Context, caller *client.Client, id string) error {
	job, err := a.watchUntilPlanned(ctx, caller, id)
	switch {
	case err != nil:
		return err
	case !client.NeedsInput(job):
		return a.finish(ctx, caller, job)
	case client.AwaitsApproval(job) && a.canPrompt():
		return a.confirmPlan(ctx, caller, job, "")
	default:
		return a.printQuestions(ctx, caller, job)
	}
}

// watchUntilPlanned watches an import until it has ended or is a plan, and asks a person what its
// columns and values are; where there is nobody, until it asks.
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

// canPrompt reports whether questions have somebody who answers.
func (a *app) canPrompt() bool { return a.streams.CanAsk && !a.format.JSON() }
