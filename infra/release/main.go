// Command release packs what was built: a zip for each function, as Lambda takes it, an
// archive of the programs that people run for each platform, the licences of what is in
// them, and the checksums of all. The same programs give the same bytes, so that anybody
// can build a release again and compare.
//
//	release -version v0.1.0 -from bin/lambda -archives bin/archives -to dist/loadbay-v0.1.0 api process
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
)

func main() {
	version := flag.String("version", "", "what the programs must be stamped with")
	from := flag.String("from", "bin/lambda", "the folder of <function>/bootstrap")
	archives := flag.String("archives", "bin/archives", "the folder with a folder for each archive")
	to := flag.String("to", "", "the folder to write; what is in it is replaced")
	flag.Parse()
	if *version == "" || *to == "" || flag.NArg() == 0 {
		failWith(errors.New("-version, -to and the functions' names are needed"))
	}
	if err := release(*version, *from, *archives, *to, flag.Args()); err != nil {
		failWith(err)
	}
}

func release(version, from, archives, to string, functions []string) error {
	files, err := writeZips(version, from, functions)
	if err != nil {
		return err
	}
	common := map[string][]byte{}
	if common["licenses.txt"], err = collectLicences(functions); err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if common[name], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	packed, err := writeArchives(version, archives, common)
	if err != nil {
		return err
	}
	maps.Copy(files, common)
	maps.Copy(files, packed)
	return writeRelease(to, files)
}

func failWith(err error) {
	fmt.Fprintln(os.Stderr, "release:", err)
	os.Exit(1)
}
