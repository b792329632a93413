package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
	"github.com/loadbay/loadbay/shared/job"
)

func (a *app) profilesCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "profiles", Short: "Manage profiles (named mappings)",
		Long: `Manage profiles: named mappings for recurring files. PROFILE is the name of a profile, or its
ID if several types have a profile with that name.`,
	}
	c.AddCommand(a.profilesList(), a.profilesShow(), a.profilesCreate(), a.profilesChange(), a.profilesVersions(), a.profilesRestore(), a.profilesImports(), a.profilesDelete())
	return c
}

func (a *app) profilesList() *cobra.Command {
	var kind string
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List profiles by type and name", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			params := &api.ListProfilesParams{Size: new(min(limit, listPageSize)), ImportType: nonZero(strings.ToUpper(kind))}
			return printPage(ctx, a, caller, limit, profileTable)(caller.API.ListProfiles(ctx, params))
		}),
	})
	c.Flags().StringVar(&kind, "type", "", "only profiles of this type")
	c.Flags().IntVar(&limit, "limit", 100, "maximum number of results")
	return c
}

func profileTable(profiles []api.ProfileSummary) *render.Table {
	t := &render.Table{Header: []string{"ID", "TYPE", "NAME", "VERSION", "AUTO", "SAVED", "BY"}}
	for i := range profiles {
		p := &profiles[i]
		t.Add(p.ID, p.ImportType, p.Name, p.Version, yesNo(p.Auto), formatTime(&p.SavedAt), orDash(p.SavedBy))
	}
	return t
}

// findProfile returns the id of a profile, given its name or id.
func findProfile(ctx context.Context, caller *client.Client, name string) (string, error) {
	if _, err := uuid.Parse(name); err == nil {
		return name, nil
	}
	var found []api.ProfileSummary
	for p, err := range client.Pages[api.ProfileSummary](ctx, caller)(caller.API.ListProfiles(ctx, &api.ListProfilesParams{Name: &name})) {
		if err != nil {
			return "", err
		}
		if strings.EqualFold(p.Name, name) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no profile %q; run loadbay profiles list to see all profiles", name)
	case 1:
		return found[0].ID.String(), nil
	default:
		return "", usageError{fmt.Errorf("several types have a profile %q: use its ID (see loadbay profiles list)", name)}
	}
}

// withProfile returns the RunE of a command that takes a profile as its first argument.
func (a *app) withProfile(run func(ctx context.Context, caller *client.Client, id string, given []string) error) func(*cobra.Command, []string) error {
	return a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
		id, err := findProfile(ctx, caller, given[0])
		if err != nil {
			return err
		}
		return run(ctx, caller, id, given)
	})
}

func (a *app) profilesShow() *cobra.Command {
	var version string
	var mapping bool
	c := a.withFormatFlags(&cobra.Command{
		Use: "show PROFILE", Short: "Show a profile or its mapping", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(profileNames),
		Example: `  loadbay profiles show "Tennis club"
  loadbay profiles show "Tennis club" --mapping > mapping.json`,
		RunE: a.withProfile(func(ctx context.Context, caller *client.Client, id string, _ []string) error {
			if version != "" {
				return a.showVersion(ctx, caller, id, version, mapping)
			}
			found, err := client.Read[api.Profile](caller.API.GetProfile(ctx, id))
			if err != nil {
				return err
			}
			if mapping {
				return a.printMapping(&found.Mapping)
			}
			return a.print(found, func() *render.Table { return profileDetails(found) })
		}),
	})
	c.Flags().StringVar(&version, "version", "", "an earlier version")
	c.Flags().BoolVar(&mapping, "mapping", false, "print the mapping for import --mapping")
	return c
}

func (a *app) showVersion(ctx context.Context, caller *client.Client, id, version string, mapping bool) error {
	found, err := client.Read[api.ProfileVersionDocument](caller.API.GetProfileVersion(ctx, id, version))
	if err != nil {
		return err
	}
	if mapping {
		return a.printMapping(&found.Mapping)
	}
	summary := api.ProfileVersion{Auto: found.Auto, Headers: found.Headers, Name: found.Name, SavedAt: found.SavedAt, SavedBy: found.SavedBy, SavedFrom: found.SavedFrom, Version: found.Version}
	return a.print(found, func() *render.Table { return versionTable([]api.ProfileVersion{summary}) })
}

func (a *app) printMapping(m *api.Mapping) error {
	e := json.NewEncoder(a.streams.Out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(m)
}

func profileDetails(p *api.Profile) *render.Table {
	t := &render.Table{Header: []string{"PROPERTY", "VALUE"}}
	t.Add("id", p.ID)
	t.Add("name", p.Name)
	t.Add("type", p.ImportType)
	t.Add("version", p.Version)
	t.Add("auto", yesNo(p.Auto))
	t.Add("headers", cmp.Or(strings.Join(p.Headers, ", "), "-"))
	addresses := make([]string, len(p.Notify))
	for i, address := range p.Notify {
		addresses[i] = string(address)
	}
	t.Add("notify", cmp.Or(strings.Join(addresses, ", "), "-"))
	members := formatMembers(p)
	for _, o := range job.OptionsIn(job.InProfile) {
		t.Add(strings.ToLower(o.Title), members[o.Name])
	}
	t.Add("saved", formatTime(&p.SavedAt))
	t.Add("saved by", orDash(p.SavedBy))
	t.Add("saved from", orDash(p.SavedFrom))
	return t
}

func (a *app) profilesVersions() *cobra.Command {
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "versions PROFILE", Short: "List the versions of a profile, newest first", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(profileNames),
		RunE: a.withProfile(func(ctx context.Context, caller *client.Client, id string, _ []string) error {
			params := &api.ListProfileVersionsParams{Size: new(min(limit, listPageSize))}
			return printPage(ctx, a, caller, limit, versionTable)(caller.API.ListProfileVersions(ctx, id, params))
		}),
	})
	c.Flags().IntVar(&limit, "limit", 30, "maximum number of results")
	return c
}

func versionTable(versions []api.ProfileVersion) *render.Table {
	t := &render.Table{Header: []string{"VERSION", "NAME", "AUTO", "SAVED", "BY", "FROM"}}
	for i := range versions {
		v := &versions[i]
		t.Add(v.Version, v.Name, yesNo(v.Auto), formatTime(&v.SavedAt), orDash(v.SavedBy), orDash(v.SavedFrom))
	}
	return t
}

func (a *app) profilesImports() *cobra.Command {
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "imports PROFILE", Short: "List the imports that used a profile, newest first", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(profileNames),
		RunE: a.withProfile(func(ctx context.Context, caller *client.Client, id string, _ []string) error {
			params := &api.ListProfileImportsParams{Size: new(min(limit, listPageSize))}
			return printPage(ctx, a, caller, limit, jobTable)(caller.API.ListProfileImports(ctx, id, params))
		}),
	})
	c.Flags().IntVar(&limit, "limit", 30, "maximum number of results")
	return c
}

func (a *app) profilesDelete() *cobra.Command {
	var yes bool
	return confirmFlag(&cobra.Command{
		Use: "delete PROFILE", Short: "Delete a profile with all versions", Aliases: []string{"rm"}, Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(profileNames),
		RunE: a.withProfile(func(ctx context.Context, caller *client.Client, id string, given []string) error {
			if err := a.confirm(fmt.Sprintf("Delete the profile %q?", given[0]), yes); err != nil {
				return err
			}
			return client.Do(caller.API.DeleteProfile(ctx, id))
		}),
	}, &yes)
}

// profileNames completes profiles.
func profileNames(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeProfiles(c.API.ListProfiles(ctx, &api.ListProfilesParams{Size: new(listPageSize)}))
}

func completeProfiles(response *http.Response, err error) ([]cobra.Completion, error) {
	return completeList(func(p *api.ProfileSummary) (word, title string) { return p.Name, p.ImportType })(response, err)
}
