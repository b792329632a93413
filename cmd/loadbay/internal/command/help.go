package command

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// commandGroups are the groups of commands in the help, in its order.
var commandGroups = []struct{ id, title, commands string }{
	{"import", "Import files", "import check plan apply imports template types contexts"},
	{"rows", "Look at rows and correct them", "errors results rows correct retry"},
	{"changes", "Look at changes and undo them", "changes history undo"},
	{"export", "Export data", "export exports"},
	{"organisation", "Set up an organisation", "profiles settings keys organisation webhooks listen quarantine"},
	{"installation", "Work with installations", "installation login logout whoami version api dev"},
	{"operator", "Operate an installation", "admin"},
	{"help", "Help", "help completion exit-codes"},
}

// group puts the commands below the root into their groups.
func group(root *cobra.Command) {
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for name := range strings.FieldsSeq(g.commands) {
			for _, c := range root.Commands() {
				if c.Name() == name {
					c.GroupID = g.id
				}
			}
		}
	}
	root.SetHelpCommandGroupID("help")
	root.SetCompletionCommandGroupID("help")
}

// maxHelpWidth is the maximum width of a help text in columns.
const maxHelpWidth = 100

// helpPage writes the help of a command.
type helpPage struct {
	w     io.Writer
	width int
}

func (a *app) printHelp(c *cobra.Command, _ []string) {
	p := &helpPage{c.OutOrStdout(), min(a.streams.Width(), maxHelpWidth)}
	if !a.streams.OutIsTerminal {
		p.width = maxHelpWidth
	}
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	p.text(text)
	if c.IsAdditionalHelpTopicCommand() {
		return
	}
	p.title("USAGE")
	p.text("  " + usageLine(c))
	if c.Example != "" {
		p.title("EXAMPLES")
		p.text(c.Example)
	}
	p.commands(c)
	if c.HasParent() {
		p.flags("FLAGS", c.LocalNonPersistentFlags())
		p.text("\nThe flags of all commands are listed by loadbay --help.")
		return
	}
	p.flags("FLAGS OF ALL COMMANDS", c.PersistentFlags())
	p.text("\nFor more about a word, such as a command, csv, dates, duplicates or cron: loadbay help WORD")
}

func usageLine(c *cobra.Command) string {
	if c.HasSubCommands() {
		return c.CommandPath() + " COMMAND"
	}
	return c.UseLine()
}

func (p *helpPage) title(text string) {
	_, _ = lipgloss.Fprintln(p.w, "\n"+lipgloss.NewStyle().Bold(true).Render(text))
}

// text prints a text. Indented lines, such as examples, are not wrapped.
func (p *helpPage) text(text string) {
	for paragraph := range strings.SplitSeq(joinLines(text), "\n") {
		if !strings.HasPrefix(paragraph, "  ") {
			paragraph = render.Wrap(paragraph, p.width)
		}
		_, _ = fmt.Fprintln(p.w, paragraph)
	}
}

// joinLines joins the lines of each paragraph of prose, so that they can be wrapped again.
func joinLines(text string) string {
	var b strings.Builder
	before := ""
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		prose := line != "" && !strings.HasPrefix(line, "  ")
		if i > 0 && (!prose || before == "" || strings.HasPrefix(before, "  ")) {
			b.WriteByte('\n')
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(line)
		before = line
	}
	return b.String()
}

// commands lists the commands below c by group.
func (p *helpPage) commands(c *cobra.Command) {
	groups := c.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, g := range groups {
		var rows [][2]string
		for _, below := range c.Commands() {
			if below.GroupID == g.ID && (below.IsAvailableCommand() || below.IsAdditionalHelpTopicCommand() || below.Name() == "help") {
				rows = append(rows, [2]string{below.Name(), below.Short})
			}
		}
		p.list(strings.ToUpper(g.Title), rows)
	}
}

func (p *helpPage) flags(title string, flags *pflag.FlagSet) {
	var rows [][2]string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, meaning := pflag.UnquoteUsage(f)
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		switch f.DefValue {
		case "", "0", "false", "[]", "0s":
		default:
			meaning += " (" + f.DefValue + ")"
		}
		rows = append(rows, [2]string{strings.TrimSpace(name + " " + kind), meaning})
	})
	for i := range rows {
		if !strings.HasPrefix(rows[i][0], "-") || strings.HasPrefix(rows[i][0], "--") {
			rows[i][0] = "    " + rows[i][0]
		}
	}
	p.list(title, rows)
}

// list prints names with their meanings.
func (p *helpPage) list(title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	p.title(title)
	names := 0
	for _, r := range rows {
		names = max(names, len(r[0]))
	}
	const indent = "  "
	left := len(indent) + names + len(indent)
	if left > p.width/2 { // too narrow: the meaning follows in a line of its own
		left = 2 * len(indent)
	}
	for _, r := range rows {
		lines := strings.Split(render.Wrap(r[1], p.width-left), "\n")
		if left > 2*len(indent) {
			_, _ = fmt.Fprintf(p.w, "%s%-*s%s\n", indent, left-len(indent), r[0], lines[0])
			lines = lines[1:]
		} else {
			_, _ = fmt.Fprintln(p.w, indent+r[0])
		}
		for _, line := range lines {
			_, _ = fmt.Fprintln(p.w, strings.Repeat(" ", left)+line)
		}
	}
}

// helpCommand shows the help of a command, or answers a word that is none.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [WORD]...", Short: "Explain a command or a word, such as csv, duplicates or cron",
		Example: `  loadbay help import
  loadbay help imports watch
  loadbay help duplicates`,
		ValidArgsFunction: func(c *cobra.Command, given []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var words []cobra.Completion
			at, _, err := c.Root().Find(given)
			if err == nil {
				for _, below := range at.Commands() {
					if !below.Hidden {
						words = append(words, cobra.CompletionWithDesc(below.Name(), below.Short))
					}
				}
			}
			if len(given) == 0 {
				for _, t := range topics {
					words = append(words, strings.Fields(t.words)[0])
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, given []string) error {
			at, rest, err := c.Root().Find(given)
			if err == nil && len(rest) == 0 {
				return at.Help()
			}
			word := strings.ToLower(strings.Join(given, "-"))
			for _, t := range topics {
				for name := range strings.FieldsSeq(t.words) {
					if name == word || name == word+"s" || name+"s" == word {
						p := &helpPage{c.OutOrStdout(), min(a.streams.Width(), maxHelpWidth)}
						p.text(t.text)
						return nil
					}
				}
			}
			return unknownCommand(at, rest[0])
		},
	}
}
