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

// manifestHelp says what a file with declared imports is.
const manifestHelp = `With -f, the imports are those that a YAML file declares, one after the other:

  imports:
    - source: members/*.csv   # a file beside this one, several, or an address
      type: MEMBERSHIP
      contextId: 12
      profile: Tennis club
      mode: upsert
    - source: users.xlsx
      type: USER
      mapping: users.json     # a file beside this one
      options: {sheetName: Users, dateOrder: dmy}
      maxErrors: 2%
      guards: {updated: 10%}

All else that POST /api/imports takes may be said as well, under its names. Nobody is asked.`

// manifest is a file with declared imports.
type manifest struct {
	Imports []map[string]any `yaml:"imports"`
}

// maxManifestBytes bounds such a file, in bytes.
const maxManifestBytes = 1 << 20

// manifestImport is one of them: the files, and what is said of each.
type manifestImport struct {
	flags importFlags
	paths []string
}

// readManifest reads the imports that a file declares.
func readManifest(path string) ([]manifestImport, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m manifest
	d := yaml.NewDecoder(bytes.NewReader(text[:min(len(text), maxManifestBytes+1)]))
	d.KnownFields(true)
	if err := d.Decode(&m); err != nil || len(text) > maxManifestBytes {
		return nil, usageError{fmt.Errorf("%s declares no imports: %w", path, errors.Join(err, checkManifestSize(len(text))))}
	}
	if len(m.Imports) == 0 {
		return nil, usageError{fmt.Errorf("%s declares no imports: its member imports is a list of them; see --help", path)}
	}
	declared := make([]manifestImport, len(m.Imports))
	for i, said := range m.Imports {
		if declared[i], err = parseDeclaration(filepath.Dir(path), said); err != nil {
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

// parseDeclaration makes an import of what is said of it. Files are beside the one that says it.
func parseDeclaration(folder string, said map[string]any) (manifestImport, error) {
	var d manifestImport
	source, err := takeString(said, "source")
	if err != nil {
		return d, err
	}
	if d.flags.kind, err = takeString(said, "type"); err != nil {
		return d, err
	}
	if mapping, ok := said["mapping"].(string); ok {
		d.flags.mapping = resolvePath(folder, mapping)
		delete(said, "mapping")
	}
	for _, own := range []string{"filename", "sizeBytes", "sha256", "importType", "plan"} {
		if _, ok := said[own]; ok {
			return d, fmt.Errorf("%s is not to be said", own)
		}
	}
	text, err := json.Marshal(said)
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

// takeString takes a text that has to be there out of what is said.
func takeString(said map[string]any, name string) (string, error) {
	text, _ := said[name].(string)
	if text == "" {
		return "", fmt.Errorf("%s is missing", name)
	}
	delete(said, name)
	return text, nil
}

func resolvePath(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// expandSource are the files that a pattern means; an address stands for itself.
func expandSource(folder, pattern string) ([]string, error) {
	if isURL(pattern) {
		return []string{pattern}, nil
	}
	found, err := filepath.Glob(resolvePath(folder, pattern))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("there is no file %s", pattern)
	}
	return found, err
}

// isURL reports whether a source is fetched by the installation.
func isURL(source string) bool {
	return strings.HasPrefix(source, "https://") || strings.HasPrefix(source, "http://")
}

// importManifest imports what a file declares, or plans it, and ends as the worst of it.
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
		d.flags.plan, d.flags.exitOnChanges = plan, plan
		for _, source := range d.paths {
			all = append(all, func() error { return a.importOne(ctx, caller, &d.flags, source) })
		}
	}
	return a.runAll(ctx, all)
}

// importOne imports a file, and names it where that fails.
func (a *app) importOne(ctx context.Context, caller *client.Client, f *importFlags, source string) error {
	err := a.importFile(ctx, caller, f, source)
	var told exitStatus
	if err != nil && !errors.As(err, &told) {
		return fmt.Errorf("%s: %w", source, err)
	}
	return err
}

// severity says how bad it is that an import ends so: what needs somebody is worse than
// what is done.
var severity = map[exitStatus]int{exitChanges: 1, exitRowErrors: 2, exitPending: 3, exitFailed: 4}

// runAll does all of it, one after the other, and ends as the worst: it goes on after one
// that has failed, but not once it is stopped.
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

// createFromURL has the installation fetch a file from its address.
func (a *app) createFromURL(ctx context.Context, caller *client.Client, f *importFlags, address string) (*api.ImportJob, error) {
	said, err := f.createRequest("", "")
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
	body := api.CreateV1JSONRequestBody{
		URL: address, ResourceType: of.Resource, Approval: said.Approval, ContextID: said.ContextID, DryRun: said.DryRun, Guards: said.Guards, Label: said.Label,
		Mapping: said.Mapping, MaxErrors: said.MaxErrors, Mode: said.Mode, Notify: said.Notify, Plan: said.Plan, Profile: said.Profile, Review: said.Review,
	}
	if said.Options != nil {
		body.Options = new(map[string]any)
		if err := convertJSON(said.Options, body.Options); err != nil {
			return nil, err
		}
	}
	made, err := client.Read[api.JobV1](caller.API.CreateV1(ctx, &api.CreateV1Params{IdempotencyKey: f.idempotencyKey()}, body))
	if err != nil {
		return nil, err
	}
	return client.Read[api.ImportJob](caller.API.GetImport(ctx, made.JobID.String(), nil))
}

// manifestOr is a check of arguments that wants none where a file declares imports.
func manifestOr(manifest *string, check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if *manifest != "" {
			check = cobra.NoArgs
		}
		return exactUsage(check)(c, given)
	}
}
