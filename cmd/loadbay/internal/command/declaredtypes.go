package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// addDeclaredTypes adds the commands for types that the organisation declares.
func (a *app) addDeclaredTypes(c *cobra.Command) *cobra.Command {
	c.AddCommand(a.typesList(), a.typesShow(), a.typesVersions(), a.typesRetire(), a.typesApply(), a.typesDiff(),
		a.typesTables(), a.typesAdopt(), a.typesCheck(), a.typesDrift())
	return c
}

const yamlType = "application/yaml"

// maxDeclaration is more than the service accepts, so that its own message is shown.
const maxDeclaration = 1 << 20

func (a *app) typesList() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List the types that the organisation has declared", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return printValue(a, func(found *[]api.DeclaredTypeSummary) *render.Table { return declaredTable(*found) })(caller.API.ListTypes(ctx))
		}),
	})
}

func declaredTable(types []api.DeclaredTypeSummary) *render.Table {
	t := &render.Table{Header: []string{"TYPE", "VERSION", "TITLE", "TABLE", "SAVED", "BY", "RETIRED"}}
	for i := range types {
		of := &types[i]
		t.Add(of.Name, of.Version, of.Title, of.Table, formatTime(&of.SavedAt), orDash(of.SavedBy), formatTime(of.RetiredAt))
	}
	return t
}

func (a *app) typesShow() *cobra.Command {
	var version string
	c := &cobra.Command{
		Use: "show TYPE", Short: "Print the declaration of a type as YAML", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(declaredNames),
		Example: `  loadbay types show PRODUCT > product.yaml`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) (err error) {
			name := strings.ToUpper(given[0])
			if version != "" {
				_, err = caller.Save(ctx, a.streams.Out)(caller.API.GetTypeVersion(ctx, name, version, acceptYAML))
			} else {
				_, err = caller.Save(ctx, a.streams.Out)(caller.API.GetType(ctx, name, acceptYAML))
			}
			var refused *client.Error
			if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
				a.report("Shipped types have no declaration. To list the fields of a type, run: loadbay types %s", name)
			}
			return err
		}),
	}
	c.Flags().StringVar(&version, "version", "", "an earlier version")
	return c
}

func acceptYAML(_ context.Context, r *http.Request) error {
	r.Header.Set("Accept", yamlType)
	return nil
}

func (a *app) typesVersions() *cobra.Command {
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "versions TYPE", Short: "List the versions of a declared type, newest first", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(declaredNames),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printPage(ctx, a, caller, limit, declaredTable)(caller.API.ListTypeVersions(ctx, strings.ToUpper(given[0]), &api.ListTypeVersionsParams{}))
		}),
	})
	c.Flags().IntVar(&limit, "limit", 30, "maximum number of results")
	return c
}

func (a *app) typesRetire() *cobra.Command {
	return &cobra.Command{
		Use: "retire TYPE", Short: "Let no more imports start with a declared type", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(declaredNames),
		Long: `Let no more imports start with a declared type. Imports that have started are finished, and can
be undone. Apply the declaration again to use the type.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			_, err := client.Read[declaredVersion](caller.API.RetireType(ctx, strings.ToUpper(given[0])))
			return err
		}),
	}
}

// declaredVersion is a version of a declared type, with all of its declaration.
type declaredVersion struct {
	Name        string         `json:"name"`
	Version     int            `json:"version"`
	Declaration map[string]any `json:"declaration"`
}

func (a *app) typesApply() *cobra.Command {
	var path string
	c := &cobra.Command{
		Use: "apply", Short: "Create or change a type from its declaration", Args: exactUsage(cobra.NoArgs),
		Long: `Create a type from its declaration, or add a version to it. A declaration that has not changed adds
no version. Imports that already exist continue with the version that they started with.`,
		Example: `  loadbay types apply -f product.yaml`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			now, then, err := a.applyDeclaration(ctx, caller, path, false)
			if err != nil {
				return err
			}
			switch {
			case now == nil:
				fmt.Fprintf(a.streams.Out, "%s created\n", then.Name)
			case now.Version == then.Version:
				fmt.Fprintf(a.streams.Out, "%s unchanged: version %d\n", then.Name, then.Version)
			default:
				fmt.Fprintf(a.streams.Out, "%s changed: version %d\n", then.Name, then.Version)
			}
			return nil
		}),
	}
	return bindDeclaration(c, &path)
}

func (a *app) typesDiff() *cobra.Command {
	var path string
	c := a.withFormatFlags(&cobra.Command{
		Use: "diff", Short: "Compare a declaration with the type in use", Args: exactUsage(cobra.NoArgs),
		Long: `Compare a declaration with the type in use, and check it. The exit code is 5 if there is a
difference, also if the table has changed since the type was applied.`,
		Example: `  loadbay types diff -f product.yaml`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			now, then, err := a.applyDeclaration(ctx, caller, path, true)
			if err != nil {
				return err
			}
			if now == nil {
				now = &declaredVersion{}
			}
			found := differences("", now.Declaration, then.Declaration)
			if err := a.print(found, func() *render.Table { return differenceTable(found) }); err != nil {
				return err
			}
			if len(found) == 0 && now.Version == then.Version {
				return nil
			}
			if len(found) == 0 {
				a.notify("The declaration is the same, but the table has changed: see loadbay types drift %s.", then.Name)
			}
			return exitStatus(exitChanges)
		}),
	})
	return bindDeclaration(c, &path)
}

func bindDeclaration(c *cobra.Command, path *string) *cobra.Command {
	c.Flags().StringVarP(path, "file", "f", "", `the declaration in YAML or JSON; "-" is standard input`)
	_ = c.MarkFlagRequired("file") // registered above
	return c
}

// applyDeclaration applies a file, or does so without saving. It returns the type before, or nil, and
// afterwards.
func (a *app) applyDeclaration(ctx context.Context, caller *client.Client, path string, dryRun bool) (now, then *declaredVersion, err error) {
	source, name, err := a.readDeclaration(path)
	if err != nil {
		return nil, nil, err
	}
	params := &api.ApplyTypeParams{DryRun: nonZero(dryRun)}
	now, err = client.Read[declaredVersion](caller.API.GetType(ctx, name))
	var refused *client.Error
	switch {
	case err == nil:
		params.IfMatch = new(strconv.Quote(strconv.Itoa(now.Version)))
	case errors.As(err, &refused) && refused.Status == http.StatusNotFound:
		now, params.IfNoneMatch = nil, new("*")
	default:
		return nil, nil, err
	}
	then, err = client.Read[declaredVersion](caller.API.ApplyTypeWithBody(ctx, name, params, yamlType, strings.NewReader(source)))
	return now, then, err
}

// readDeclaration returns the text of a declaration and the name of its type.
func (a *app) readDeclaration(path string) (source, name string, err error) {
	text, err := a.readText(path, maxDeclaration)
	if err != nil {
		return "", "", err
	}
	var of struct {
		Name string `yaml:"name"`
	}
	if err := yaml.Unmarshal(text, &of); err != nil || of.Name == "" {
		return "", "", usageError{fmt.Errorf("%s is not a declaration with a name: %w", path, errors.Join(err, errNoName))}
	}
	return string(text), of.Name, nil
}

var errNoName = errors.New("add a line such as name: PRODUCT")

// difference is a part of a declaration that differs.
type difference struct {
	Path string `json:"path"`
	Now  any    `json:"now"`  // nil if it is new
	Then any    `json:"then"` // nil if it is removed
}

// differences compares two documents, member by member. Members of lists are compared by their
// names, if they have any.
func differences(path string, now, then any) []difference {
	before, after := members(now), members(then)
	if before == nil && after == nil {
		if fmt.Sprint(now) == fmt.Sprint(then) {
			return nil
		}
		return []difference{{path, now, then}}
	}
	found := []difference{}
	keys := maps.Clone(before)
	if keys == nil {
		keys = map[string]any{}
	}
	maps.Copy(keys, after)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		found = append(found, differences(strings.TrimPrefix(path+"."+key, "."), before[key], after[key])...)
	}
	return found
}

// members returns the members of an object or a list, or nil for other values.
func members(value any) map[string]any {
	switch value := value.(type) {
	case map[string]any:
		return value
	case []any:
		found := make(map[string]any, len(value))
		for i, entry := range value {
			key := strconv.Itoa(i)
			if of, ok := entry.(map[string]any); ok && of["name"] != nil {
				key = fmt.Sprint(of["name"])
			}
			found[key] = entry
		}
		return found
	}
	return nil
}

func differenceTable(found []difference) *render.Table {
	t := &render.Table{Header: []string{"PATH", "NOW", "THEN"}}
	for _, d := range found {
		t.Add(d.Path, shortJSON(d.Now), shortJSON(d.Then))
	}
	return t
}

func shortJSON(value any) string {
	if value == nil {
		return "-"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "-"
	}
	return string(text)
}

// declaredNames completes declared types.
func declaredNames(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(t *api.DeclaredTypeSummary) (word, title string) { return t.Name, t.Title })(c.API.ListTypes(ctx))
}
