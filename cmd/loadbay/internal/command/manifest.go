package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// manifestHelp explains the format of a manifest.
const manifestHelp = `With -f, the profiles and the imports in a YAML manifest are run one after the other; "-" is
standard input:

  profiles:                   # created, or changed if they differ
    - name: Tennis club
      type: MEMBERSHIP
      mapping: tennis.json    # file relative to the manifest, or the mapping itself
  imports:
    - source: members/*.csv   # file, pattern or URL, relative to the manifest
      type: MEMBERSHIP
      period: 2026          # by its name; or event, belongsTo, contextId
      profile: Tennis club
      mode: upsert
    - source: users.xlsx
      type: USER
      mapping: users.json     # file relative to the manifest
      options: {sheetName: Users, dateOrder: dmy}
      maxErrors: 2%
      guards: {updated: 10%}

All other members of the API for imports and profiles can be used with the same names. There are no
questions.`

// manifest is a YAML file that declares profiles and imports.
type manifest struct {
	Profiles []map[string]any `yaml:"profiles"`
	Imports  []map[string]any `yaml:"imports"`
}

// maxManifestBytes is the maximum size of a manifest, in bytes.
const maxManifestBytes = 1 << 20

// manifestImport is a declared import: its files and the settings for each.
type manifestImport struct {
	flags importFlags
	paths []string
}

// readManifest reads the imports and the profiles that a manifest declares.
func (a *app) readManifest(path string) ([]manifestImport, []declaredProfile, error) {
	text, err := a.readText(path, maxManifestBytes)
	if err != nil {
		return nil, nil, err
	}
	var m manifest
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&m); err != nil {
		return nil, nil, usageError{fmt.Errorf("%s contains no imports: %w", path, err)}
	}
	if len(m.Imports)+len(m.Profiles) == 0 {
		return nil, nil, usageError{fmt.Errorf("%s contains no imports: add them to the list imports; see --help", path)}
	}
	declared := make([]manifestImport, len(m.Imports))
	for i, entry := range m.Imports {
		if declared[i], err = parseDeclaration(filepath.Dir(path), entry); err != nil {
			return nil, nil, usageError{fmt.Errorf("%s: import %d: %w", path, i+1, err)}
		}
	}
	profiles := make([]declaredProfile, len(m.Profiles))
	for i, entry := range m.Profiles {
		if profiles[i], err = parseProfile(filepath.Dir(path), entry); err != nil {
			return nil, nil, usageError{fmt.Errorf("%s: profile %d: %w", path, i+1, err)}
		}
	}
	return declared, profiles, nil
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
	for name, to := range map[string]*string{"period": &d.flags.belongs.period, "event": &d.flags.belongs.event, "belongsTo": &d.flags.belongs.belongs} {
		if value, ok := entry[name]; ok {
			*to = fmt.Sprint(value) // a year is a number in YAML
			delete(entry, name)
		}
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
func (a *app) importManifest(ctx context.Context, path string, plan bool, batch batchFlags) error {
	declared, profiles, err := a.readManifest(path)
	if err != nil {
		return err
	}
	caller, err := a.client()
	if err != nil {
		return err
	}
	differ, err := a.applyProfiles(ctx, caller, profiles, plan)
	if err != nil {
		return err
	}
	var worst error
	if plan && len(differ) > 0 {
		worst = exitStatus(exitChanges)
	}
	var sources []source
	for i := range declared {
		d := &declared[i]
		if plan && differ[strings.ToLower(d.flags.profileName())] {
			a.report("%s is not planned, because its profile %s is not applied yet.", strings.Join(d.paths, ", "), d.flags.profileName())
			continue
		}
		d.flags.exitOnChanges = plan
		if plan {
			d.flags.importOptions.set("plan", true)
		}
		for _, path := range d.paths {
			sources = append(sources, source{&d.flags, path})
		}
	}
	batch.yes, batch.parallel = true, cmp.Or(batch.parallel, 1) // later imports may need the rows of earlier ones
	if len(sources) == 0 {
		return worst
	}
	return worse(worst, a.importAll(ctx, caller, sources, batch))
}

// profileName is the profile that an import of a manifest uses, or "".
func (f *importFlags) profileName() string {
	if f.defaults.Profile != nil {
		return *f.defaults.Profile
	}
	return f.profile
}

// createFromURL creates an import from an address, which the installation fetches.
func (a *app) createFromURL(ctx context.Context, caller *client.Client, f *importFlags, address string) (*api.ImportJob, error) {
	created, err := f.createRequest("", "")
	if err != nil {
		return nil, err
	}
	body, err := fetchRequest(address, f.resource, &created)
	if err != nil {
		return nil, err
	}
	made, err := client.Read[api.JobV1](caller.API.CreateBulkImport(ctx, &api.CreateBulkImportParams{IdempotencyKey: f.idempotencyKey()}, *body))
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
