package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) settingsCommand() *cobra.Command {
	c := a.withFormatFlags(&cobra.Command{
		Use: "settings", Short: "Show the organisation's default settings for imports", Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return printValue(a, settingsTable)(caller.API.GetSettings(ctx))
		}),
	})
	c.AddCommand(a.settingsSet(), a.settingsQuotas())
	return c
}

func (a *app) settingsSet() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "set NAME=VALUE...", Short: "Change settings", Args: exactUsage(cobra.MinimumNArgs(1)), ValidArgsFunction: settingNames(),
		Long: `Change settings. A value is text, or JSON for other types. NAME= resets a setting to its
default.`,
		Example: `  loadbay settings set review=always dateOrder=dmy timeZone=Europe/Paris
  loadbay settings set 'mailDomains=["example.org"]' undoDays=90 mode=`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			text, err := parseAssignments(given)
			if err != nil {
				return err
			}
			return printValue(a, settingsTable)(caller.API.UpdateSettingsWithBody(ctx, "application/json", bytes.NewReader(text)))
		}),
	})
}

// parseAssignments converts NAME=VALUE arguments to a JSON object. A value that is JSON other
// than a string, such as a number or a list, is used as it is; any other value is text; an empty
// one is null.
func parseAssignments(given []string) ([]byte, error) {
	return parseMembers("", given, func(value string) any {
		switch {
		case value == "":
			return nil
		case json.Valid([]byte(value)):
			return json.RawMessage(value)
		}
		return value
	})
}

// parseMembers returns texts of the form NAME=VALUE as a JSON object. source names them in errors.
func parseMembers(source string, given []string, parse func(value string) any) ([]byte, error) {
	object := make(map[string]any, len(given))
	for _, g := range given {
		name, value, ok := strings.Cut(g, "=")
		if !ok {
			return nil, usageError{fmt.Errorf("%s%s: use NAME=VALUE", source, g)}
		}
		object[name] = parse(value)
	}
	return json.Marshal(object)
}

// settingsTable has a line for each setting except the quotas.
func settingsTable(s *api.Settings) *render.Table {
	t := &render.Table{Header: []string{"SETTING", "VALUE"}}
	members := formatMembers(s)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name != "quotas" {
			t.Add(name, members[name])
		}
	}
	return t
}

// formatMembers formats the members of an API object for people: texts as they are, "-" for
// none, other values as JSON.
func formatMembers(object any) map[string]string {
	whole, err := json.Marshal(object)
	members := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(whole, &members)
	}
	found := make(map[string]string, len(members))
	for name, member := range members {
		var text string
		switch {
		case err != nil, string(member) == "null":
			text = "-"
		case json.Unmarshal(member, &text) != nil:
			text = string(member)
		}
		found[name] = text
	}
	return found
}

func (a *app) settingsQuotas() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "quotas", Short: "Show the quotas of the organisation and their usage", Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return printValue(a, quotaTable)(caller.API.GetQuotas(ctx))
		}),
	})
}

func quotaTable(q *api.Quotas) *render.Table {
	t := &render.Table{Header: []string{"QUOTA", "USED", "LIMIT"}}
	t.Add("openImports", q.OpenImports.Used, q.OpenImports.Limit)
	t.Add("openExports", q.OpenExports.Used, q.OpenExports.Limit)
	t.Add("announcedBytes", q.AnnouncedBytes.Used, q.AnnouncedBytes.Limit)
	t.Add("requestsPerMinute", q.RequestsPerMinute.Used, q.RequestsPerMinute.Limit)
	t.Add("streams", q.Streams.Used, q.Streams.Limit)
	return t
}
