package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/command"
)

var update = flag.Bool("update", false, "rewrite docs/cli.md")

// docs/cli.md matches the output for the current commands.
func TestDocumentMatchesCommands(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "docs", "cli.md")
	made := markdown(command.Root())
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o600))
	}
	stored, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(stored), made, "docs are out of date: run make docs")
}

// forEachCommand calls call for every visible command.
func forEachCommand(c *cobra.Command, call func(*cobra.Command)) {
	call(c)
	for _, below := range c.Commands() {
		if !below.Hidden && below.Name() != "help" && below.Name() != "completion" {
			forEachCommand(below, call)
		}
	}
}

// Every command has a description in the common style.
func TestEveryCommandIsDescribed(t *testing.T) {
	t.Parallel()
	made := markdown(command.Root())
	forEachCommand(command.Root(), func(c *cobra.Command) {
		require.NotEmpty(t, c.Short, c.CommandPath())
		require.False(t, strings.HasSuffix(c.Short, "."), "%s: %s", c.CommandPath(), c.Short)
		require.True(t, c.Example != "" || c.HasSubCommands() || !c.Runnable(), "%s has no example", c.CommandPath())
		if c.HasParent() && !c.Parent().HasParent() {
			require.NotEmpty(t, c.GroupID, "%s belongs to a group of commands", c.CommandPath())
		}
		if c.HasParent() {
			require.Contains(t, made, " "+c.CommandPath()+"\n", c.CommandPath())
		}
	})
}

// Every command has a man page, and the shells accept the completions.
func TestEveryCommandHasManPage(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767225600")
	folder := t.TempDir()
	require.NoError(t, writeManual(command.Root(), "v1.2.3", folder))
	forEachCommand(command.Root(), func(c *cobra.Command) {
		if c.IsAdditionalHelpTopicCommand() {
			return
		}
		page, err := os.ReadFile(filepath.Join(folder, "man", "man1", strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		require.NoError(t, err)
		require.Contains(t, string(page), "Jan 2026")
		require.Contains(t, string(page), "Loadbay v1.2.3")
	})
	for shell, args := range map[string][]string{
		"bash": {"-n", "loadbay.bash"}, "zsh": {"-n", "_loadbay"}, "fish": {"-n", "loadbay.fish"}, "pwsh": {"-NoProfile", "-File", "loadbay.ps1"},
	} {
		text, err := os.ReadFile(filepath.Join(folder, "completions", args[len(args)-1]))
		require.NoError(t, err)
		require.Contains(t, string(text), "__complete", "the %s script calls the program for completions", shell)
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		check := exec.CommandContext(t.Context(), shell, args...)
		check.Dir = filepath.Join(folder, "completions")
		output, err := check.CombinedOutput()
		require.NoError(t, err, "%s: %s", shell, output)
	}
}
