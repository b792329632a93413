package main

import (
	"os"
	"path/filepath"
)

// functionsDir is the folder of the compiled functions: the one that is set, or that of a
// checkout in which the program is run, or the one beside the program.
func functionsDir(set string) string {
	return firstExisting(set, filepath.Join("bin", "functions"), besideProgram("functions"))
}

// consoleDir is the folder of the built console, found like the functions'.
func consoleDir(set string) string {
	checkout := filepath.Join("console", "dist")
	return firstExisting(set, checkout, besideProgram("console"), besideProgram(filepath.Join("..", checkout)))
}

// firstExisting is the folder that is set, or else the first that exists; the first one, if none
// does.
func firstExisting(set string, folders ...string) string {
	if set != "" {
		return set
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
	}
	return folders[0]
}

// besideProgram is a path in the folder of this program.
func besideProgram(path string) string {
	program, err := os.Executable()
	if err != nil {
		return path
	}
	return filepath.Join(filepath.Dir(program), path)
}
