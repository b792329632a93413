// Command release packages built programs: a zip for each function, in Lambda's format, an
// archive of the command-line programs for each platform, the licences of everything in
// them, and the checksums of all files. The same programs always result in the same bytes, so
// that anyone can rebuild a release and compare it.
//
//	release -version v0.1.0 -from bin/lambda -archives bin/archives -to dist/loadbay-v0.1.0 api process
//
// -from contains <function>/bootstrap for each function named at the end, -archives a folder with the
// programs of each platform. With -sbom it writes the version into a software bill of materials
// (CycloneDX) instead:
//
//	release -version v0.1.0 -sbom dist/loadbay-v0.1.0/sbom.cdx.json
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
)

func main() {
	version := flag.String("version", "", "the expected version of the programs")
	from := flag.String("from", "bin/lambda", "the folder with <function>/bootstrap")
	archives := flag.String("archives", "bin/archives", "the folder with a folder for each archive")
	to := flag.String("to", "", "the output folder; its contents are replaced")
	sbom := flag.String("sbom", "", "the list of modules that gets the version")
	flag.Parse()
	if *version != "" && *sbom != "" {
		if err := stampSBOM(*sbom, *version); err != nil {
			failWith(err)
		}
		return
	}
	if *version == "" || *to == "" || flag.NArg() == 0 {
		failWith(errors.New("-version, -to and function names are required"))
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
