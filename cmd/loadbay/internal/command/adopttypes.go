package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) typesTables() *cobra.Command {
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "tables [TEXT]", Short: "List the tables that a type can be declared for", Args: exactUsage(cobra.MaximumNArgs(1)),
		Long: `List the tables of the database, and why a type cannot be declared for one of them. With a text,
list those whose schema.table contains it.`,
		Example: `  loadbay types tables crm.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			params := &api.ListTablesParams{}
			if len(given) > 0 {
				params.Q = &given[0]
			}
			return printPage(ctx, a, caller, limit, verdictTable)(caller.API.ListTables(ctx, params))
		}),
	})
	c.Flags().IntVar(&limit, "limit", 30, "maximum number of results")
	return c
}

func verdictTable(found []api.TableVerdict) *render.Table {
	t := &render.Table{Header: []string{"TABLE", "ROWS", "ADOPTABLE", "REASON"}}
	for i := range found {
		of := &found[i]
		rows := "-"
		if of.Rows != nil {
			rows = fmt.Sprint(*of.Rows)
		}
		t.Add(of.Table, rows, yesNo(of.Adoptable), orDash(of.Reason))
	}
	return t
}

func (a *app) typesAdopt() *cobra.Command {
	var sql saveFlags
	c := &cobra.Command{
		Use: "adopt TABLE", Short: "Draft the declaration of a type for a table", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(adoptableTables),
		Long: `Draft the declaration of a type for a table, schema.table, and print it as YAML. Standard error
lists what you must decide, and the SQL statements that the table's owner has to run, which --grants
saves. Nothing is stored, and Loadbay does not run the statements.`,
		Example: `  loadbay types adopt crm.accounts --grants grants.sql > account.yaml
  psql -f grants.sql`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			draft, err := client.Read[api.TypeDraft](caller.API.AdoptTable(ctx, api.AdoptTableJSONRequestBody{Table: given[0]}))
			if err != nil {
				return err
			}
			if err := a.reportTable(&sql, draft.Findings, draft.Grants, draft.Optional); err != nil {
				return err
			}
			_, err = fmt.Fprint(a.streams.Out, draft.Yaml)
			return err
		}),
	}
	return bindGrants(c, &sql)
}

func (a *app) typesCheck() *cobra.Command {
	var path string
	var sql saveFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "check [TYPE]", Short: "Test whether imports of a declared type would work", Args: exactUsage(cobra.MaximumNArgs(1)), ValidArgsFunction: a.completeArgs(declaredNames),
		Long: `Test whether imports of a declared type would work: privileges, triggers, whether keys are unique in
the data, and a few rows that are written and rolled back. With -f, test a declaration that has not
been applied. The exit code is 1 if imports would fail. Standard error says what to do, with the SQL
statements that the table's owner has to run, which --grants saves.`,
		Example: `  loadbay types check PRODUCT
  loadbay types check -f product.yaml --grants grants.sql`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			name, source, err := a.declarationToCheck(path, given)
			if err != nil {
				return err
			}
			report, err := client.Read[api.TypeCheck](caller.API.CheckTypeWithBody(ctx, name, yamlType, strings.NewReader(source)))
			if err != nil {
				return err
			}
			if a.format.JSON() {
				err = a.format.Write(a.streams.Out, report)
			} else {
				err = a.printTypeCheck(name, report)
			}
			if err == nil {
				err = a.reportTable(&sql, report.Findings, report.Grants, report.Optional)
			}
			if err == nil && !report.Ok {
				err = exitStatus(exitFailed)
			}
			return err
		}),
	})
	c.Flags().StringVarP(&path, "file", "f", "", `a declaration in YAML or JSON; "-" is standard input`)
	return bindGrants(c, &sql)
}

// declarationToCheck returns the name of the type, and the text of its file, or "" for the version in
// use.
func (a *app) declarationToCheck(path string, given []string) (name, source string, err error) {
	switch {
	case (path == "") == (len(given) == 0):
		return "", "", usageError{errors.New("name either a type or, with -f, a file")}
	case path == "":
		return strings.ToUpper(given[0]), "", nil
	}
	source, name, err = a.readDeclaration(path)
	return name, source, err
}

func (a *app) printTypeCheck(name string, report *api.TypeCheck) error {
	verdict := "imports would work"
	if !report.Ok {
		verdict = "imports would fail"
	}
	_, err := fmt.Fprintf(a.streams.Out, "%s: %s; rows written and rolled back: %d\n", name, verdict, report.RehearsedRows)
	if err == nil && len(report.Derived) > 0 {
		_, err = fmt.Fprintf(a.streams.Out, "The table itself changes: %s\n", strings.Join(report.Derived, ", "))
	}
	return err
}

func (a *app) typesDrift() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "drift TYPE", Short: "List the changes of a type's table since the type was applied", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(declaredNames),
		Long: `List the changes of a type's table since the type was applied, and how imports react to them: hold,
tell or ignore. The exit code is 5 if there are any. Apply the declaration again to accept them.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			found, err := client.Read[api.TypeDrift](caller.API.GetTypeDrift(ctx, strings.ToUpper(given[0])))
			if err != nil {
				return err
			}
			err = a.print(found.Differences, func() *render.Table {
				t := &render.Table{Header: []string{"CHANGE", "COLUMN", "NAME", "REACTION", "MEANING"}}
				for _, d := range found.Differences {
					t.Add(string(d.Category), orDash(d.Column), orDash(d.Name), string(d.Reaction), d.Message)
				}
				return t
			})
			if err == nil && len(found.Differences) > 0 {
				err = exitStatus(exitChanges)
			}
			return err
		}),
	})
}

// bindGrants adds the flags --grants and --force.
func bindGrants(c *cobra.Command, f *saveFlags) *cobra.Command {
	c.Flags().StringVar(&f.path, "grants", "", "save the SQL statements that the table's owner has to run in this file")
	bindForce(c.Flags(), &f.force)
	return c
}

// reportTable prints what a person should know about a declaration, and prints or saves the SQL
// statements for the table's owner. Those that are optional are comments, so that the file can be run.
func (a *app) reportTable(f *saveFlags, findings []api.TypeFinding, grants, optional []string) error {
	for _, finding := range findings {
		part := finding.Path
		if part != "" {
			part += ": "
		}
		a.report("%s: %s%s", severityNames[finding.Severity], part, finding.Message)
	}
	var sql strings.Builder
	for _, statement := range grants {
		sql.WriteString(statement + "\n")
	}
	for _, statement := range optional {
		sql.WriteString("-- optional: " + strings.ReplaceAll(statement, "\n", "\n--   ") + "\n")
	}
	if f.path != "" {
		return a.saveFile(*f, "", textFile, func(file *outputFile) (int64, error) {
			n, err := file.WriteString(sql.String())
			return int64(n), err
		})
	}
	if sql.Len() > 0 {
		a.report("SQL for the owner of the table:")
		fmt.Fprint(a.streams.Err, sql.String()) // not wrapped, to be copied
	}
	return nil
}

var severityNames = map[api.TypeFindingSeverity]string{
	api.TypeFindingSeverityError: "error", api.TypeFindingSeverityMustDecide: "must decide", api.TypeFindingSeverityWarning: "warning",
}

// adoptableTables completes tables that a type can be declared for.
func adoptableTables(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	found, err := client.Read[[]api.TableVerdict](c.API.ListTables(ctx, &api.ListTablesParams{Size: new(50)}))
	if err != nil {
		return nil, err
	}
	var names []cobra.Completion
	for i := range *found {
		if t := &(*found)[i]; t.Adoptable {
			names = append(names, t.Table)
		}
	}
	return names, nil
}
