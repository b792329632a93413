// Command wordcheck measures the language of the project: the frequency of some words in
// hand-written Go comments, compared with other Go projects, and the use of phrases that
// phrases.txt replaces. It exits with status 1 if a frequency exceeds its bound or a phrase
// is found that exceptions.txt does not list.
//
// Tested by this package.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run checks the checkout in a folder.
func run(root string) error {
	texts, err := collect(root)
	if err != nil {
		return err
	}
	rules, err := readPhrases()
	if err != nil {
		return err
	}
	exceptions, err := readExceptions()
	if err != nil {
		return err
	}
	failed := printFrequencies(os.Stdout, count(texts))
	found := findPhrases(texts, rules, exceptions)
	for _, f := range found {
		fmt.Printf("%s:%d: %q: write %s\n", f.path, f.line, f.phrase, f.replacement)
	}
	for _, e := range exceptions {
		if !e.used {
			fmt.Printf("exceptions.txt: %s no longer contains %q\n", e.path, e.phrase)
			failed = true
		}
	}
	if failed || len(found) > 0 {
		return fmt.Errorf("wordcheck: %d forbidden phrases; see CONTRIBUTING.md, Language", len(found))
	}
	return nil
}
