package command

import (
	"strings"

	"github.com/spf13/cobra"
)

// exampleID is the import in examples.
const exampleID = "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"

// addExamples adds an example to each command below c that has none: its usage with values for the
// arguments.
func addExamples(c *cobra.Command) {
	for _, below := range c.Commands() {
		addExamples(below)
	}
	if c.Example != "" || !c.Runnable() || c.HasSubCommands() {
		return
	}
	words := []string{" ", c.CommandPath()}
	for i, word := range strings.Fields(c.Use)[1:] {
		word = strings.NewReplacer("[", "", "]", "", "...", "").Replace(word)
		value, known := exampleArguments[word]
		if special, ok := exampleArguments[c.Parent().Name()+" "+word]; ok {
			value, known = special, true
		}
		if i > 0 && value == exampleArguments["ORGANISATION"] && word == "ID" {
			value = "12"
		}
		if known {
			words = append(words, value)
		}
	}
	c.Example = strings.Join(words, " ")
	if extra, ok := exampleFlags[strings.TrimPrefix(c.CommandPath(), "loadbay ")]; ok {
		c.Example += "\n  " + c.CommandPath() + " " + extra
	}
}

// exampleArguments are values for the arguments in the usage of commands.
var exampleArguments = map[string]string{
	"ID": exampleID, "FILE": "members.csv", "TYPE": "MEMBERSHIP", "PROFILE": `"Tennis club"`, "VERSION": "3", "NAME": "test", "EVENT": exampleID,
	"types TYPE": "PRODUCT", "TEXT": "app.", "ORGANISATION": "1", "categories EVENT": "7", "KEY": "ann@example.org", "NAME=VALUE": "dateOrder=dmy",
	"organisations ID": "1", "periods ID": "12", "events ID": "7", "categories ID": "3", "membership-types ID": "5",
	"periods NAME": "2027", "events NAME": `"Spring Run"`, "categories NAME": "Juniors", "membership-types NAME": "Senior", "organisations NAME": `"Harbour Athletics"`,
}

// exampleFlags are more examples for commands with useful flags.
var exampleFlags = map[string]string{
	"results":                            exampleID + " --outcome UPDATED",
	"retry":                              exampleID + " --all-errors",
	"template":                           "MEMBERSHIP --period 2026 -o members.xlsx",
	"undo":                               exampleID + " --preview",
	"imports undo":                       exampleID + " --retries",
	"exports list":                       "--json jobId,status",
	"webhooks deliveries":                "--status failed",
	"profiles list":                      "--type USER",
	"admin organisations periods create": "1 2027 --starts-on 2027-01-01 --ends-on 2027-12-31",
	"admin organisations events create":  `1 "Spring Run" --starts-on 2027-05-01`,
}
