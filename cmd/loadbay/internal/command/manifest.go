package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// manifestHelp explains the format of a manifest.
const manifestHelp = `With -f, the imports in a YAML manifest are run one after the other:

  imports:
    - source: members/*.csv   # file, pattern or URL, relative to the manifest
      type: MEMBERSHIP
      contextId: 12
      profile: Tennis club
      mode: upsert
    - source: users.xlsx
      type: USER
      mapping: users.json     # file relative to the manifest
      options: {sheetName: Users, dateOrder: dmy}
      maxErrors: 2%
      guards: {updated: 10%}

All other members of POST /api/imports can be used with the same names. There are no questions.`

// manifest is a YAML file that declares imports.
type manifest struct {
	Imports []map[string]any `yaml:"imports"`
}

// maxManifestBytes is the maximum size of a manifest, in bytes.
const maxManifestBytes = 1 << 20

// manifestImport is a declared import: its files and the settings for each.
type manifestImport struct {
	flags importFlags
	paths []string
}

// readManifest reads the imports that a manifest declares.
func readManifest(path string) ([]manifestImport, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m manifest
	d := yaml.NewDecoder(bytes.NewReader(text[:min(len(text), maxManifestBytes+1)]))
	d.KnownFields(true)
	if err := d.Decode(&m); err != nil || len(text) > maxManifestBytes {
		return nil, usageError{fmt.Errorf("%s contains no imports: %w", path, errors.Join(err, checkManifestSize(len(text))))}
	}
	if len(m.Imports) == 0 {
		return nil, usageError{fmt.Errorf("%s contains no imports: add them to the list imports; see --help", path)}
	}
	declared := make([]manifestImport, len(m.Imports))
	for i, entry := range m.Imports {
		if declared[i], err = parseDeclaration(filepath.Dir(path), entry); err != nil {
			return nil, usageError{fmt.Errorf("%s: import %d: %w", path, i+1, err)}
		}
	}
	return declared, nil
}

func checkManifestSize(n int) error {
	if n > maxManifestBytes {
		return fmt.Errorf("it has more than %d bytes", maxManifestBytes)
	}
	return nil
}

// parseDeclaration parses the declaration of an import. Relative file names refer to the folder
// of the manifest.
func parseDeclaration(folder string, entry map[string]any) (manifestImport, error) {
	var d manifestImport
	source, err := takeString(entry, "source")
	if err != nil {
		return d, err
	}
	if d.flags.kind, err = takeString(entry, "type"); err != nil {
		return d, err
	}
	if mapping, ok := entry["mapping"].(string); ok {
		d.flags.mapping = resolvePath(folder, mapping)
		delete(entry, "mapping")
	}
	for _, own := range []string{"filename", "sizeBytes", "sha256", "importType", "plan"} {
		if _, ok := entry[own]; ok {
			return d, fmt.Errorf("%s is not allowed", own)
		}
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return d, err
	}
	fields := json.NewDecoder(bytes.NewReader(text))
	fields.DisallowUnknownFields()
	if err := fields.Decode(&d.flags.defaults); err != nil {
		return d, err
	}
	d.flags.yes = d.flags.defaults.Review == nil
	d.paths, err = expandSource(folder, source)
	return d, err
}

// takeString removes a required text from the declaration and returns it.
func takeString(entry map[string]any, name string) (string, error) {
	text, _ := entry[name].(string)
	if text == "" {
		return "", fmt.Errorf("%s is missing", name)
	}
	delete(entry, name)
	return text, nil
}

func resolvePath(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// expandSource returns the files that match a pattern; an address is returned unchanged.
func expandSource(folder, pattern string) ([]string, error) {
	if isURL(pattern) {
		return []string{pattern}, nil
	}
	found, err := filepath.Glob(resolvePath(folder, pattern))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("file %s not found", pattern)
	}
	return found, err
}

// isURL reports whether the installation fetches the source.
func isURL(source string) bool {
	return strings.HasPrefix(source, "https://") || strings.HasPrefix(source, "http://")
}

// importManifest imports or plans all declared imports and returns the worst result.
func (a *app) importManifest(ctx context.Context, path string, plan bool) error {
	declared, err := readManifest(path)
	if err != nil {
		return err
	}
	caller, err := a.client()
	if err != nil {
		return err
	}
	var all []func() error
	for i := range declared {
		d := &declared[i]
		d.flags.exitOnChanges = plan
		if plan {
			d.flags.importOptions.set("plan", true)
		}
		for _, source := range d.paths {
			all = append(all, func() error { return a.importOne(ctx, caller, &d.flags, source) })
		}
	}
	return a.runAll(ctx, all)
}

// importOne imports a file and adds its name to errors.
func (a *app) importOne(ctx context.Context, caller *client.Client, f *importFlags, source string) error {
	err := a.importFile(ctx, caller, f, source)
	var status exitStatus
	if err != nil && !errors.As(err, &status) {
		return fmt.Errorf("%s: %w", source, err)
	}
	return err
}

// severity orders the results of imports: pending work for a person is worse than a completed
// import.
var severity = map[exitStatus]int{exitChanges: 1, exitRowErrors: 2, exitPending: 3, exitFailed: 4}

// runAll calls the functions one after the other and returns the worst result. It continues
// after a failure, but not after cancellation.
func (a *app) runAll(ctx context.Context, all []func() error) error {
	var worst error
	for _, do := range all {
		err := do()
		if err != nil && (len(all) == 1 || ctx.Err() != nil) {
			return err
		}
		code := exitStatus(exitFailed)
		if err != nil && !errors.As(err, &code) {
			a.notify("%s", err)
		}
		var before exitStatus
		if err != nil && (!errors.As(worst, &before) || severity[code] > severity[before]) {
			worst = code
		}
	}
	return worst
}

// createFromURL creates an import from an address, which the installation fetches.
func (a *app) createFromURL(ctx context.Context, caller *client.Client, f *importFlags, address string) (*api.ImportJob, error) {
	created, err := f.createRequest("", "")
	if err != nil {
		return nil, err
	}
	types, err := client.Read[[]api.ImportType](caller.API.ListTypes(ctx))
	if err != nil {
		return nil, err
	}
	of, err := findType(*types, f.kind)
	if err != nil {
		return nil, err
	}
	body, err := fetchRequest(address, of.Resource, &created)
	if err != nil {
		return nil, err
	}
	made, err := client.Read[api.JobV1](caller.API.CreateV1(ctx, &api.CreateV1Params{IdempotencyKey: f.idempotencyKey()}, *body))
	if err != nil {
		return nil, err
	}
	return client.Read[api.ImportJob](caller.API.GetImport(ctx, made.JobID.String(), nil))
}

// manifestOr returns an argument check that allows no arguments if a manifest is given.
func manifestOr(manifest *string, check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if *manifest != "" {
			check = cobra.NoArgs
		}
		return exactUsage(check)(c, given)
	}
}
