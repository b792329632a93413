package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/config"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) installationCommand() *cobra.Command {
	c := &cobra.Command{Use: "installation", Aliases: []string{"installations"}, Short: "Manage the installations that you work with"}
	c.AddCommand(a.installationAdd(), a.installationList(), a.installationUse(), a.installationRemove())
	return c
}

func (a *app) installationAdd() *cobra.Command {
	var withToken bool
	c := &cobra.Command{
		Use: "add NAME ADDRESS", Short: "Add or change an installation", Args: exactUsage(cobra.ExactArgs(2)),
		Example: `  loadbay installation add local http://127.0.0.1:8080
  loadbay installation add test https://loadbay.example.org --with-token < token.txt`,
		RunE: func(_ *cobra.Command, given []string) error {
			if _, err := client.New(given[1]); err != nil {
				return usageError{err}
			}
			token, err := a.readToken(withToken)
			if err != nil {
				return err
			}
			return a.updateConfig(func(c *config.Config) error {
				if err := c.Set(given[0], config.Context{URL: given[1]}); err != nil {
					return usageError{err}
				}
				return a.saveToken(c, given[0], token)
			})
		},
	}
	c.Flags().BoolVar(&withToken, "with-token", false, "read a bearer token from standard input")
	return c
}

// maxTokenBytes is the maximum size of a token, in bytes.
const maxTokenBytes = 64 << 10

// readToken reads a token from standard input; other users of the machine could see it in the
// arguments.
func (a *app) readToken(wanted bool) (string, error) {
	if !wanted {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(a.streams.In, maxTokenBytes))
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// updateConfig changes the configuration file.
func (a *app) updateConfig(change func(*config.Config) error) error {
	c, err := config.Load(a.environment)
	if err != nil {
		return err
	}
	if err := change(c); err != nil {
		return err
	}
	return c.Save()
}

func (a *app) saveToken(c *config.Config, context, token string) error {
	if token == "" {
		return nil
	}
	file, err := c.SaveToken(context, token)
	if err != nil {
		return err
	}
	if file != "" {
		a.notify("This machine has no keyring. The token was stored in %s, readable only by you.", file)
	}
	return nil
}

// installationEntry is an installation in a list.
type installationEntry struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	Current bool   `json:"current"`
}

func (a *app) installationList() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List the installations", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			c, err := config.Load(a.environment)
			if err != nil {
				return err
			}
			entries := []installationEntry{}
			table := &render.Table{Header: []string{"", "NAME", "ADDRESS"}}
			for _, name := range c.Names() {
				e := installationEntry{Name: name, URL: c.Contexts[name].URL, Current: name == c.Current}
				entries = append(entries, e)
				table.Add(map[bool]string{true: "*"}[e.Current], e.Name, e.URL)
			}
			return a.print(entries, func() *render.Table { return table })
		},
	})
}

func (a *app) installationUse() *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "Set the current installation", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: completeLike(a.completeContexts),
		RunE: func(_ *cobra.Command, given []string) error {
			return a.updateConfig(func(c *config.Config) error {
				_, err := c.Resolve(given[0], "", "")
				c.Current = given[0]
				return err
			})
		},
	}
}

func (a *app) installationRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove an installation and its token", Aliases: []string{"rm"}, Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: completeLike(a.completeContexts),
		RunE: func(_ *cobra.Command, given []string) error {
			return a.updateConfig(func(c *config.Config) error {
				if _, err := c.Resolve(given[0], "", ""); err != nil {
					return err
				}
				delete(c.Contexts, given[0])
				if c.Current == given[0] {
					c.Current = ""
				}
				return c.DeleteToken(given[0])
			})
		},
	}
}

// completeContexts completes the names of contexts.
func (a *app) completeContexts(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	c, err := config.Load(a.environment)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.Names(), cobra.ShellCompDirectiveNoFileComp
}
