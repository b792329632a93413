package command

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) typesCommand() *cobra.Command {
	return a.addDeclaredTypes(a.withFormatFlags(&cobra.Command{
		Use: "types [TYPE]", Short: "List the import types, or the fields of a type; declare types",
		Long: `List the types that can be imported, or the fields of a type. The commands below manage the types
that the organisation has declared for tables of its own.`, Args: exactUsage(cobra.MaximumNArgs(1)), ValidArgsFunction: a.completeArgs(typeNames),
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			if len(given) == 0 {
				return printValue(a, func(found *[]api.ImportType) *render.Table { return typeTable(*found) })(caller.API.ListImportTypes(c.Context()))
			}
			t, err := findType(c.Context(), caller, given[0])
			if err != nil {
				return err
			}
			return a.print(t.Fields, func() *render.Table { return fieldTable(t) })
		},
	}))
}

func typeTable(types []api.ImportType) *render.Table {
	t := &render.Table{Header: []string{"TYPE", "TITLE", "MODES", "EXPORT", "BELONGS TO"}}
	for _, found := range types {
		modes := make([]string, len(found.Modes))
		for i, m := range found.Modes {
			modes[i] = string(m)
		}
		context := "-"
		if found.Context != nil {
			context = found.Context.Title
		}
		t.Add(found.Name, found.Title, strings.Join(modes, " "), cmp.Or(found.Resource, "-"), context)
	}
	return t
}

func fieldTable(found *api.ImportType) *render.Table {
	t := &render.Table{Header: []string{"FIELD", "COLUMN", "TITLE", "KIND", "REQUIRED"}}
	for _, f := range found.Fields {
		t.Add(f.Name, f.Column, f.Title, f.Kind, yesNo(f.IsRequired))
	}
	return t
}

// typeNames completes types.
func typeNames(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(t *api.ImportType) (word, title string) { return t.Name, t.Title })(c.API.ListImportTypes(ctx))
}

func (a *app) templateCommand() *cobra.Command {
	var to saveFlags
	var belongs contextFlags
	c := &cobra.Command{
		Use: "template TYPE", Aliases: []string{"templates"}, Short: "Download a workbook template", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(typeNames),
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			name := strings.ToUpper(given[0])
			context, err := belongs.resolve(c.Context(), caller, name)
			if err != nil {
				return err
			}
			params := &api.DownloadTemplateParams{ContextID: nonZero(context)}
			return a.saveFile(to, strings.ToLower(name)+"-template.xlsx", binaryFile, func(f *outputFile) (int64, error) {
				return caller.Save(c.Context(), f)(caller.API.DownloadTemplate(c.Context(), name, params))
			})
		},
	}
	to.bindOutput(c.Flags(), "TYPE-template.xlsx")
	belongs.register(c.Flags())
	return c
}
