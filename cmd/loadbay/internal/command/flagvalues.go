package command

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/shared/job"
)

// flagValues are the completions of flags by name. Other flags are completed with files.
func (a *app) flagValues(c *cobra.Command) map[string]cobra.CompletionFunc {
	known := optionCompletions()
	maps.Copy(known, map[string]cobra.CompletionFunc{
		"installation":   a.completeContexts,
		"context":        a.completeContexts,
		"timeout":        fixedCompletion("10s", "30s", "1m", "5m"),
		"type":           a.dynamicCompletion(typeNames),
		"profile":        a.dynamicCompletion(profilesOfType(c)),
		"retry-of":       a.dynamicCompletion(importIDs),
		"format":         fixedCompletion("csv", "ndjson", "xlsx"),
		"outcome":        fixedCompletion(api.OutcomeCREATED, api.OutcomeUPDATED, api.OutcomeUNCHANGED, api.OutcomeSKIPPED, api.OutcomeERROR),
		"on-stale":       fixedCompletion("skip", "abort", "overwrite"),
		"context-id":     a.dynamicCompletion(contextsOfType(c, true)),
		"period":         a.dynamicCompletion(contextsOfType(c, false)),
		"event":          a.dynamicCompletion(contextsOfType(c, false)),
		"belongs-to":     a.dynamicCompletion(contextsOfType(c, false)),
		"option":         optionNames(),
		"map":            cobra.NoFileCompletions,
		"by":             a.dynamicCompletion(fieldsOf(c)),
		"field":          a.dynamicCompletion(fieldsOf(c)),
		"fields":         a.dynamicCompletion(fieldsOf(c)),
		"create-missing": a.dynamicCompletion(fieldsOf(c)),
		"value":          completeFieldPrefix(a.dynamicCompletion(fieldsOf(c))),
		"json":           completeOutputFields,
		"code":           a.dynamicCompletion(codesOfRows(c)),
		"url":            cobra.NoFileCompletions,
	})
	return known
}

// importStatuses completes the statuses of imports.
func importStatuses() cobra.CompletionFunc {
	return fixedCompletion(api.StatusUPLOADED, api.StatusCOLUMNMAPPING, api.StatusCELLMAPPING, api.StatusPROCESSING, api.StatusAWAITINGAPPROVAL,
		api.StatusCOMPLETED, api.StatusFAILED, api.StatusCANCELLED)
}

// fixedCompletion completes with fixed values.
func fixedCompletion[T ~string](choices ...T) cobra.CompletionFunc {
	texts := make([]cobra.Completion, len(choices))
	for i, choice := range choices {
		texts[i] = string(choice)
	}
	return cobra.FixedCompletions(texts, cobra.ShellCompDirectiveNoFileComp)
}

// profilesOfType completes profiles, filtered by the type given to the command, if any.
func profilesOfType(c *cobra.Command) completionSource {
	return func(ctx context.Context, caller *client.Client) ([]cobra.Completion, error) {
		params := &api.ListProfilesParams{}
		if kind := c.Flags().Lookup("type"); kind != nil {
			params.ImportType = nonZero(kind.Value.String())
		}
		return completeProfiles(caller.API.ListProfiles(ctx, params))
	}
}

// optionNames completes the options of files, as NAME=.
func optionNames() cobra.CompletionFunc {
	var names []cobra.Completion
	t := reflect.TypeFor[api.Options]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name+"=")
	}
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
}

// settingNames completes the settings of an organisation, as NAME=.
func settingNames() cobra.CompletionFunc {
	var names []cobra.Completion
	for _, o := range job.OptionsIn(job.AsDefault) {
		names = append(names, cobra.CompletionWithDesc(o.Name+"=", o.Title))
	}
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
}

// fieldsOf completes the fields of the type that the flag or the first argument of a command names,
// or of the type of the import that the argument names. Exports name them by their columns.
func fieldsOf(c *cobra.Command) completionSource {
	return func(ctx context.Context, caller *client.Client) ([]cobra.Completion, error) {
		name := ""
		if kind := c.Flags().Lookup("type"); kind != nil {
			name = kind.Value.String()
		} else if c.Flags().NArg() > 0 {
			name = c.Flags().Arg(0)
		}
		if _, err := uuid.Parse(name); err == nil {
			found, err := client.Read[api.ImportJob](caller.API.GetImport(ctx, name, nil))
			if err != nil {
				return nil, err
			}
			name = found.ImportType
		}
		t, err := findType(ctx, caller, name)
		if err != nil {
			return nil, err
		}
		var fields []cobra.Completion
		for i := range t.Fields {
			f := &t.Fields[i]
			word := f.Name
			if c.Name() == "export" {
				word = f.Column
			}
			fields = append(fields, cobra.CompletionWithDesc(word, f.Title))
		}
		return fields, nil
	}
}

// completeFieldPrefix completes FIELD: of --value, after which the value of the file is typed.
func completeFieldPrefix(fields cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, _ := fields(c, given, typed)
		for i, field := range found {
			name, title, _ := strings.Cut(field, "\t")
			found[i] = cobra.CompletionWithDesc(name+":", title)
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// codesOfRows completes the codes of the errors of the import that the argument names.
func codesOfRows(c *cobra.Command) completionSource {
	return func(ctx context.Context, caller *client.Client) ([]cobra.Completion, error) {
		if c.Flags().NArg() == 0 {
			return nil, nil
		}
		counts, err := client.Read[api.RowCounts](caller.API.CountRows(ctx, c.Flags().Arg(0)))
		if err != nil {
			return nil, err
		}
		var codes []cobra.Completion
		for _, kind := range counts.Counts {
			if !slices.Contains(codes, kind.Code) {
				codes = append(codes, kind.Code)
			}
		}
		return codes, nil
	}
}

// deliveryIDs completes the latest messages of the webhook.
func deliveryIDs(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(d *api.WebhookDelivery) (word, title string) {
		return d.EventID.String(), string(d.Type) + ", " + formatEnum(d.Status)
	})(c.API.ListWebhookDeliveries(ctx, nil))
}
