package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	openapi "github.com/oapi-codegen/runtime/types"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/shared/job"
)

// profileFlags are the properties of a profile.
type profileFlags struct {
	name, kind, from, mapping string
	headers, notify           []string
	auto                      bool
	importOptions             optionFlags
}

func (f *profileFlags) register(c *cobra.Command) *cobra.Command {
	flags := c.Flags()
	flags.StringVar(&f.from, "from-import", "", "copy the decisions of this import")
	flags.StringVar(&f.mapping, "mapping", "", "a JSON file with the mapping")
	flags.StringArrayVar(&f.headers, "header", nil, "a column header of the files; repeat in order")
	flags.BoolVar(&f.auto, "auto", false, "apply automatically to files with exactly these headers")
	flags.StringSliceVar(&f.notify, "notify", nil, "e-mail recipients for its imports")
	f.importOptions.register(flags, job.InProfile)
	return c
}

// loadMapping returns the mapping given by the flags; nil means none.
func (f *profileFlags) loadMapping() (*api.Mapping, error) {
	if f.mapping == "" {
		return nil, nil //nolint:nilnil // none is given
	}
	return readMapping(f.mapping)
}

// originImport returns the import given by the flags; nil means none.
func (f *profileFlags) originImport() (*openapi.UUID, error) {
	if f.from == "" {
		return nil, nil //nolint:nilnil // none is given
	}
	id, err := uuid.Parse(f.from)
	if err != nil {
		return nil, usageError{fmt.Errorf("--from-import %s is not an import ID", f.from)}
	}
	return &id, nil
}

// recipients returns the addresses of the flag notify; nil if it is not set.
func (f *profileFlags) recipients(c *cobra.Command) *api.ProfileNotify {
	if !c.Flags().Changed("notify") {
		return nil
	}
	addresses := api.ProfileNotify{}
	for _, address := range f.notify {
		addresses = append(addresses, openapi.Email(address))
	}
	return &addresses
}

// changes returns the properties that the flags set.
func (f *profileFlags) changes(c *cobra.Command) (body api.UpdateProfileJSONRequestBody, err error) {
	body = api.UpdateProfileJSONRequestBody{Name: nonZero(f.name), Notify: f.recipients(c)}
	if c.Flags().Changed("auto") {
		body.Auto = &f.auto
	}
	if len(f.headers) > 0 {
		body.Headers = &f.headers
	}
	if body.Mapping, err = f.loadMapping(); err != nil {
		return body, err
	}
	if body.FromImport, err = f.originImport(); err != nil {
		return body, err
	}
	return body, f.importOptions.apply(&body)
}

func (a *app) profilesCreate() *cobra.Command {
	var f profileFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "create NAME", Short: "Create a profile from an import or a mapping", Args: exactUsage(cobra.ExactArgs(1)),
		Example: `  loadbay profiles create "Tennis club" --from-import 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --auto
  loadbay profiles create Shop --type USER --mapping mapping.json`,
	})
	c.RunE = func(_ *cobra.Command, given []string) error {
		if (f.from == "") == (f.kind == "") {
			return usageError{errors.New("use either --from-import, or --type with --mapping")}
		}
		caller, err := a.client()
		if err != nil {
			return err
		}
		body := api.CreateProfileJSONRequestBody{Name: given[0], ImportType: nonZero(strings.ToUpper(f.kind))}
		changes, err := f.changes(c)
		if err == nil {
			err = convertJSON(changes, &body)
		}
		if err != nil {
			return err
		}
		return printValue(a, profileDetails)(caller.API.CreateProfile(c.Context(), body))
	}
	c.Flags().StringVarP(&f.kind, "type", "t", "", "the import type, such as USER")
	_ = c.RegisterFlagCompletionFunc("type", a.completeArgs(typeNames)) // the flag is registered above
	return f.register(c)
}

func (a *app) profilesChange() *cobra.Command {
	var f profileFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "change PROFILE", Short: "Change a profile; other settings are kept", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(profileNames),
		Example: `  loadbay profiles change "Tennis club" --auto=false --name "Tennis section"`,
	})
	c.RunE = a.withProfile(func(ctx context.Context, caller *client.Client, id string, _ []string) error {
		now, err := client.Read[api.Profile](caller.API.GetProfile(ctx, id))
		if err != nil {
			return err
		}
		body, err := f.changes(c)
		if err != nil {
			return err
		}
		return printValue(a, profileDetails)(caller.API.UpdateProfile(ctx, id, &api.UpdateProfileParams{IfMatch: fmt.Sprintf("%q", strconv.Itoa(now.Version))}, body))
	})
	c.Flags().StringVar(&f.name, "name", "", "new name")
	return f.register(c)
}

func (a *app) profilesRestore() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "restore PROFILE VERSION", Short: "Restore an earlier version of a profile", Args: exactUsage(cobra.ExactArgs(2)), ValidArgsFunction: a.completeArgs(profileNames),
		RunE: a.withProfile(func(ctx context.Context, caller *client.Client, id string, given []string) error {
			return printValue(a, profileDetails)(caller.API.RestoreProfile(ctx, id, given[1]))
		}),
	})
}
