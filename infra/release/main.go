// Command release packs the built functions: a zip for each, as Lambda takes it,
// the licences of what is in them, and the checksums of all. The same programs
// give the same bytes, so that anybody can build a release again and compare.
//
//	release -version v0.1.0 -from bin/lambda -to dist/loadbay-v0.1.0 api process
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	version := flag.String("version", "", "what the functions must be stamped with")
	from := flag.String("from", "bin/lambda", "the folder of <function>/bootstrap")
	to := flag.String("to", "", "the folder to write; what is in it is replaced")
	flag.Parse()
	if *version == "" || *to == "" || flag.NArg() == 0 {
		fail(errors.New("-version, -to and the functions' names are needed"))
	}
	if err := release(*version, *from, *to, flag.Args()); err != nil {
		fail(err)
	}
}

func release(version, from, to string, functions []string) error {
	files, err := Pack(version, from, functions)
	if err != nil {
		return err
	}
	if files["licenses.txt"], err = licences(functions); err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if files[name], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	return Write(to, files)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "release:", err)
	os.Exit(1)
}
