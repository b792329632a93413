// Command manual generates the files that a release contains besides the command loadbay: a man
// page for each command, and completions for four shells.
//
//	manual -version v0.2.0 FOLDER
//
// The date in the pages is SOURCE_DATE_EPOCH, so that the output is reproducible.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/command"
)

func main() {
	version := flag.String("version", "", "the version shown in the man pages")
	flag.Parse()
	if flag.NArg() != 1 {
		fail(errors.New("missing output folder"))
	}
	if err := writeManual(command.Root(), *version, flag.Arg(0)); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "manual:", err)
	os.Exit(1)
}

// writeManual writes man/man1 and completions to a folder.
func writeManual(root *cobra.Command, version, folder string) error {
	pages, completions := filepath.Join(folder, "man", "man1"), filepath.Join(folder, "completions")
	if err := errors.Join(os.MkdirAll(pages, 0o755), os.MkdirAll(completions, 0o755)); err != nil {
		return err
	}
	if err := doc.GenManTree(root, &doc.GenManHeader{Source: "Loadbay " + version, Manual: "Loadbay"}, pages); err != nil {
		return fmt.Errorf("man pages: %w", err)
	}
	for name, generate := range map[string]func(string) error{
		"loadbay.bash": func(path string) error { return root.GenBashCompletionFileV2(path, true) },
		"_loadbay":     root.GenZshCompletionFile,
		"loadbay.fish": func(path string) error { return root.GenFishCompletionFile(path, true) },
		"loadbay.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := generate(filepath.Join(completions, name)); err != nil {
			return fmt.Errorf("completions %s: %w", name, err)
		}
	}
	return nil
}
