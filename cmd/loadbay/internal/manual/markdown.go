package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// introduction is the part of docs/cli.md before the commands.
//
//go:embed introduction.md
var introduction string

// markdown returns docs/cli.md: the introduction, and a section for each command and help page
// in the order of --help.
func markdown(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(introduction)
	b.WriteString("\n## Global flags\n\n")
	flagTable(&b, root.PersistentFlags())
	b.WriteString("\n## All commands\n")
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n%s:\n", g.Title)
		for _, c := range inGroup(root, g) {
			fmt.Fprintf(&b, "[%s](#%s)\n", c.Name(), strings.ReplaceAll(c.CommandPath(), " ", "-"))
		}
	}
	for _, g := range root.Groups() {
		for _, c := range inGroup(root, g) {
			writeCommand(&b, c)
		}
	}
	return b.String()
}

// inGroup returns the visible commands of a group.
func inGroup(root *cobra.Command, g *cobra.Group) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.GroupID != g.ID || c.Hidden || c.Name() == "help" })
}

// writeCommand writes the section of a command and those of its subcommands.
func writeCommand(b *strings.Builder, c *cobra.Command) {
	if c.Hidden || c.Name() == "help" {
		return
	}
	fmt.Fprintf(b, "\n%s %s\n\n", strings.Repeat("#", strings.Count(c.CommandPath(), " ")+1), c.CommandPath())
	if c.Long == "" {
		fmt.Fprintf(b, "%s.\n", c.Short)
	} else {
		b.WriteString(formatHelp(c.Long) + "\n")
	}
	if c.Runnable() && !c.HasSubCommands() {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", c.UseLine())
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "\nAlso: `%s`.\n", strings.Join(c.Aliases, "`, `"))
	}
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n")
		flagTable(b, c.NonInheritedFlags())
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\nFor example:\n\n```sh\n%s\n```\n", unindented(c.Example))
	}
	for _, below := range c.Commands() {
		writeCommand(b, below)
	}
}

// formatHelp converts a help text to Markdown: indented text becomes code.
func formatHelp(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "    ") {
			lines[i] = angleEscaper.Replace(line)
		}
	}
	return strings.Join(lines, "\n")
}

// angleEscaper escapes text in angle brackets, which would be taken for HTML.
var angleEscaper = strings.NewReplacer("<", "&lt;", ">", "&gt;")

// unindented removes the indentation that help output needs from an example.
func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}

// flagTable lists the flags, except --help, which every command has.
func flagTable(b *strings.Builder, flags *pflag.FlagSet) {
	var rows strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, meaning := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if kind != "" {
			name += " " + kind
		}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + "`, `" + name
		}
		fmt.Fprintf(&rows, "| `%s` | %s%s |\n", name, strings.ReplaceAll(meaning, "|", `\|`), defaultText(f))
	})
	if rows.Len() > 0 {
		b.WriteString("| flag | meaning |\n|---|---|\n" + rows.String())
	}
}

// defaultText describes a flag's default, or "" if it has none.
func defaultText(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "false", "[]", "0s":
		return ""
	}
	return fmt.Sprintf(" (%s)", f.DefValue)
}
